/*
 * B[n,m] = A[m,n]^T through local memory: a group loads a tile of A along its rows and stores it
 * along the rows of B, so all global accesses are coalesced. The tile is transposed in local
 * memory, where only the banks matter. A warp reads a column of the tile. If rows have TILE = 32
 * elements, its 32 reads are in one bank and are served one after another. With one element of
 * PADDING per row they are in 32 banks.
 *
 * DIAGONAL changes only the order of the groups: neighbours take the tiles of a diagonal, not of a
 * row. The tiles of B for a row of tiles begin a multiple of m elements apart. If m is a power of
 * two, they are on one memory channel of a GPU that does not hash addresses.
 *
 * Block: TILE x BLOCK_ROWS work-items, TILE / BLOCK_ROWS elements each. Groups: ceil(m / TILE) *
 * ceil(n / TILE), one-dimensional.
 * Limited by: without padding by local memory, with padding by memory.
 * Book: PMPP 4th ed., 6.1 (corner turning) and 6.2 (channels and banks); 3rd ed., Fig. 5.5.
 */
__kernel __attribute__((reqd_work_group_size(TILE, BLOCK_ROWS, 1))) void transpose_tiled(
	__global const float *restrict A, __global float *restrict B, int m, int n)
{
	__local float tile[TILE][TILE + PADDING] __attribute__((aligned(16)));
	int tx = get_local_id(0);
	int ty = get_local_id(1);
	int group = get_group_id(0);
	int groups_m = (m + TILE - 1) / TILE;
	int groups_n = (n + TILE - 1) / TILE;
	int tile_row = DIAGONAL ? group % groups_m : group / groups_n;
	int tile_col = DIAGONAL ? (group / groups_m + tile_row) % groups_n : group % groups_n;
	int row0 = tile_row * TILE;
	int col0 = tile_col * TILE;
	__global const float *from = A + (size_t)(row0 + ty) * n + col0 + tx;
	__global float *to = B + (size_t)(col0 + ty) * m + row0 + tx;

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		tile[ty + j][tx] = row0 + ty + j < m && col0 + tx < n ? from[(size_t)j * n] : 0.0f;
	barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (col0 + ty + j < n && row0 + tx < m)
			to[(size_t)j * m] = tile[tx][ty + j];
}
