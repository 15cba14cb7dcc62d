/*
 * Softmax of rows in three passes: the first finds the maximum. y = exp(x - max) / sum of exp(x -
 * max) has the same value, but no argument of exp is above 0: nothing overflows, and the sum is at
 * least 1. Each block has one row.
 *
 * The search begins with the lowest finite number, not -inf, so that exp(-inf - max) is 0 and never
 * NaN.
 *
 * Block: BLOCK threads, a power of two. Groups: one per row.
 * Limited by: memory: a row is read three times and written once; the part that reaches DRAM
 * depends on the number of rows that fit the caches at a time.
 * Book: not in PMPP; the reductions are those of chapter 10.
 */

#define LOWEST (-3.402823466e38f)

/* The maximum over the block. */
static __device__ float block_max(float value, float *parts, int lane)
{
	parts[lane] = value;
	__syncthreads();
	for (int step = BLOCK / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[lane] = fmaxf(parts[lane], parts[lane + step]);
		__syncthreads();
	}
	return parts[0];
}

/* The sum over the block, always in the same order. */
static __device__ float block_sum(float value, float *parts, int lane)
{
	parts[lane] = value;
	__syncthreads();
	for (int step = BLOCK / 2; step > 0; step /= 2) {
		if (lane < step)
			parts[lane] += parts[lane + step];
		__syncthreads();
	}
	return parts[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK) softmax_safe(
	const float *__restrict__ A, float *__restrict__ B, int columns)
{
	__shared__ __align__(16) float maxima[BLOCK];
	__shared__ __align__(16) float sums[BLOCK];
	int lane = threadIdx.x;
	size_t first = (size_t)blockIdx.x * columns;
	const float *x = A + first;
	float *y = B + first;
	float largest = LOWEST;
	float sum = 0.0f;

	for (int c = lane; c < columns; c += BLOCK)
		largest = fmaxf(largest, x[c]);
	largest = block_max(largest, maxima, lane);

	for (int c = lane; c < columns; c += BLOCK)
		sum += expf(x[c] - largest);
	sum = block_sum(sum, sums, lane);

	float scale = 1.0f / sum;

	for (int c = lane; c < columns; c += BLOCK)
		y[c] = expf(x[c] - largest) * scale;
}
