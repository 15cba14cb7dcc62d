/*
 * Reduction by a tree in local memory: a block folds TILE = LOADS * BLOCK elements into one, in
 * log2(BLOCK) rounds of pairs. Each round halves the number of values. The next launch folds the
 * values of the blocks. ORDER assigns the pairs to items:
 *   INTERLEAVED  the item of the element that stays: neighbours first. Every warp has a few
 *                busy items until the fifth round
 *   STRIDED      the same pairs, by neighbouring items: whole warps become idle, but the
 *                elements of a warp are in few banks
 *   SEQUENTIAL   pairs that are half a block apart: neighbouring items, neighbouring elements
 *
 * Block: BLOCK work-items, a power of two. Groups: ceil(n / TILE).
 * Limited by: barriers and idle items; memory is idle while a block adds.
 * Book: PMPP 3rd ed., Figs. 5.13 (INTERLEAVED) and 5.15 (SEQUENTIAL).
 */
#include "operation.inc"

#define INTERLEAVED 1
#define STRIDED 2
#define SEQUENTIAL 3

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void reduce_tree(
	__global const VALUE *restrict A, __global VALUE *restrict B, ulong n)
{
	__local VALUE partial[BLOCK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	uint group = get_group_id(0);
	ulong i = (ulong)group * (LOADS * BLOCK) + t;
	VALUE mine = i < n ? A[i] : IDENTITY;

#pragma unroll
	for (int k = 1; k < LOADS; k++) {
		i += BLOCK;
		mine = COMBINE(mine, i < n ? A[i] : (VALUE)IDENTITY);
	}
	partial[t] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);

#if ORDER == INTERLEAVED
	for (int stride = 1; stride < BLOCK; stride *= 2) {
		int left = t;
		bool adds = t % (2 * stride) == 0;
#elif ORDER == STRIDED
	for (int stride = 1; stride < BLOCK; stride *= 2) {
		int left = 2 * stride * t;
		bool adds = left < BLOCK;
#else
	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		int left = t;
		bool adds = t < stride;
#endif
		if (adds)
			partial[left] = COMBINE(partial[left], partial[left + stride]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}

	if (t == 0)
		B[group] = partial[0];
}
