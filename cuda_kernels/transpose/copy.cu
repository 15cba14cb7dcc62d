/*
 * The upper limit of a transpose: the same bytes in the same order of tiles, without a transpose.
 * Here B[n,m] is stored by columns, which is A by rows, byte for byte: the host reads a transpose,
 * the device copies. If the layout of the result is free, a transpose costs no more than this copy.
 * The other variants pay for the change of layout.
 *
 * Block: TILE x BLOCK_ROWS threads, TILE / BLOCK_ROWS elements each. Grid: ceil(m / TILE) * ceil(n
 * / TILE), one-dimensional.
 * Limited by: memory: every load and store is coalesced.
 * Book: PMPP 4th ed., 6.1: choose the layout if it is free.
 */
extern "C" __global__ void __launch_bounds__(TILE *BLOCK_ROWS)
	transpose_copy(const float *__restrict__ A, float *__restrict__ B, int m, int n)
{
	int group = blockIdx.x;
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + threadIdx.y;
	int col = group % groups_n * TILE + threadIdx.x;
	const float *from = A + (size_t)row * n + col;
	float *to = B + (size_t)row * n + col;
	float part[TILE / BLOCK_ROWS];

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		part[j / BLOCK_ROWS] = row + j < m && col < n ? from[(size_t)j * n] : 0.0f;
#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (row + j < m && col < n)
			to[(size_t)j * n] = part[j / BLOCK_ROWS];
}
