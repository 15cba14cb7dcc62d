/*
 * A stream with work on every element: a fixed number of groups goes through the array tile by
 * tile. A work-item loads, computes and stores in turn: while it waits for its element it does not
 * compute, and while it computes it has no load in flight. Only other warps can hide the latency,
 * and the grid has few of them.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK work-items. Groups: any number from 1.
 * Limited by: latency.
 * Book: PMPP 1st ed., 6.4 (data prefetching), without the prefetch.
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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void prefetch_plain(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong trips)
{
	int count = (int)trips; /* at most 4096 */
	ulong step = (ulong)get_num_groups(0) * BLOCK;
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);

	for (; i < n; i += step)
		B[i] = apply(A[i], count);
}
