/*
 * S[r] = sum over c of A[r,c] with A by rows, one thread per row, through shared memory: a block
 * loads a tile of BLOCK rows along the rows (neighbouring threads read neighbouring elements). Then
 * each thread adds its row of the tile, without strided accesses to global memory.
 *
 * The banks remain: rows of TILE = 32 elements begin in one bank, and a warp's 32 reads are served
 * one after another. With one element of PADDING they begin in 32 different banks.
 *
 * Block: BLOCK threads, a multiple of TILE. Grid: ceil(rows / BLOCK).
 * Limited by: without padding by shared memory, with padding by memory.
 * Book: PMPP 3rd ed., Fig. 5.5; 4th ed., 6.1, Fig. 6.4.
 */
#define ROWS_AT_ONCE (BLOCK / TILE)

extern "C" __global__ void __launch_bounds__(BLOCK) traverse_corner_turned(
	const float *__restrict__ A, float *__restrict__ S, int rows, int columns)
{
	__shared__ __align__(16) float tile[BLOCK][TILE + PADDING];
	int thread = threadIdx.x;
	int row0 = blockIdx.x * BLOCK;
	int x = thread % TILE;
	int y = thread / TILE;
	const float *from = A + (size_t)(row0 + y) * columns + x;
	float sum = 0.0f;

	for (int c0 = 0; c0 < columns; c0 += TILE) {
		const float *line = from + c0;
		float part[TILE];

		/* All loads of a tile are in flight before the first store. Missing elements are
		 * zero, which does not change a sum. */
#pragma unroll
		for (int i = 0; i < TILE; i++) {
			bool there = row0 + i * ROWS_AT_ONCE + y < rows && c0 + x < columns;

			part[i] = there ? *line : 0.0f;
			line += (size_t)ROWS_AT_ONCE * columns;
		}
#pragma unroll
		for (int i = 0; i < TILE; i++)
			tile[i * ROWS_AT_ONCE + y][x] = part[i];
		__syncthreads();

#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += tile[thread][i];
		__syncthreads();
	}
	if (row0 + thread < rows)
		S[row0 + thread] = sum;
}
