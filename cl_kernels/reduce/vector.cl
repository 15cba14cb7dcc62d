/*
 * Coarse, with 16-byte loads: each item has VECTORS loads of four elements in flight, and as many
 * accumulators, so that no addition waits for another. The first items add the up to three elements
 * after the last whole four.
 *
 * Block: BLOCK work-items, a power of two. Groups: any number from 1. Operands begin on 16-byte
 * boundaries. VECTORS is a power of two.
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 and 10.7, taken further.
 */
#include "operation.inc"

/* Folds the elements of item t of the block, in vectors of four; the array has n / 4 vectors. */
static VALUE fold_mine(__global const VALUE *restrict A, ulong n, uint group, uint groups, int t)
{
	__global const VALUE4 *vectors = (__global const VALUE4 *)A;
	ulong count = n / 4;
	ulong step = (ulong)groups * (VECTORS * BLOCK);
	ulong i = (ulong)group * (VECTORS * BLOCK) + t;
	VALUE4 sum[VECTORS];
	VALUE mine;

#pragma unroll
	for (int v = 0; v < VECTORS; v++)
		sum[v] = (VALUE4)(IDENTITY);
	for (; i + (VECTORS - 1) * BLOCK < count; i += step) {
		VALUE4 got[VECTORS];

#pragma unroll
		for (int v = 0; v < VECTORS; v++)
			got[v] = vectors[i + v * BLOCK];
#pragma unroll
		for (int v = 0; v < VECTORS; v++)
			sum[v] = COMBINE(sum[v], got[v]);
	}
	for (; i < count; i += BLOCK) /* the partial last tile */
		sum[0] = COMBINE(sum[0], vectors[i]);
#pragma unroll
	for (int apart = VECTORS / 2; apart > 0; apart /= 2)
#pragma unroll
		for (int v = 0; v < apart; v++)
			sum[v] = COMBINE(sum[v], sum[v + apart]);
	mine = COMBINE(COMBINE(sum[0].x, sum[0].y), COMBINE(sum[0].z, sum[0].w));
	if (group == 0 && 4 * count + t < n)
		mine = COMBINE(mine, A[4 * count + t]);
	return mine;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void reduce_vector(
	__global const VALUE *restrict A, __global VALUE *restrict B, ulong n)
{
	__local VALUE partial[BLOCK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	uint group = get_group_id(0);
	uint groups = get_num_groups(0);

	partial[t] = fold_mine(A, n, group, groups, t);
	barrier(CLK_LOCAL_MEM_FENCE);

	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		B[group] = partial[0];
}
