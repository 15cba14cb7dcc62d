/*
 * Coarsening: a fixed number of groups, enough to fill the device, goes through the whole array in
 * tiles of COARSE * BLOCK elements, and every work-item adds its elements in a register. Each group
 * runs the tree with its barriers once, not once for every few elements. COARSE loads are in flight
 * before the first addition.
 *
 * Block: BLOCK work-items, a power of two. Groups: any number from 1.
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 and 10.7 (coarsening), with tiles as wide as the grid.
 */
#include "operation.inc"

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void reduce_coarse(
	__global const VALUE *restrict A, __global VALUE *restrict B, ulong n)
{
	__local VALUE partial[BLOCK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	uint group = get_group_id(0);
	ulong step = (ulong)get_num_groups(0) * (COARSE * BLOCK);
	ulong i = (ulong)group * (COARSE * BLOCK) + t;
	VALUE mine = IDENTITY;

	for (; i + (COARSE - 1) * BLOCK < n; i += step) {
		VALUE got[COARSE];

#pragma unroll
		for (int k = 0; k < COARSE; k++)
			got[k] = A[i + k * BLOCK];
#pragma unroll
		for (int k = 0; k < COARSE; k++)
			mine = COMBINE(mine, got[k]);
	}
	for (; i < n; i += BLOCK) /* the partial last tile */
		mine = COMBINE(mine, A[i]);
	partial[t] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);

	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		B[group] = partial[0];
}
