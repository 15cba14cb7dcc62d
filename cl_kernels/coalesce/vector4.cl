/*
 * Copy B = A, four neighbouring elements a work-item as one 16-byte access: the load of 32 items
 * covers 512 contiguous bytes, which a GPU takes as four full lines. Nothing is more coalesced than
 * contiguous; what this adds is bytes under way and fewer instructions. The last item takes what is
 * left one by one.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (4 * BLOCK)). The operands begin on 16-byte boundaries.
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.1 and 6.3.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void coalesce_vector4(
	__global const float *restrict A, __global float *restrict B, ulong n)
{
	ulong i = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * 4;

	if (i + 4 <= n) {
		/* Not vload4(): that promises 4-byte alignment only, and may become four loads. */
		*(__global float4 *)(B + i) = *(__global const float4 *)(A + i);
	} else {
		for (; i < n; i++)
			B[i] = A[i];
	}
}
