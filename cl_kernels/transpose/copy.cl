/*
 * The upper limit of a transpose: the same bytes in the same order of tiles, without a transpose.
 * Here B[n,m] is stored by columns, which is A by rows, byte for byte: the host reads a transpose,
 * the device copies. If the layout of the result is free, a transpose costs no more than this copy.
 * The other variants pay for the change of layout.
 *
 * Block: TILE x BLOCK_ROWS work-items, TILE / BLOCK_ROWS elements each. Groups: ceil(m / TILE) *
 * ceil(n / TILE), one-dimensional.
 * Limited by: memory: every load and store is coalesced.
 * Book: PMPP 4th ed., 6.1: choose the layout if it is free.
 */
__kernel __attribute__((reqd_work_group_size(TILE, BLOCK_ROWS, 1))) void transpose_copy(
	__global const float *restrict A, __global float *restrict B, int m, int n)
{
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + ty;
	int col = group % groups_n * TILE + tx;
	__global const float *from = A + (size_t)row * n + col;
	__global float *to = B + (size_t)row * n + col;
	float part[TILE / BLOCK_ROWS];

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		part[j / BLOCK_ROWS] = row + j < m && col < n ? from[(size_t)j * n] : 0.0f;
#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (row + j < m && col < n)
			to[(size_t)j * n] = part[j / BLOCK_ROWS];
}
