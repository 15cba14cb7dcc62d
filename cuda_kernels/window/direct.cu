/*
 * Sliding sum, one output per thread, all terms read from global memory. Neighbouring threads read
 * neighbouring terms, so each load is coalesced. Of the width loads of an element, all but the
 * first read it from a cache. Terms beyond the ends of the vector are omitted.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: the first-level cache: width loads per output, most of them not line-aligned.
 * Book: PMPP 4th ed., 7.2 (a convolution whose filter is all ones).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) window_direct(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long width)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	unsigned long long arm = width / 2;

	if (i >= n)
		return;
	unsigned long long begin = i > arm ? i - arm : 0;
	unsigned long long end = n - i > arm ? i + arm + 1 : n;
	const float *from = A + begin;
	int count = (int)(end - begin);
	float sum = 0.0f;

	for (int k = 0; k < count; k++)
		sum += from[k];
	B[i] = sum;
}
