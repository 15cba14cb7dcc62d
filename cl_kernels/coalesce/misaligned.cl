/*
 * Copy B = A, contiguous, with an offset of OFFSET elements: work-item i copies element i - OFFSET.
 * The first OFFSET work-items have no element, because the unsigned difference wraps to a value
 * above n. A warp's 128 bytes then straddle two lines. Unless OFFSET is a multiple of 8, they are
 * in five sectors instead of four. Two of the five are shared with neighbouring warps, so a cache
 * already has them: on a GPU with a cache, misalignment alone costs little.
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
