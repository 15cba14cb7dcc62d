/*
 * Tiled matrix product C[m,n] = A[m,k] B[k,n]: a group goes along k in phases. In each phase its
 * work-items load one TILE x TILE tile of A and one of B to local memory, each element once, and
 * then use each element TILE times. Global traffic is divided by TILE.
 *
 * Block: TILE x TILE work-items. Groups: ceil(m / TILE) * ceil(n / TILE), one-dimensional.
 * Limited by: local memory. It is read nearly as often as the naive kernel reads L1: each
 * multiply-add reads an element of B and a quarter of a 16-byte read of A.
 * Book: PMPP 4th ed., 5.4 and 5.5 (tiling, any size), 6.1 (coalesced loads of both tiles).
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul_tiled(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	/* Without the alignment NVIDIA's compiler reads tile_a in 4-byte pieces: a fifth slower. */
	__local float tile_a[TILE][TILE] __attribute__((aligned(16)));
	__local float tile_b[TILE][TILE] __attribute__((aligned(16)));
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + ty;
	int col = group % groups_n * TILE + tx;
	float sum = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE) {
		/* Outside the matrices a zero is stored: it adds nothing to any sum. */
		tile_a[ty][tx] = row < m && k0 + tx < k ? A[(size_t)row * k + (k0 + tx)] : 0.0f;
		tile_b[ty][tx] = k0 + ty < k && col < n ? B[(size_t)(k0 + ty) * n + col] : 0.0f;
		barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
		for (int kk = 0; kk < TILE; kk++)
			sum = fma(tile_a[ty][kk], tile_b[kk][tx], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}

	if (row < m && col < n)
		C[(size_t)row * n + col] = sum;
}
