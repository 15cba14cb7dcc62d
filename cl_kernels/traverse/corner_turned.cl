/*
 * S[r] = sum over c of A[r,c] with A by rows, one work-item per row, through local memory: a
 * group loads a tile of BLOCK rows along the rows (neighbouring work-items read neighbouring
 * elements). Then each work-item adds its row of the tile, without strided accesses to global
 * memory.
 *
 * The banks remain: rows of TILE = 32 elements begin in one bank, and a warp's 32 reads are served
 * one after another. With one element of PADDING they begin in 32 different banks.
 *
 * Block: BLOCK work-items, a multiple of TILE. Groups: ceil(rows / BLOCK).
 * Limited by: without padding by local memory, with padding by memory.
 * Book: PMPP 3rd ed., Fig. 5.5; 4th ed., 6.1, Fig. 6.4.
 */
#define ROWS_AT_ONCE (BLOCK / TILE)

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void traverse_corner_turned(
	__global const float *restrict A, __global float *restrict S, int rows, int columns)
{
	__local float tile[BLOCK][TILE + PADDING] __attribute__((aligned(16)));
	int thread = get_local_id(0);
	int row0 = (int)get_group_id(0) * BLOCK;
	int x = thread % TILE;
	int y = thread / TILE;
	__global const float *from = A + (size_t)(row0 + y) * columns + x;
	float sum = 0.0f;

	for (int c0 = 0; c0 < columns; c0 += TILE) {
		__global const float *line = from + c0;
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
		barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += tile[thread][i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (row0 + thread < rows)
		S[row0 + thread] = sum;
}
