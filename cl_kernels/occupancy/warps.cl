/*
 * The answer of chunk.cl, with TRIPS multiply-adds for each element. The multiply-adds take longer
 * than memory and longer than the start of the groups. A sub-group needs the same time for a few
 * active items as for all items. A group of 100 items has 4 sub-groups of 32, and the last has 4
 * active items. So the same elements need 128 / 100 times as many instructions as in groups of 128
 * items.
 *
 * Each trip adds 1 to the low 16 bits of the value as a float. The sums are integers below 2^17, so
 * every trip is exact, and the sum shows how many trips ran. `one` is 1. It is an argument, so the
 * compiler keeps the trips.
 *
 * OP_STREAM: B[i] = A[i] + 1. OP_GATHER: LOADS loads, one after another. Each load gives the index
 * of the next one. An item past the end starts at A[0] and stores nothing.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: arithmetic.
 * Book: PMPP 4th ed., 4.4 (warps and SIMD hardware).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void occupancy_warps(
	__global const uint *restrict A, __global uint *restrict B, ulong n, int one)
{
	ulong first = (ulong)get_group_id(0) * (BLOCK * COARSE) + get_local_id(0);
	float step = (float)one;
	uint value[COARSE];
	float sum[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++)
		value[c] = A[first + c * BLOCK < n ? first + c * BLOCK : 0];
#ifdef OP_GATHER
#pragma unroll
	for (int load = 1; load < LOADS; load++)
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			value[c] = A[value[c]];
#endif
#pragma unroll
	for (int c = 0; c < COARSE; c++)
		sum[c] = (float)(value[c] & 0xffff);
#pragma unroll 16
	for (int trip = 0; trip < TRIPS; trip++)
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			sum[c] = fma(sum[c], step, step);
#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		uint low = (uint)sum[c] - TRIPS;
#ifdef OP_STREAM
		low++;
#endif
		if (first + c * BLOCK < n)
			B[first + c * BLOCK] = (value[c] & 0xffff0000) + low;
	}
}
