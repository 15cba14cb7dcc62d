/*
 * A stream with work on every element: a fixed number of blocks goes through the array tile by
 * tile. A thread loads, computes and stores in turn: while it waits for its element it does not
 * compute, and while it computes it has no load in flight. Only other warps can hide the latency,
 * and the grid has few of them.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK threads. Groups: any number from 1.
 * Limited by: latency.
 * Book: PMPP 1st ed., 6.4 (data prefetching), without the prefetch.
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

extern "C" __global__ void __launch_bounds__(BLOCK) prefetch_plain(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n,
	unsigned long long trips)
{
	int count = (int)trips; /* at most 4096 */
	unsigned long long step = (unsigned long long)gridDim.x * BLOCK;
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	for (; i < n; i += step)
		B[i] = apply(A[i], count);
}
