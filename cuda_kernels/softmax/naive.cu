/*
 * Softmax of rows by its definition, y = exp(x) / sum of exp(x): each block has one row. Its
 * threads go through the columns, add in shared memory, and read the row again for the result.
 * exp(x) overflows beyond x = 88, and the sum is zero if all elements of a row are below -104.
 *
 * Block: BLOCK threads, a power of two. Groups: one per row.
 * Limited by: memory: a row is read twice and written once.
 * Book: not in PMPP; the reductions are those of chapter 10.
 */

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

extern "C" __global__ void __launch_bounds__(BLOCK) softmax_naive(
	const float *__restrict__ A, float *__restrict__ B, int columns)
{
	__shared__ __align__(16) float sums[BLOCK];
	int lane = threadIdx.x;
	size_t first = (size_t)blockIdx.x * columns;
	const float *x = A + first;
	float *y = B + first;
	float sum = 0.0f;

	for (int c = lane; c < columns; c += BLOCK)
		sum += expf(x[c]);
	sum = block_sum(sum, sums, lane);

	float scale = 1.0f / sum;

	for (int c = lane; c < columns; c += BLOCK)
		y[c] = expf(x[c]) * scale;
}
