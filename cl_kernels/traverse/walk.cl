/*
 * S[r] = sum over c of A[r,c], a work-item a row, each adding its row from left to right. What
 * differs is where A lies. By columns (element [r][c] at c*rows + r), and at every step the
 * work-items side by side read neighbours: coalesced. By rows (at r*columns + c), and they read
 * elements that lie a whole row apart: a sector of 32 bytes for every 4 that are used, unless the
 * cache keeps it for the next steps.
 *
 * FLIGHT elements are loaded before any is added: a work-item waits for memory once for all of
 * them.
 *
 * Block: BLOCK work-items. Groups: ceil(rows / BLOCK).
 * Limited by: by columns by memory; by rows by the sectors a request takes apart.
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
