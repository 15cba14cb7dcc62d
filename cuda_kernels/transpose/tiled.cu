/*
 * B[n,m] = A[m,n]^T through shared memory: a block loads a tile of A along its rows and stores it
 * along the rows of B, so that both sides are coalesced; the corner is turned in shared memory,
 * where it is the banks that count. A tile is read by column: with rows of TILE = 32 elements a
 * warp's 32 reads meet in one bank and take turns; one element of PADDING more a row, and they lie
 * in 32 banks.
 *
 * DIAGONAL changes the order of the blocks only: neighbours work down a diagonal of tiles, not
 * along a row of them, whose tiles of B all begin a multiple of m elements apart and so, where m is
 * a power of two, on the same memory channel of a GPU that does not hash addresses.
 *
 * Block: TILE x BLOCK_ROWS threads, TILE / BLOCK_ROWS elements each. Grid: ceil(m / TILE) * ceil(n
 * / TILE), one-dimensional.
 * Limited by: without padding by shared memory, with it by memory.
 * Book: PMPP 4th ed., 6.1 (corner turning) and 6.2 (channels and banks); 3rd ed., Fig. 5.5.
 */
extern "C" __global__ void __launch_bounds__(TILE *BLOCK_ROWS)
	transpose_tiled(const float *__restrict__ A, float *__restrict__ B, int m, int n)
{
	__shared__ __align__(16) float tile[TILE][TILE + PADDING];
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int group = blockIdx.x;
	int groups_m = (m + TILE - 1) / TILE;
	int groups_n = (n + TILE - 1) / TILE;
	int tile_row = DIAGONAL ? group % groups_m : group / groups_n;
	int tile_col = DIAGONAL ? (group / groups_m + tile_row) % groups_n : group % groups_n;
	int row0 = tile_row * TILE;
	int col0 = tile_col * TILE;
	const float *from = A + (size_t)(row0 + ty) * n + col0 + tx;
	float *to = B + (size_t)(col0 + ty) * m + row0 + tx;

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		tile[ty + j][tx] = row0 + ty + j < m && col0 + tx < n ? from[(size_t)j * n] : 0.0f;
	__syncthreads();

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (col0 + ty + j < n && row0 + tx < m)
			to[(size_t)j * m] = tile[tx][ty + j];
}
