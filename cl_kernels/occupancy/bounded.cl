/*
 * The kernel of unbounded.cl with the only launch bound of OpenCL: the work-items of a group.
 * OpenCL cannot request a number of resident groups; CUDA can. If this number limits the registers,
 * the twins differ.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: latency.
 * Book: PMPP 4th ed., 4.7 (resource partitioning: registers).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void occupancy_bounded(
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
