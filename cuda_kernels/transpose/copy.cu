/*
 * The ceiling of a transpose: the same bytes, the same walk over tiles, nothing turned. B[n,m] lies
 * by columns here, which is A by rows byte for byte: the host sees the transpose, the device
 * copies. A transpose whose result may lie as it likes costs no more than this; the rungs above pay
 * for turning.
 *
 * Block: TILE x BLOCK_ROWS threads, TILE / BLOCK_ROWS elements each. Grid: ceil(m / TILE) * ceil(n
 * / TILE), one-dimensional.
 * Limited by: memory: every load and store is coalesced.
 * Book: PMPP 4th ed., 6.1: where the layout can be chosen, choose it.
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
