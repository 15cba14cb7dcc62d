/*
 * Prefetch into a register: a work-item loads its next element before it works on the current one,
 * so the load is in flight during the arithmetic. This takes one more register and shortens the
 * wait by the time of the work.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK work-items. Groups: any number from 1.
 * Limited by: latency, if the work on an element does not hide it.
 * Book: PMPP 1st ed., 6.4 (data prefetching). The chapters of the 3rd and 4th editions have none.
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
