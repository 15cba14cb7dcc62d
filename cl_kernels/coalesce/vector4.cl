/*
 * Copy B = A, four neighbouring elements per work-item in one 16-byte access: a warp's load covers
 * 512 contiguous bytes, which are four whole lines. contiguous is already fully coalesced; this
 * kernel has more bytes in flight and fewer instructions. The last work-item copies the remaining
 * elements one by one.
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
		/* Not vload4(): it assumes only 4-byte alignment, and may become four loads. */
		*(__global float4 *)(B + i) = *(__global const float4 *)(A + i);
	} else {
		for (; i < n; i++)
			B[i] = A[i];
	}
}
