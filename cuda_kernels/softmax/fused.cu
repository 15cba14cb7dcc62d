/*
 * Softmax of rows, read once and written once: between these a row stays in registers.
 *
 * softmax_fused       rows of up to 16 * BLOCK columns. `lanes` threads, a power of two, share
 *                     a row, each with up to 16 elements; a block has BLOCK / lanes rows.
 * softmax_fused_row   up to 32 * BLOCK_ROW columns: one block per row, up to 32 elements per
 *                     thread. softmax_fused_half_row and softmax_fused_quarter_row do the same
 *                     with half and a quarter of the threads, for rows that fit them: while one
 *                     block waits at its barriers, others of the multiprocessor load and store.
 * softmax_fused_part  longer rows are divided into parts of `part` columns (a multiple of
 *                     16 * BLOCK), one block each, and are read twice: this launch stores the
 *                     maximum and the sum of exp(x - maximum) of each part in `pairs`,
 * softmax_fused_write and this one combines the pairs of its row and writes its part.
 *
 * A thread has SLOTS float4 of a short row or a part, and ROW_SLOTS of a row that fills a block.
 *
 * Block: BLOCK, or up to BLOCK_ROW threads, powers of two. Groups: ceil(rows / (BLOCK / lanes)); rows;
 * rows * parts, twice.
 * Limited by: memory: 8 bytes per element, the minimum (12 beyond 32 * BLOCK_ROW columns).
 * Book: not in PMPP; the reductions are those of chapter 10, the registers those of 6.3.
 */

#include "slots.inc"

#define HALF_ROW (BLOCK_ROW / 2)
#define QUARTER_ROW (BLOCK_ROW / 4)

/* Rows of `count` elements in the lanes of one block; count is 0 if there is no row. */
INLINE void whole_rows(float4 *slot, int slots, const float *x,
	float *y, int count, int vector, float *maxima, float *sums,
	int thread, int lane, int lanes)
{
	float largest, sum;

	load_slots(slot, slots, x, count, vector, lane, lanes);
	largest = group_max(slots_max(slot, slots, LOWEST), maxima, thread, lane, lanes);
	slots_exp(slot, slots, largest);
	sum = group_sum(slots_sum(slot, slots), sums, thread, lane, lanes);
	store_slots(slot, slots, y, count, vector, lane, lanes, 1.0f / sum);
}

extern "C" __global__ void __launch_bounds__(BLOCK) softmax_fused(
	const float *__restrict__ A, float *__restrict__ B, int rows, int columns,
	int lanes)
{
	__shared__ __align__(16) float maxima[BLOCK];
	__shared__ __align__(16) float sums[BLOCK];
	int thread = threadIdx.x;
	size_t group = blockIdx.x;
	int lane = thread & (lanes - 1);
	size_t row = group * (BLOCK / lanes) + thread / lanes;
	int count = row < (size_t)rows ? columns : 0;
	size_t first = count > 0 ? row * columns : 0;
	float4 slot[SLOTS];

	whole_rows(slot, SLOTS, A + first, B + first, count, columns % 4 == 0, maxima, sums, thread,
		lane, lanes);
}

/* The row of a block. */
INLINE void one_row(
	const float *A, float *B, int columns, float *maxima, float *sums, int threads)
{
	size_t first = (size_t)blockIdx.x * columns;
	int thread = threadIdx.x;
	float4 slot[ROW_SLOTS];

	whole_rows(slot, ROW_SLOTS, A + first, B + first, columns, columns % 4 == 0, maxima, sums,
		thread, thread, threads);
}

extern "C" __global__ void __launch_bounds__(BLOCK_ROW) softmax_fused_row(
	const float *__restrict__ A, float *__restrict__ B, int columns)
{
	__shared__ __align__(16) float maxima[BLOCK_ROW];
	__shared__ __align__(16) float sums[BLOCK_ROW];

	one_row(A, B, columns, maxima, sums, BLOCK_ROW);
}

extern "C" __global__ void __launch_bounds__(HALF_ROW) softmax_fused_half_row(
	const float *__restrict__ A, float *__restrict__ B, int columns)
{
	__shared__ __align__(16) float maxima[HALF_ROW];
	__shared__ __align__(16) float sums[HALF_ROW];

	one_row(A, B, columns, maxima, sums, HALF_ROW);
}

extern "C" __global__ void __launch_bounds__(QUARTER_ROW) softmax_fused_quarter_row(
	const float *__restrict__ A, float *__restrict__ B, int columns)
{
	__shared__ __align__(16) float maxima[QUARTER_ROW];
	__shared__ __align__(16) float sums[QUARTER_ROW];

	one_row(A, B, columns, maxima, sums, QUARTER_ROW);
}

extern "C" __global__ void __launch_bounds__(BLOCK) softmax_fused_part(
	const float *__restrict__ A, float *__restrict__ pairs, int columns, int part,
	int parts)
{
	__shared__ __align__(16) float maxima[BLOCK];
	__shared__ __align__(16) float sums[BLOCK];
	int thread = threadIdx.x;
	size_t group = blockIdx.x;
	int begin = (int)(group % parts) * part;
	int end = min(columns - begin, part);
	const float *x = A + group / parts * columns + begin;
	float largest = LOWEST;
	float sum = 0.0f;

	for (int c = 0; c < end; c += 4 * SLOTS * BLOCK) {
		float4 slot[SLOTS];
		float before = largest;

		load_slots(slot, SLOTS, x + c, end - c, columns % 4 == 0, thread, BLOCK);
		largest = slots_max(slot, SLOTS, largest);
		slots_exp(slot, SLOTS, largest);
		sum = fmaf(sum, expf(before - largest), slots_sum(slot, SLOTS));
	}

	float highest = group_max(largest, maxima, thread, thread, BLOCK);

	sum = group_sum(sum * expf(largest - highest), sums, thread, thread, BLOCK);
	if (thread == 0) {
		pairs[2 * group] = highest;
		pairs[2 * group + 1] = sum;
	}
}

extern "C" __global__ void __launch_bounds__(BLOCK) softmax_fused_write(
	const float *__restrict__ A, const float *__restrict__ pairs, float *__restrict__ B,
	int columns, int part, int parts)
{
	__shared__ __align__(16) float maxima[BLOCK];
	__shared__ __align__(16) float sums[BLOCK];
	int thread = threadIdx.x;
	size_t group = blockIdx.x;
	size_t row = group / parts;
	int begin = (int)(group % parts) * part;
	int end = min(columns - begin, part);
	size_t first = row * columns + begin;
	const float *of_row = pairs + 2 * row * parts;
	float largest = LOWEST;
	float sum = 0.0f;

	for (int p = thread; p < parts; p += BLOCK)
		largest = fmaxf(largest, of_row[2 * p]);
	largest = group_max(largest, maxima, thread, thread, BLOCK);
	for (int p = thread; p < parts; p += BLOCK)
		sum = fmaf(of_row[2 * p + 1], expf(of_row[2 * p] - largest), sum);
	sum = group_sum(sum, sums, thread, thread, BLOCK);

	float scale = 1.0f / sum;

	for (int c = 0; c < end; c += 4 * SLOTS * BLOCK) {
		float4 slot[SLOTS];

		load_slots(slot, SLOTS, A + first + c, end - c, columns % 4 == 0, thread, BLOCK);
		slots_exp(slot, SLOTS, largest);
		store_slots(slot, SLOTS, B + first + c, end - c, columns % 4 == 0, thread, BLOCK,
			scale);
	}
}
