/*
 * Copy B = A, contiguous, but OFFSET elements off: work-item i takes element i - OFFSET, and the
 * first OFFSET items have none (the unsigned difference wraps to beyond n). The 128 bytes of 32
 * items then straddle two lines, and unless OFFSET is a multiple of 8 they touch five sectors
 * instead of four. Two of the five are shared with the items next to them, so a cache holds them
 * already: misalignment by itself costs little on a GPU that has one.
 *
 * Block: BLOCK work-items. Groups: ceil((n + OFFSET) / BLOCK).
 * Limited by: memory, as contiguous.
 * Book: PMPP 4th ed., 6.1.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void coalesce_misaligned(
	__global const float *restrict A, __global float *restrict B, ulong n)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	ulong element = i - OFFSET;

	if (element < n)
		B[element] = A[element];
}
