/*
 * S[r] = sum over c of A[r,c], one work-item per row, from left to right. The two kernels differ in
 * the layout of A. By columns (element [r][c] at c*rows + r), the work-items of a warp read
 * neighbouring elements at each step: coalesced. By rows (at r*columns + c), they read elements
 * that are a row apart: 4 bytes of each 32-byte sector are used, unless a cache keeps the sector
 * for the next steps.
 *
 * Each work-item loads FLIGHT elements before it adds any: it waits for memory once for all of
 * them.
 *
 * Block: BLOCK work-items. Groups: ceil(rows / BLOCK).
 * Limited by: by columns: memory; by rows: the number of sectors per request.
 * Book: PMPP 3rd ed., Fig. 5.2 to 5.4; 4th ed., 6.1.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void traverse_column_walk(
	__global const float *restrict A, __global float *restrict S, int rows, int columns)
{
	int row = (int)(get_group_id(0) * BLOCK + get_local_id(0));
	__global const float *from = A + row;
	float sum = 0.0f;
	int c = 0;

	if (row >= rows)
		return;
	for (; c + FLIGHT <= columns; c += FLIGHT) {
		float part[FLIGHT];

#pragma unroll
		for (int i = 0; i < FLIGHT; i++)
			part[i] = from[(size_t)i * rows];
#pragma unroll
		for (int i = 0; i < FLIGHT; i++)
			sum += part[i];
		from += (size_t)FLIGHT * rows;
	}
	for (; c < columns; c++, from += rows)
		sum += from[0];
	S[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void traverse_row_walk(
	__global const float *restrict A, __global float *restrict S, int rows, int columns)
{
	int row = (int)(get_group_id(0) * BLOCK + get_local_id(0));
	__global const float *from = A + (size_t)row * columns;
	float sum = 0.0f;
	int c = 0;

	if (row >= rows)
		return;
	for (; c + FLIGHT <= columns; c += FLIGHT) {
		float part[FLIGHT];

#pragma unroll
		for (int i = 0; i < FLIGHT; i++)
			part[i] = from[c + i];
#pragma unroll
		for (int i = 0; i < FLIGHT; i++)
			sum += part[i];
	}
	for (; c < columns; c++)
		sum += from[c];
	S[row] = sum;
}
