/*
 * Vector addition C = A + B, four elements a work-item as one 16-byte access: a quarter of the load
 * and store instructions for the same bytes, and neighbouring items still cover contiguous memory.
 * The last item takes what is left one by one.
 *
 * Block: BLOCK work-items. Groups: ceil(n / (4 * BLOCK)). The operands begin on 16-byte boundaries.
 * Limited by: memory: with 32 bytes under way for each work-item, its latency is covered.
 * Book: PMPP 4th ed., 6.1 and 6.3 (coarsening, with the item's elements fetched in one go).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_vector4(
	__global const float *restrict A, __global const float *restrict B,
	__global float *restrict C, ulong n)
{
	ulong i = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * 4;

	if (i + 4 <= n) {
		/* Not vload4(): that promises 4-byte alignment only, and may become four loads. */
		float4 a = *(__global const float4 *)(A + i);
		float4 b = *(__global const float4 *)(B + i);

		*(__global float4 *)(C + i) = a + b;
	} else {
		for (; i < n; i++)
			C[i] = A[i] + B[i];
	}
}
