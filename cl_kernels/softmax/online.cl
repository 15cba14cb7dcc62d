/*
 * Softmax of rows in two passes: one pass computes maximum and sum. A work-item has the largest
 * element so far and the sum of exp(x - largest). A larger element rescales the sum by exp(old -
 * new). Two such pairs are combined in the same way in the reduction over the block. (M. Milakov,
 * N. Gimelshein, Online normalizer calculation for softmax, 2018.)
 *
 * The search begins with the lowest finite number, not -inf: differences of two maxima are never
 * NaN, and exp(-inf - largest) is 0.
 *
 * Block: BLOCK work-items, a power of two. Groups: one per row.
 * Limited by: memory: a row is read twice and written once.
 * Book: not in PMPP; the reductions are those of chapter 10.
 */

#define LOWEST (-3.402823466e38f)

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void softmax_online(
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

	for (int c = lane; c < columns; c += BLOCK) {
		float difference = x[c] - largest;
		float factor = exp(-fabs(difference)); /* of the smaller of the two */

		sum = difference > 0.0f ? fma(sum, factor, 1.0f) : sum + factor;
		largest = fmax(largest, x[c]);
	}

	maxima[lane] = largest;
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = BLOCK / 2; step > 0; step /= 2) {
		if (lane < step) {
			float difference = maxima[lane + step] - maxima[lane];
			float factor = exp(-fabs(difference));
			float higher = difference > 0.0f ? sums[lane + step] : sums[lane];
			float lower = difference > 0.0f ? sums[lane] : sums[lane + step];

			sums[lane] = fma(lower, factor, higher);
			maxima[lane] = fmax(maxima[lane], maxima[lane + step]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	largest = maxima[0];

	float scale = 1.0f / sums[0];

	for (int c = lane; c < columns; c += BLOCK)
		y[c] = exp(x[c] - largest) * scale;
}
