/*
 * Copy B = A, one element per work-item; neighbouring work-items copy neighbouring elements. A
 * warp's load and store each cover 128 aligned bytes: one line of four 32-byte sectors, all of them
 * used. The other variants are compared with this one.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: memory; if the bandwidth is high, by latency: 4 bytes in flight per
 * work-item.
 * Book: PMPP 4th ed., 6.1 (coalescing: consecutive threads, consecutive locations).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void coalesce_contiguous(
	__global const float *restrict A, __global float *restrict B, ulong n)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);

	if (i < n)
		B[i] = A[i];
}
