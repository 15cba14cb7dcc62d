/*
 * Softmax of rows, read once and written once: between these a row stays in registers.
 *
 * softmax_fused       rows of up to 16 * BLOCK columns. `lanes` work-items, a power of two, share
 *                     a row, each with up to 16 elements; a block has BLOCK / lanes rows.
 * softmax_fused_row   up to 32 * BLOCK_ROW columns: one block per row, up to 32 elements per
 *                     work-item. softmax_fused_half_row and softmax_fused_quarter_row do the same
 *                     with half and a quarter of the work-items, for rows that fit them: while one
 *                     block waits at its barriers, others of the compute unit load and store.
 * softmax_fused_part  longer rows are divided into parts of `part` columns (a multiple of
 *                     16 * BLOCK), one block each, and are read twice: this launch stores the
 *                     maximum and the sum of exp(x - maximum) of each part in `pairs`,
 * softmax_fused_write and this one combines the pairs of its row and writes its part.
 *
 * Elements are loaded 16 bytes at a time if rows begin on 16-byte boundaries. Elements beyond the
 * row are -inf, whose exp is 0. The search for the maximum begins with the lowest finite number, so
 * that differences are never NaN.
 *
 * A work-item has SLOTS float4 of a short row or a part, and ROW_SLOTS of a row that fills a block.
 *
 * Block: BLOCK, or up to BLOCK_ROW work-items, powers of two. Groups: ceil(rows / (BLOCK / lanes)); rows;
 * rows * parts, twice.
 * Limited by: memory: 8 bytes per element, the minimum (12 beyond 32 * BLOCK_ROW columns).
 * Book: not in PMPP; the reductions are those of chapter 10, the registers those of 6.3.
 */

#define HALF_ROW (BLOCK_ROW / 2)
#define QUARTER_ROW (BLOCK_ROW / 4)
#define LOWEST (-3.402823466e38f)
#define ABSENT (-INFINITY)
#define INLINE static inline __attribute__((always_inline))

/* Slot i of a work-item: four elements. They are neighbours if 16-byte accesses are possible, else
 * `lanes` apart. In both cases neighbouring work-items access neighbouring addresses. */
#define VECTOR_COLUMN(i, lane, lanes) (((i) * (lanes) + (lane)) * 4)
#define SCALAR_COLUMN(i, c, lane, lanes) (((i) * 4 + (c)) * (lanes) + (lane))

/* The largest of each group of lanes. */
static float group_max(float value, __local float *parts, int thread, int lane, int lanes)
{
	parts[thread] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = lanes / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[thread] = fmax(parts[thread], parts[thread + step]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	return parts[thread - lane];
}

static float group_sum(float value, __local float *parts, int thread, int lane, int lanes)
{
	parts[thread] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = lanes / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[thread] += parts[thread + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	return parts[thread - lane];
}

/* The first `count` elements at x, spread over the lanes. */
INLINE void load_slots(
	float4 *slot, int slots, __global const float *x, int count, int vector, int lane,
	int lanes)
{
	if (vector) {
#pragma unroll
		for (int i = 0; i < slots; i++)
			slot[i] = VECTOR_COLUMN(i, lane, lanes) < count
					  ? *(__global const float4 *)(x + VECTOR_COLUMN(i, lane, lanes))
					  : (float4)(ABSENT, ABSENT, ABSENT, ABSENT);
	} else {
#pragma unroll
		for (int i = 0; i < slots; i++) {
			slot[i].x = SCALAR_COLUMN(i, 0, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 0, lane, lanes)]
					    : ABSENT;
			slot[i].y = SCALAR_COLUMN(i, 1, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 1, lane, lanes)]
					    : ABSENT;
			slot[i].z = SCALAR_COLUMN(i, 2, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 2, lane, lanes)]
					    : ABSENT;
			slot[i].w = SCALAR_COLUMN(i, 3, lane, lanes) < count
					    ? x[SCALAR_COLUMN(i, 3, lane, lanes)]
					    : ABSENT;
		}
	}
}

/* Stores the slots in the same layout, each element times scale. */
INLINE void store_slots(const float4 *slot, int slots, __global float *y,
	int count, int vector, int lane, int lanes, float scale)
{
	if (vector) {
#pragma unroll
		for (int i = 0; i < slots; i++)
			if (VECTOR_COLUMN(i, lane, lanes) < count)
				*(__global float4 *)(y + VECTOR_COLUMN(i, lane, lanes)) =
					(float4)(slot[i].x * scale, slot[i].y * scale,
						slot[i].z * scale, slot[i].w * scale);
	} else {
#pragma unroll
		for (int i = 0; i < slots; i++) {
			if (SCALAR_COLUMN(i, 0, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 0, lane, lanes)] = slot[i].x * scale;
			if (SCALAR_COLUMN(i, 1, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 1, lane, lanes)] = slot[i].y * scale;
			if (SCALAR_COLUMN(i, 2, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 2, lane, lanes)] = slot[i].z * scale;
			if (SCALAR_COLUMN(i, 3, lane, lanes) < count)
				y[SCALAR_COLUMN(i, 3, lane, lanes)] = slot[i].w * scale;
		}
	}
}

INLINE float slots_max(const float4 *slot, int slots, float largest)
{
#pragma unroll
	for (int i = 0; i < slots; i++)
		largest = fmax(largest,
			fmax(fmax(slot[i].x, slot[i].y), fmax(slot[i].z, slot[i].w)));
	return largest;
}

/* Replaces each x by exp(x - largest). */
INLINE void slots_exp(float4 *slot, int slots, float largest)
{
#pragma unroll
	for (int i = 0; i < slots; i++)
		slot[i] = (float4)(exp(slot[i].x - largest), exp(slot[i].y - largest),
			exp(slot[i].z - largest), exp(slot[i].w - largest));
}

