/*
 * Softmax of rows in three passes: the first finds the maximum. y = exp(x - max) / sum of exp(x -
 * max) has the same value, but no argument of exp is above 0: nothing overflows, and the sum is at
 * least 1. Each block has one row.
 *
 * The search begins with the lowest finite number, not -inf, so that exp(-inf - max) is 0 and never
 * NaN.
 *
 * Block: BLOCK work-items, a power of two. Groups: one per row.
 * Limited by: memory: a row is read three times and written once; the part that reaches DRAM
 * depends on the number of rows that fit the caches at a time.
 * Book: not in PMPP; the reductions are those of chapter 10.
 */

#define LOWEST (-3.402823466e38f)

/* The maximum over the block. */
static float block_max(float value, __local float *parts, int lane)
{
	parts[lane] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = BLOCK / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[lane] = fmax(parts[lane], parts[lane + step]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	return parts[0];
}

/* The sum over the block, always in the same order. */
static float block_sum(float value, __local float *parts, int lane)
{
	parts[lane] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = BLOCK / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[lane] += parts[lane + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	return parts[0];
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void softmax_safe(
	__global const float *restrict A, __global float *restrict B, int columns)
{
	__local float maxima[BLOCK] __attribute__((aligned(16)));
	__local float sums[BLOCK] __attribute__((aligned(16)));
	int lane = get_local_id(0);
	size_t first = (size_t)get_group_id(0) * columns;
	__global const float *x = A + first;
	__global float *y = B + first;
	float largest = LOWEST;
	float sum = 0.0f;

	for (int c = lane; c < columns; c += BLOCK)
		largest = fmax(largest, x[c]);
	largest = block_max(largest, maxima, lane);

	for (int c = lane; c < columns; c += BLOCK)
		sum += exp(x[c] - largest);
	sum = block_sum(sum, sums, lane);

	float scale = 1.0f / sum;

	for (int c = lane; c < columns; c += BLOCK)
		y[c] = exp(x[c] - largest) * scale;
}
