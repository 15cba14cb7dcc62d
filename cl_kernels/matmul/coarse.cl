/*
 * Thread coarsening: C[m,n] = A[m,k] B[k,n], where one group computes COARSE neighbouring tiles of
 * a row of tiles. The tile of A is loaded once for all of them, not once by each of COARSE groups.
 * An element of A, once in a register, is used for COARSE multiply-adds.
 *
 * Block: TILE x TILE work-items. Groups: ceil(m / TILE) * ceil(n / (COARSE * TILE)),
 * one-dimensional.
 * Local memory: (1 + COARSE) * TILE * TILE floats. All COARSE tiles of B are resident, so a phase
 * has two barriers for any COARSE (in Fig. 6.13 each tile has two barriers).
 * Limited by: local memory, as before: one read of B for each multiply-add.
 * Book: PMPP 4th ed., 6.3, Fig. 6.13.
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul_coarse(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	__local float tile_a[TILE][TILE] __attribute__((aligned(16)));
	__local float tile_b[TILE][COARSE * TILE] __attribute__((aligned(16)));
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + COARSE * TILE - 1) / (COARSE * TILE);
	int row = group / groups_n * TILE + ty;
	int col = group % groups_n * (COARSE * TILE) + tx;
	float sum[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++)
		sum[c] = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE) {
		__global const float *b = B + (size_t)(k0 + ty) * n + col;

		tile_a[ty][tx] = row < m && k0 + tx < k ? A[(size_t)row * k + (k0 + tx)] : 0.0f;
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			tile_b[ty][c * TILE + tx] =
				k0 + ty < k && col + c * TILE < n ? b[c * TILE] : 0.0f;
		barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
		for (int kk = 0; kk < TILE; kk++) {
			float a = tile_a[ty][kk];

#pragma unroll
			for (int c = 0; c < COARSE; c++)
				sum[c] = fma(a, tile_b[kk][c * TILE + tx], sum[c]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		if (row < m && col + c * TILE < n)
			C[(size_t)row * n + col + c * TILE] = sum[c];
	}
}
