/*
 * Asynchronous copies: the hardware moves tiles from global into shared memory by itself, with
 * no register in between, and STAGES - 1 of them are under way while one is computed on: enough
 * bytes to cover the latency, however short the work and however few the threads. Each waits
 * for its own copies; the barrier behind that makes all of them everybody's.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK threads. Groups: any number from 1. Operands begin on 16-byte boundaries.
 * STAGES is at least 2.
 * Limited by: memory and arithmetic.
 * Book: PMPP 4th ed., 6.2, taken further.
 */
#include <cuda_pipeline.h>

#define SHIFT (1.0f / SHIFT_DIVISOR)
#define SCALE (1.0f - SHIFT)

/* The work on one element: `trips` fused multiply-adds, each of which waits for the last. */
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

/* Begins this thread's share of a tile's copy, if it has one: a quarter of the threads copy 16
 * bytes each. Every thread counts every tile as one, so that all wait for the same number. */
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
	int free = STAGES - 1;	/* the one to fill next */
	unsigned long long step = (unsigned long long)gridDim.x * BLOCK;
	unsigned long long tile = (unsigned long long)blockIdx.x * BLOCK;

#pragma unroll
	for (int s = 0; s < STAGES - 1; s++)
		copy_ahead(buffer[s], A, n, tile + s * step, t);
	for (; tile < n; tile += step) {
		__pipeline_wait_prior(STAGES - 2); /* all but the youngest have arrived */
		__syncthreads();
		copy_ahead(buffer[free], A, n, tile + (STAGES - 1) * step, t);
		if (tile + t < n)
			B[tile + t] = apply(buffer[which][t], count);
		free = which;
		which = which + 1 < STAGES ? which + 1 : 0;
	}
}
