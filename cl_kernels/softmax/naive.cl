/*
 * Softmax of rows by its definition, y = exp(x) / sum of exp(x): each block has one row. Its
 * work-items go through the columns, add in local memory, and read the row again for the result.
 * exp(x) overflows beyond x = 88, and the sum is zero if all elements of a row are below -104.
 *
 * Block: BLOCK work-items, a power of two. Groups: one per row.
 * Limited by: memory: a row is read twice and written once.
 * Book: not in PMPP; the reductions are those of chapter 10.
 */

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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void softmax_naive(
	__global const float *restrict A, __global float *restrict B, int columns)
{
	__local float sums[BLOCK] __attribute__((aligned(16)));
	int lane = get_local_id(0);
	size_t first = (size_t)get_group_id(0) * columns;
	__global const float *x = A + first;
	__global float *y = B + first;
	float sum = 0.0f;

	for (int c = lane; c < columns; c += BLOCK)
		sum += exp(x[c]);
	sum = block_sum(sum, sums, lane);

	float scale = 1.0f / sum;

	for (int c = lane; c < columns; c += BLOCK)
		y[c] = exp(x[c]) * scale;
}
