/*
 * A work-item with many registers and one load in flight: it computes COARSE elements one after
 * another and stores them at the end. `zero` is 0, but the compiler cannot know this: each load
 * depends on the previous load, the stores depend on the last load, and all values stay in
 * registers until then. Without launch bounds the compiler uses as many registers as it needs, so
 * fewer work-items are resident than a compute unit can hold.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: latency.
 * Book: PMPP 4th ed., 4.7 (resource partitioning: registers).
 */
__kernel void occupancy_unbounded(
	__global const uint *restrict A, __global uint *restrict B, ulong n, ulong zero)
{
	ulong first = (ulong)get_group_id(0) * (BLOCK * COARSE) + get_local_id(0);
	ulong wait = 0;
	uint value[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		ulong i = first + c * BLOCK + wait;

		value[c] = i < n ? A[i] : 0;
#ifdef OP_GATHER
#pragma unroll
		for (int load = 1; load < LOADS; load++)
			value[c] = A[value[c]];
#endif
		wait = value[c] & zero;
	}
#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		ulong i = first + c * BLOCK + wait;
#ifdef OP_STREAM
		value[c]++;
#endif
		if (i < n)
			B[i] = value[c];
	}
}
