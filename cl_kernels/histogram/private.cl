/*
 * Histogram with a private copy per group: the counters that the work-items of a group share are in
 * local memory, which is near and belongs to one group. At the end the group adds its copy to
 * global memory: one addition per bin; global_atomic needs one per value.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK). Local memory: 4 * bins bytes. H holds zeros.
 * Limited by: clearing and merging the copies: with one value per work-item, a group merges almost
 * as much as it counts.
 * Book: PMPP 4th ed., 9.4, Fig. 9.10.
 */

#ifdef DTYPE_U8
typedef uchar element;
#else
typedef uint element;
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void histogram_private(
	__global const element *restrict A, __global uint *restrict H, ulong n, ulong bins,
	__local uint *counts)
{
	uint group = get_group_id(0);
	uint lane = get_local_id(0);
	ulong i = (ulong)group * BLOCK + lane;
	uint bin_count = (uint)bins;

	for (uint b = lane; b < bin_count; b += BLOCK)
		counts[b] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);

	if (i < n) {
		uint value = A[i];

		if (value < bin_count)
			atomic_add(&counts[value], 1u);
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint b = lane; b < bin_count; b += BLOCK)
		if (counts[b] > 0)
			atomic_add(&H[b], counts[b]);
}
