/*
 * Tiled matrix product C[m,n] = A[m,k] B[k,n]: a block goes along k in phases. In each phase its
 * threads load one TILE x TILE tile of A and one of B to shared memory, each element once, and then
 * use each element TILE times. Global traffic is divided by TILE.
 *
 * Block: TILE x TILE threads. Groups: ceil(m / TILE) * ceil(n / TILE), one-dimensional.
 * Limited by: shared memory. It is read nearly as often as the naive kernel reads L1: each
 * multiply-add reads an element of B and a quarter of a 16-byte read of A.
 * Book: PMPP 4th ed., 5.4 and 5.5 (tiling, any size), 6.1 (coalesced loads of both tiles).
 */
extern "C" __global__ void __launch_bounds__(TILE *TILE) matmul_tiled(const float *__restrict__ A,
	const float *__restrict__ B, float *__restrict__ C, int m, int n, int k)
{
	__shared__ __align__(16) float tile_a[TILE][TILE];
	__shared__ __align__(16) float tile_b[TILE][TILE];
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int group = blockIdx.x;
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + ty;
	int col = group % groups_n * TILE + tx;
	float sum = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE) {
		/* Outside the matrices a zero is stored: it adds nothing to any sum. */
		tile_a[ty][tx] = row < m && k0 + tx < k ? A[(size_t)row * k + (k0 + tx)] : 0.0f;
		tile_b[ty][tx] = k0 + ty < k && col < n ? B[(size_t)(k0 + ty) * n + col] : 0.0f;
		__syncthreads();

#pragma unroll
		for (int kk = 0; kk < TILE; kk++)
			sum = fmaf(tile_a[ty][kk], tile_b[kk][tx], sum);
		__syncthreads();
	}

	if (row < m && col < n)
		C[(size_t)row * n + col] = sum;
}
