/*
 * Asynchronous copies: the hardware copies tiles from global to shared memory without registers.
 * STAGES - 1 copies are in flight while the threads work on another tile: enough bytes to hide the
 * latency, even with little work and few threads. Each thread waits for its own copies; the barrier
 * after the wait makes them visible to all threads.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK threads. Groups: any number from 1. Operands begin on 16-byte boundaries. STAGES is
 * at least 2.
 * Limited by: memory and arithmetic.
 * Book: PMPP 1st ed., 6.4 (data prefetching), taken further.
 */
#include <cuda_pipeline.h>

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

/* Begins this thread's share of the copy of a tile: a quarter of the threads copy 16 bytes each.
 * Every thread commits a group for every tile, so that all wait for the same number of groups. */
static __device__ void copy_ahead(
	float *buffer, const float *__restrict__ A, unsigned long long n,
	unsigned long long tile, int t)
{
	unsigned long long begin = tile + 4 * t;

	if (t < BLOCK / 4) {
		if (begin + 4 <= n)
			__pipeline_memcpy_async(buffer + 4 * t, A + begin, 16);
		else
			for (int k = 0; begin + k < n; k++)
				buffer[4 * t + k] = A[begin + k];
	}
	__pipeline_commit();
}

extern "C" __global__ void __launch_bounds__(BLOCK) prefetch_async_copy(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n,
	unsigned long long trips)
{
	__shared__ __align__(16) float buffer[STAGES][BLOCK];
	int t = threadIdx.x;
	int count = (int)trips; /* at most 4096 */
	int which = 0;		/* the buffer of this tile */
	int free = STAGES - 1;	/* the buffer to fill next */
	unsigned long long step = (unsigned long long)gridDim.x * BLOCK;
	unsigned long long tile = (unsigned long long)blockIdx.x * BLOCK;

#pragma unroll
	for (int s = 0; s < STAGES - 1; s++)
		copy_ahead(buffer[s], A, n, tile + s * step, t);
	for (; tile < n; tile += step) {
		__pipeline_wait_prior(STAGES - 2); /* all but the newest STAGES - 2 are complete */
		__syncthreads();
		copy_ahead(buffer[free], A, n, tile + (STAGES - 1) * step, t);
		if (tile + t < n)
			B[tile + t] = apply(buffer[which][t], count);
		free = which;
		which = which + 1 < STAGES ? which + 1 : 0;
	}
}
