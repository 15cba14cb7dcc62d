/*
 * B[n,m] = A[m,n]^T without local memory: the accesses to one matrix are coalesced, those to the
 * other are not. Either local id 0 goes along a row of A, and a warp's stores are m elements apart;
 * or it goes along a row of B, and its loads are n elements apart. The order of the tiles is that
 * of the other variants; only the order of the work-items differs.
 *
 * Block: TILE x BLOCK_ROWS work-items, TILE / BLOCK_ROWS elements each. Groups: ceil(m / TILE) *
 * ceil(n / TILE), one-dimensional.
 * Limited by: the strided accesses: 32 sectors per request instead of 4. The caches join the
 * accesses of a group to one sector; without them it would be eight times slower.
 * Book: PMPP 4th ed., 6.1; 3rd ed., Fig. 5.3 (coalesced) and 5.4 (not).
 */
__kernel __attribute__((reqd_work_group_size(TILE, BLOCK_ROWS, 1))) void transpose_strided_store(
	__global const float *restrict A, __global float *restrict B, int m, int n)
{
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + ty;
	int col = group % groups_n * TILE + tx;
	__global const float *from = A + (size_t)row * n + col;
	__global float *to = B + (size_t)col * m + row;
	float part[TILE / BLOCK_ROWS];

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		part[j / BLOCK_ROWS] = row + j < m && col < n ? from[(size_t)j * n] : 0.0f;
#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (row + j < m && col < n)
			to[j] = part[j / BLOCK_ROWS];
}

__kernel __attribute__((reqd_work_group_size(TILE, BLOCK_ROWS, 1))) void transpose_strided_load(
	__global const float *restrict A, __global float *restrict B, int m, int n)
{
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + tx;
	int col = group % groups_n * TILE + ty;
	__global const float *from = A + (size_t)row * n + col;
	__global float *to = B + (size_t)col * m + row;
	float part[TILE / BLOCK_ROWS];

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		part[j / BLOCK_ROWS] = row < m && col + j < n ? from[j] : 0.0f;
#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (row < m && col + j < n)
			to[(size_t)j * m] = part[j / BLOCK_ROWS];
}
