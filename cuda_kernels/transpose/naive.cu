/*
 * B[n,m] = A[m,n]^T straight from memory to memory: one side is coalesced, the other cannot be.
 * Either threadIdx.x walks along a row of A, and a warp's stores are m elements apart; or it walks
 * along a row of B, and its loads are n elements apart. The walk over tiles is that of the other
 * rungs, so that only the order of the threads differs.
 *
 * Block: TILE x BLOCK_ROWS threads, TILE / BLOCK_ROWS elements each. Grid: ceil(m / TILE) * ceil(n
 * / TILE), one-dimensional.
 * Limited by: the strided side: 32 sectors a request instead of 4. The caches gather what the rows
 * of a block touch of one sector, which is what keeps it from being eight times slower.
 * Book: PMPP 4th ed., 6.1; 3rd ed., Fig. 5.3 (coalesced) and 5.4 (not).
 */
extern "C" __global__ void __launch_bounds__(TILE *BLOCK_ROWS)
	transpose_strided_store(const float *__restrict__ A, float *__restrict__ B, int m, int n)
{
	int group = blockIdx.x;
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + threadIdx.y;
	int col = group % groups_n * TILE + threadIdx.x;
	const float *from = A + (size_t)row * n + col;
	float *to = B + (size_t)col * m + row;
	float part[TILE / BLOCK_ROWS];

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		part[j / BLOCK_ROWS] = row + j < m && col < n ? from[(size_t)j * n] : 0.0f;
#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (row + j < m && col < n)
			to[j] = part[j / BLOCK_ROWS];
}

extern "C" __global__ void __launch_bounds__(TILE *BLOCK_ROWS)
	transpose_strided_load(const float *__restrict__ A, float *__restrict__ B, int m, int n)
{
	int group = blockIdx.x;
	int groups_n = (n + TILE - 1) / TILE;
	int row = group / groups_n * TILE + threadIdx.x;
	int col = group % groups_n * TILE + threadIdx.y;
	const float *from = A + (size_t)row * n + col;
	float *to = B + (size_t)col * m + row;
	float part[TILE / BLOCK_ROWS];

#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		part[j / BLOCK_ROWS] = row < m && col + j < n ? from[j] : 0.0f;
#pragma unroll
	for (int j = 0; j < TILE; j += BLOCK_ROWS)
		if (row < m && col + j < n)
			to[(size_t)j * m] = part[j / BLOCK_ROWS];
}
