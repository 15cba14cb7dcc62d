/*
 * Two buffers in shared memory: a quarter of the threads load the next tile, 16 bytes each, while
 * all threads work on the current tile. Then they store it to the other buffer. One barrier per
 * tile is enough: after it a tile is complete, and no thread reads the other buffer.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK threads. Groups: any number from 1. Operands begin on 16-byte boundaries.
 * Limited by: latency, if the work on a tile does not hide it.
 * Book: PMPP 1st ed., 6.4 (data prefetching), here through shared memory.
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

/* Loads the elements begin to begin + 3; zero beyond the end. */
static __device__ float4 fetch(
	const float *__restrict__ A, unsigned long long n, unsigned long long begin)
{
	float4 got = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

	if (begin + 4 <= n)
		return *(const float4 *)(A + begin);
	if (begin < n)
		got.x = A[begin];
	if (begin + 1 < n)
		got.y = A[begin + 1];
	if (begin + 2 < n)
		got.z = A[begin + 2];
	return got;
}

extern "C" __global__ void __launch_bounds__(BLOCK) prefetch_double_buffer(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n,
	unsigned long long trips)
{
	__shared__ __align__(16) float buffer[2][BLOCK];
	int t = threadIdx.x;
	int count = (int)trips; /* at most 4096 */
	bool fetches = t < BLOCK / 4;
	int which = 0;
	unsigned long long step = (unsigned long long)gridDim.x * BLOCK;
	unsigned long long tile = (unsigned long long)blockIdx.x * BLOCK;

	if (fetches)
		*(float4 *)&buffer[0][4 * t] = fetch(A, n, tile + 4 * t);
	for (; tile < n; tile += step) {
		float4 next = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

		__syncthreads();
		if (fetches)
			next = fetch(A, n, tile + step + 4 * t);
		if (tile + t < n)
			B[tile + t] = apply(buffer[which][t], count);
		which = 1 - which;
		if (fetches)
			*(float4 *)&buffer[which][4 * t] = next;
	}
}
