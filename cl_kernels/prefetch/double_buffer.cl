/*
 * Two buffers in local memory: a quarter of the work-items load the next tile, 16 bytes each, while
 * all work-items work on the current tile. Then they store it to the other buffer. One barrier per
 * tile is enough: after it a tile is complete, and no work-item reads the other buffer.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK work-items. Groups: any number from 1. Operands begin on 16-byte boundaries.
 * Limited by: latency, if the work on a tile does not hide it.
 * Book: PMPP 1st ed., 6.4 (data prefetching), here through shared memory.
 */
#pragma OPENCL FP_CONTRACT OFF

#define SHIFT (1.0f / SHIFT_DIVISOR)
#define SCALE (1.0f - SHIFT)

/* The work on one element: `trips` dependent fused multiply-adds. */
static float apply(float x, int trips)
{
	int k = 0;

	for (; k + 8 <= trips; k += 8)
#pragma unroll
		for (int u = 0; u < 8; u++)
			x = fma(x, SCALE, SHIFT);
	for (; k < trips; k++)
		x = fma(x, SCALE, SHIFT);
	return x;
}

/* Loads the elements begin to begin + 3; zero beyond the end. */
static float4 fetch(__global const float *restrict A, ulong n, ulong begin)
{
	float4 got = (float4)(0.0f);

	if (begin + 4 <= n)
		return *(__global const float4 *)(A + begin);
	if (begin < n)
		got.x = A[begin];
	if (begin + 1 < n)
		got.y = A[begin + 1];
	if (begin + 2 < n)
		got.z = A[begin + 2];
	return got;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void prefetch_double_buffer(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong trips)
{
	__local float buffer[2][BLOCK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	int count = (int)trips; /* at most 4096 */
	bool fetches = t < BLOCK / 4;
	int which = 0;
	ulong step = (ulong)get_num_groups(0) * BLOCK;
	ulong tile = (ulong)get_group_id(0) * BLOCK;

	if (fetches)
		*(__local float4 *)&buffer[0][4 * t] = fetch(A, n, tile + 4 * t);
	for (; tile < n; tile += step) {
		float4 next = (float4)(0.0f);

		barrier(CLK_LOCAL_MEM_FENCE);
		if (fetches)
			next = fetch(A, n, tile + step + 4 * t);
		if (tile + t < n)
			B[tile + t] = apply(buffer[which][t], count);
		which = 1 - which;
		if (fetches)
			*(__local float4 *)&buffer[which][4 * t] = next;
	}
}
