/*
 * Memory bandwidth, reading and writing: with outputs = n and one pass this is a copy, 16 bytes per
 * work-item, all accesses coalesced. In general B[j] = passes * sum of A[i] over i = j modulo
 * outputs.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / (4 * BLOCK)). Operands begin on 16-byte
 * boundaries.
 * Limited by: memory.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_copy(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes)
{
	ulong first = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * 4;
	float scale = (float)passes;

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		float4 sum = 0.0f;

		for (ulong i = first; i < n; i += outputs)
			sum += *(__global const float4 *)(A + i);
		*(__global float4 *)(B + first) = sum * scale;
	} else {
		for (ulong j = first; j < outputs && j < first + 4; j++) {
			float sum = 0.0f;

			for (ulong i = j; i < n; i += outputs)
				sum += A[i];
			B[j] = sum * scale;
		}
	}
}
