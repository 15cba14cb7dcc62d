/*
 * Copy B = A, neighbouring work-items STRIDE elements apart. The range makes STRIDE passes over the
 * vector; pass p copies the elements whose index has the remainder p. The pass is the group's
 * second number, so no work-item needs a division. If groups start in order (the first number is
 * the fastest), two uses of a sector are a whole pass apart. If the vector is larger than the L2
 * cache, the L2 cache does not have the sector any more at its second use.
 *
 * The access of 32 work-items uses min(4 STRIDE, 32) sectors; contiguous uses 4. So STRIDE 2 loads
 * twice the bytes that it uses, and 4 loads four times. From 8 on each work-item has its own sector
 * and uses 4 of its 32 bytes. Stores also move more: a partly written sector is read before it is
 * written (Nsight Compute, dram__bytes, H200: docs/results/nvidia-h200/strided-dram.json).
 *
 * Block: BLOCK work-items. Groups: ceil(n / (BLOCK * STRIDE)) x STRIDE.
 * Limited by: memory; most of the traffic is not requested.
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
