/*
 * Copy B = A, one element a work-item, neighbouring items neighbouring elements: the load and the
 * store of 32 items each cover 128 contiguous bytes from a 128-byte boundary on. That is one line
 * of four 32-byte sectors, and every byte that moves is used: the yardstick of this family.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: memory; where bandwidth is plentiful, by latency: 4 bytes under way for each
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
