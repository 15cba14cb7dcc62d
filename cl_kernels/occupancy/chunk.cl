/*
 * COARSE elements a work-item, BLOCK apart, so that the items of a warp access neighbours. The
 * loads of an item do not wait for each other: resident items x COARSE of them are under way on a
 * compute unit. The rows of this file change that number alone: by groups that are no whole number
 * of warps, and by giving the same work to fewer items.
 *
 * OP_STREAM: B[i] = A[i] + 1. OP_GATHER: LOADS loads one after another, each at the index that the
 * one before gave. An item past the end follows A[0], which is always there, and stores nothing.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: memory, and by latency where too little is under way to keep it busy.
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
