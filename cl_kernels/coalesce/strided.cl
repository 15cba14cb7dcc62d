/*
 * Copy B = A, neighbouring work-items STRIDE elements apart. The range makes STRIDE passes over the
 * vector, and pass p takes the elements that leave the remainder p. The pass is the group's second
 * number, so no item divides anything, and where groups start in order (the first number runs
 * fastest) two uses of a sector lie a whole pass apart: a vector beyond the L2 cache has left it by
 * then.
 *
 * The access of 32 items touches min(4 STRIDE, 32) sectors where contiguous touches 4. So STRIDE 2
 * loads twice the bytes that it uses, 4 four times, and from 8 on each item has a sector to itself,
 * 4 of whose 32 bytes are used. Stores also move more: a partly written sector is read before
 * it is written (Nsight Compute, dram__bytes, H200: docs/results/nvidia-h200/strided-dram.json).
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * STRIDE)) x STRIDE.
 * Limited by: memory, most of whose traffic is not asked for.
 * Book: PMPP 4th ed., 6.1 (uncoalesced accesses).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void coalesce_strided(
	__global const float *restrict A, __global float *restrict B, ulong n)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	ulong element = i * STRIDE + get_group_id(1);

	if (element < n)
		B[element] = A[element];
}
