/*
 * Prefetch into a register: a work-item asks for its next element before it works on this one,
 * and the load is under way during the arithmetic. One register more, and the wait is shorter by
 * as long as the work takes.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK work-items. Groups: any number from 1.
 * Limited by: latency, as far as the work on one element does not cover it.
 * Book: PMPP 3rd ed., 5.1 (prefetching); 4th ed., 6.2.
 */
#pragma OPENCL FP_CONTRACT OFF

#define SHIFT (1.0f / SHIFT_DIVISOR)
#define SCALE (1.0f - SHIFT)

/* The work on one element: `trips` fused multiply-adds, each of which waits for the last. */
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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void prefetch_register(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong trips)
{
	int count = (int)trips; /* at most 4096 */
	ulong step = (ulong)get_num_groups(0) * BLOCK;
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	float next = i < n ? A[i] : 0.0f;

	for (; i < n; i += step) {
		float x = next;

		if (i + step < n)
			next = A[i + step];
		B[i] = apply(x, count);
	}
}
