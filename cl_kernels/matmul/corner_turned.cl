/*
 * Corner turning: C[m,n] = A[m,k] B[k,n], where B is stored by columns (element [kk][j] at j*k +
 * kk). Loads of B in the order of use would be strided. Therefore local id 0 goes along a column of
 * B for the loads (coalesced), and the tile is transposed when it is stored to local memory. There
 * a stride has no cost if the banks differ.
 *
 * Block: TILE x TILE work-items. Groups: ceil(m / TILE) * ceil(n / TILE), one-dimensional.
 * Limited by: local memory, like the tiled kernel. It should have the same speed.
 * Book: PMPP 4th ed., 6.1, Fig. 6.4 and exercise 1 of chapter 6.
 */
#pragma OPENCL FP_CONTRACT OFF

/*
 * 32 work-items are 32 / TILE rows of TILE. Item (x, y) stores to [x][y]. With this row length
 * the x use banks that are 32 / TILE apart, and the y use the banks between: no bank conflicts.
 */
#define STRIDE_B (TILE + 32 / TILE)

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul_corner_turned(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, int m, int n, int k)
{
	__local float tile_a[TILE][TILE] __attribute__((aligned(16)));
	__local float tile_b[TILE][STRIDE_B] __attribute__((aligned(16)));
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + ty;
	int col0 = group % groups_n * TILE;
	int col = col0 + tx;
	int fetched = col0 + ty; /* the column of B that this work-item loads */
	__global const float *from_a = A + (size_t)row * k + tx;
	__global const float *from_b = B + (size_t)fetched * k + tx;
	float sum = 0.0f;

	for (int k0 = 0; k0 < k; k0 += TILE) {
		tile_a[ty][tx] = k0 + tx < k && row < m ? from_a[k0] : 0.0f;
		tile_b[tx][ty] = k0 + tx < k && fetched < n ? from_b[k0] : 0.0f;
		barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
		for (int kk = 0; kk < TILE; kk++)
			sum = fma(tile_a[ty][kk], tile_b[kk][tx], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}

	if (row < m && col < n)
		C[(size_t)row * n + col] = sum;
}
