/*
 * Vector addition C = A + B, one element a work-item: the first kernel of the book, and the
 * yardstick for the other variants of this family.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: memory, 12 bytes for one addition; where bandwidth is plentiful, by latency: the two
 * 4-byte loads of each work-item are too few bytes under way to keep the memory busy.
 * Book: PMPP 4th ed., 2.3 to 2.5; 6.3 (fine-grained, before coarsening).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_fine(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, ulong n)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);

	if (i < n)
		C[i] = A[i] + B[i];
}
