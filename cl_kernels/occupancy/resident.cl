/*
 * The kernel of chunk.cl with unused local memory. A group holds this memory until it ends, so few
 * groups are resident at a time. Then a compute unit has few other warps to run while one waits for
 * memory.
 *
 * Nothing is stored there, because n is never 0. The compiler cannot know this and keeps the array.
 *
 * Block: BLOCK work-items, HELD_KIB KiB of local memory as the last argument. Groups: ceil(n /
 * (BLOCK * COARSE)).
 * Limited by: latency; with enough resident warps x COARSE by memory.
 * Book: PMPP 4th ed., 4.6 and 4.7 (latency tolerance, resource partitioning).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void occupancy_resident(
	__global const uint *restrict A, __global uint *restrict B, ulong n, __local uint *hold)
{
	ulong first = (ulong)get_group_id(0) * (BLOCK * COARSE) + get_local_id(0);
	uint value[COARSE];

	if (n == 0)
		B[0] = hold[HELD_KIB * 256 - 1];
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
