/*
 * A work-item with many registers and one load under way: it answers for COARSE elements one after
 * another and stores them at the end. `zero` is 0, which the compiler does not know: no load can
 * begin before the one before has ended, no store before the last load, and every value stays in a
 * register meanwhile. The compiler is told nothing of the launch and takes the registers it likes,
 * which leaves room for fewer items than a compute unit could hold.
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
