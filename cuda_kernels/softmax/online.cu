/*
 * Softmax of rows in two passes: one pass computes maximum and sum. A thread has the largest
 * element so far and the sum of exp(x - largest). A larger element rescales the sum by exp(old -
 * new). Two such pairs are combined in the same way in the reduction over the block. (M. Milakov,
 * N. Gimelshein, Online normalizer calculation for softmax, 2018.)
 *
 * The search begins with the lowest finite number, not -inf: differences of two maxima are never
 * NaN, and exp(-inf - largest) is 0.
 *
 * Block: BLOCK threads, a power of two. Groups: one per row.
 * Limited by: memory: a row is read twice and written once.
 * Book: not in PMPP; the reductions are those of chapter 10.
 */

#define LOWEST (-3.402823466e38f)

extern "C" __global__ void __launch_bounds__(BLOCK) softmax_online(
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

	for (int c = lane; c < columns; c += BLOCK) {
		float difference = x[c] - largest;
		float factor = expf(-fabsf(difference)); /* of the smaller of the two */

		sum = difference > 0.0f ? fmaf(sum, factor, 1.0f) : sum + factor;
		largest = fmaxf(largest, x[c]);
	}

	maxima[lane] = largest;
	sums[lane] = sum;
	__syncthreads();
	for (int step = BLOCK / 2; step > 0; step /= 2) {
		if (lane < step) {
			float difference = maxima[lane + step] - maxima[lane];
			float factor = expf(-fabsf(difference));
			float higher = difference > 0.0f ? sums[lane + step] : sums[lane];
			float lower = difference > 0.0f ? sums[lane] : sums[lane + step];

			sums[lane] = fmaf(lower, factor, higher);
			maxima[lane] = fmaxf(maxima[lane], maxima[lane + step]);
		}
		__syncthreads();
	}
	largest = maxima[0];

	float scale = 1.0f / sums[0];

	for (int c = lane; c < columns; c += BLOCK)
		y[c] = expf(x[c] - largest) * scale;
}
