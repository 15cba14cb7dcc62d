/*
 * COARSE elements per work-item, BLOCK apart, so that the work-items of a warp access neighbours.
 * The loads of a work-item are independent: resident work-items x COARSE loads are in flight on a
 * compute unit. The rows of this file change only this number: with groups that are not whole
 * warps, and with fewer work-items for the same work.
 *
 * OP_STREAM: B[i] = A[i] + 1. OP_GATHER: LOADS dependent loads; each load gives the index of the
 * next one. A work-item past the end starts at A[0], which always exists, and stores nothing.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: memory; by latency if too few bytes are in flight.
 * Book: PMPP 4th ed., 4.4 to 4.7 (warps, latency tolerance, resources), 6.3 (coarsening).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void occupancy_chunk(
	__global const uint *restrict A, __global uint *restrict B, ulong n)
{
	ulong first = (ulong)get_group_id(0) * (BLOCK * COARSE) + get_local_id(0);
	uint value[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++)
		value[c] = first + c * BLOCK < n ? A[first + c * BLOCK] : 0;
#ifdef OP_GATHER
#pragma unroll
	for (int load = 1; load < LOADS; load++)
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			value[c] = A[value[c]];
#else
#pragma unroll
	for (int c = 0; c < COARSE; c++)
		value[c]++;
#endif
#pragma unroll
	for (int c = 0; c < COARSE; c++)
		if (first + c * BLOCK < n)
			B[first + c * BLOCK] = value[c];
}
