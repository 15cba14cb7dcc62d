/*
 * S[r] = sum over c of A[r,c], a thread a row, each adding its row from left to right. What differs
 * is where A lies. By columns (element [r][c] at c*rows + r), and at every step the threads of a
 * warp read neighbours: coalesced. By rows (at r*columns + c), and they read elements that lie a
 * whole row apart: a sector of 32 bytes for every 4 that are used, unless the cache keeps it for
 * the next steps.
 *
 * FLIGHT elements are loaded before any is added: a thread waits for memory once for all of them.
 *
 * Block: BLOCK threads. Grid: ceil(rows / BLOCK).
 * Limited by: by columns by memory; by rows by the sectors a request takes apart.
 * Book: PMPP 3rd ed., Fig. 5.2 to 5.4; 4th ed., 6.1.
 */
extern "C" __global__ void __launch_bounds__(BLOCK) traverse_column_walk(
	const float *__restrict__ A, float *__restrict__ S, int rows, int columns)
{
	int row = blockIdx.x * BLOCK + threadIdx.x;
	const float *from = A + row;
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

extern "C" __global__ void __launch_bounds__(BLOCK) traverse_row_walk(
	const float *__restrict__ A, float *__restrict__ S, int rows, int columns)
{
	int row = blockIdx.x * BLOCK + threadIdx.x;
	const float *from = A + (size_t)row * columns;
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