INLINE float slots_sum(const float4 *slot, int slots)
{
	float sum = 0.0f;

#pragma unroll
	for (int i = 0; i < slots; i++)
		sum += slot[i].x + slot[i].y + (slot[i].z + slot[i].w);
	return sum;
}

/* Rows of `count` elements in the lanes of one block; count is 0 if there is no row. */
INLINE void whole_rows(float4 *slot, int slots, __global const float *x,
	__global float *y, int count, int vector, __local float *maxima, __local float *sums,
	int thread, int lane, int lanes)
{
	float largest, sum;

	load_slots(slot, slots, x, count, vector, lane, lanes);
	largest = group_max(slots_max(slot, slots, LOWEST), maxima, thread, lane, lanes);
	slots_exp(slot, slots, largest);
	sum = group_sum(slots_sum(slot, slots), sums, thread, lane, lanes);
	store_slots(slot, slots, y, count, vector, lane, lanes, 1.0f / sum);
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void softmax_fused(
	__global const float *restrict A, __global float *restrict B, int rows, int columns,
	int lanes)
{
	__local float maxima[BLOCK] __attribute__((aligned(16)));
	__local float sums[BLOCK] __attribute__((aligned(16)));
	int thread = get_local_id(0);
	size_t group = get_group_id(0);
	int lane = thread & (lanes - 1);
	size_t row = group * (BLOCK / lanes) + thread / lanes;
	int count = row < (size_t)rows ? columns : 0;
	size_t first = count > 0 ? row * columns : 0;
	float4 slot[SLOTS];

	whole_rows(slot, SLOTS, A + first, B + first, count, columns % 4 == 0, maxima, sums, thread,
		lane, lanes);
}

/* The row of a group. */
INLINE void one_row(__global const float *A, __global float *B, int columns, __local float *maxima,
	__local float *sums, int threads)
{
	size_t first = get_group_id(0) * columns;
	int thread = get_local_id(0);
	float4 slot[ROW_SLOTS];

	whole_rows(slot, ROW_SLOTS, A + first, B + first, columns, columns % 4 == 0, maxima, sums,
		thread, thread, threads);
}

__kernel __attribute__((reqd_work_group_size(BLOCK_ROW, 1, 1))) void softmax_fused_row(
	__global const float *restrict A, __global float *restrict B, int columns)
{
	__local float maxima[BLOCK_ROW] __attribute__((aligned(16)));
	__local float sums[BLOCK_ROW] __attribute__((aligned(16)));

	one_row(A, B, columns, maxima, sums, BLOCK_ROW);
}

__kernel __attribute__((reqd_work_group_size(HALF_ROW, 1, 1))) void softmax_fused_half_row(
	__global const float *restrict A, __global float *restrict B, int columns)
{
	__local float maxima[HALF_ROW] __attribute__((aligned(16)));
	__local float sums[HALF_ROW] __attribute__((aligned(16)));

	one_row(A, B, columns, maxima, sums, HALF_ROW);
}

__kernel __attribute__((reqd_work_group_size(QUARTER_ROW, 1, 1))) void softmax_fused_quarter_row(
	__global const float *restrict A, __global float *restrict B, int columns)
{
	__local float maxima[QUARTER_ROW] __attribute__((aligned(16)));
	__local float sums[QUARTER_ROW] __attribute__((aligned(16)));

	one_row(A, B, columns, maxima, sums, QUARTER_ROW);
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void softmax_fused_part(
	__global const float *restrict A, __global float *restrict pairs, int columns, int part,
	int parts)
{
	__local float maxima[BLOCK] __attribute__((aligned(16)));
	__local float sums[BLOCK] __attribute__((aligned(16)));
	int thread = get_local_id(0);
	size_t group = get_group_id(0);
	int begin = (int)(group % parts) * part;
	int end = min(columns - begin, part);
	__global const float *x = A + group / parts * columns + begin;
	float largest = LOWEST;
	float sum = 0.0f;

	for (int c = 0; c < end; c += 4 * SLOTS * BLOCK) {
		float4 slot[SLOTS];
		float before = largest;

		load_slots(slot, SLOTS, x + c, end - c, columns % 4 == 0, thread, BLOCK);
		largest = slots_max(slot, SLOTS, largest);
		slots_exp(slot, SLOTS, largest);
		sum = fma(sum, exp(before - largest), slots_sum(slot, SLOTS));
	}

	float highest = group_max(largest, maxima, thread, thread, BLOCK);

	sum = group_sum(sum * exp(largest - highest), sums, thread, thread, BLOCK);
	if (thread == 0) {
		pairs[2 * group] = highest;
		pairs[2 * group + 1] = sum;
	}
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void softmax_fused_write(
	__global const float *restrict A, __global const float *restrict pairs,
	__global float *restrict B, int columns, int part, int parts)
{
	__local float maxima[BLOCK] __attribute__((aligned(16)));
	__local float sums[BLOCK] __attribute__((aligned(16)));
	int thread = get_local_id(0);
	size_t group = get_group_id(0);
	size_t row = group / parts;
	int begin = (int)(group % parts) * part;
	int end = min(columns - begin, part);
	size_t first = row * columns + begin;
	__global const float *of_row = pairs + 2 * row * parts;
	float largest = LOWEST;
	float sum = 0.0f;

	for (int p = thread; p < parts; p += BLOCK)
		largest = fmax(largest, of_row[2 * p]);
	largest = group_max(largest, maxima, thread, thread, BLOCK);
	for (int p = thread; p < parts; p += BLOCK)
		sum = fma(of_row[2 * p + 1], exp(of_row[2 * p] - largest), sum);
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
