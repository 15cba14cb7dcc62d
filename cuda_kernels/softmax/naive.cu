/*
 * Softmax of rows, y = exp(x) / sum of exp(x), as it is written: a block takes a row, its
 * threads stride over the columns, add up in shared memory and read the row again to write it.
 * exp(x) overflows beyond x = 88, and a row whose elements all lie below -104 has a sum of zero.
 *
 * Block: BLOCK threads, a power of two. Groups: a row each.
 * Limited by: memory: a row is read twice and written once.
 * Book: not in PMPP; the reductions are those of chapter 10.
 */

/* The sum over the block, in the same order always. */
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
