/*
 * Prefetch into a register: a thread loads its next element before it works on the current one, so
 * the load is in flight during the arithmetic. This takes one more register and shortens the wait
 * by the time of the work.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK threads. Groups: any number from 1.
 * Limited by: latency, if the work on an element does not hide it.
 * Book: PMPP 1st ed., 6.4 (data prefetching). The chapters of the 3rd and 4th editions have none.
 */

#define SHIFT (1.0f / SHIFT_DIVISOR)
#define SCALE (1.0f - SHIFT)

/* The work on one element: `trips` dependent fused multiply-adds. */
static __device__ float apply(float x, int trips)
{
	int k = 0;

	for (; k + 8 <= trips; k += 8)
#pragma unroll
		for (int u = 0; u < 8; u++)
			x = fmaf(x, SCALE, SHIFT);
	for (; k < trips; k++)
		x = fmaf(x, SCALE, SHIFT);
	return x;
}

extern "C" __global__ void __launch_bounds__(BLOCK) prefetch_register(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n,
	unsigned long long trips)
{
	int count = (int)trips; /* at most 4096 */
	unsigned long long step = (unsigned long long)gridDim.x * BLOCK;
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	float next = i < n ? A[i] : 0.0f;

	for (; i < n; i += step) {
		float x = next;

		if (i + step < n)
			next = A[i + step];
		B[i] = apply(x, count);
	}
}
