/*
 * Thread coarsening: C[m,n] = A[m,k] B[k,n], where one block computes COARSE neighbouring tiles of
 * a row of tiles. The tile of A is loaded once for all of them, not once by each of COARSE blocks.
 * An element of A, once in a register, is used for COARSE multiply-adds.
 *
 * Block: TILE x TILE threads. Groups: ceil(m / TILE) * ceil(n / (COARSE * TILE)), one-dimensional.
 * Shared memory: (1 + COARSE) * TILE * TILE floats. All COARSE tiles of B are resident, so a phase
 * has two barriers for any COARSE (in Fig. 6.13 each tile has two barriers).
 * Limited by: shared memory, as before: one read of B for each multiply-add.
 * Book: PMPP 4th ed., 6.3, Fig. 6.13.
 */
extern "C" __global__ void __launch_bounds__(TILE *TILE) matmul_coarse(const float *__restrict__ A,
	const float *__restrict__ B, float *__restrict__ C, int m, int n, int k)
{
	__shared__ __align__(16) float tile_a[TILE][TILE];
	__shared__ __align__(16) float tile_b[TILE][COARSE * TILE];
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int group = blockIdx.x;
	int groups_n = (n + COARSE * TILE - 1) / (COARSE * TILE);
	int row = group / groups_n * TILE + ty;
	int col = group % groups_n * (COARSE * TILE) + tx;
	float sum[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++)
		sum[c] = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE) {
		const float *b = B + (size_t)(k0 + ty) * n + col;

		tile_a[ty][tx] = row < m && k0 + tx < k ? A[(size_t)row * k + (k0 + tx)] : 0.0f;
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			tile_b[ty][c * TILE + tx] =
				k0 + ty < k && col + c * TILE < n ? b[c * TILE] : 0.0f;
		__syncthreads();

#pragma unroll
		for (int kk = 0; kk < TILE; kk++) {
			float a = tile_a[ty][kk];

#pragma unroll
			for (int c = 0; c < COARSE; c++)
				sum[c] = fmaf(a, tile_b[kk][c * TILE + tx], sum[c]);
		}
		__syncthreads();
	}

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		if (row < m && col + c * TILE < n)
			C[(size_t)row * n + col + c * TILE] = sum[c];
	}
}
