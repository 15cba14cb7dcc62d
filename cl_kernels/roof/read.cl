/*
 * Memory bandwidth, reading: a work-item goes through A in steps of `outputs` elements and adds the
 * elements, 16 bytes at a time, with eight loads in flight. Neighbouring work-items read
 * neighbouring elements. B[j] = passes * sum of A[i] over i = j modulo outputs. There are few
 * outputs, so almost nothing is written.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / (4 * BLOCK)), all resident at the same time.
 * Operands begin on 16-byte boundaries.
 * Limited by: memory.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_read(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes)
{
	ulong first = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * 4;
	float scale = (float)passes;

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
		ulong i = first;

		for (; i + 7 * outputs < n; i += 8 * outputs) {
			sum0 += *(__global const float4 *)(A + i);
			sum1 += *(__global const float4 *)(A + i + outputs);
			sum2 += *(__global const float4 *)(A + i + 2 * outputs);
			sum3 += *(__global const float4 *)(A + i + 3 * outputs);
			sum0 += *(__global const float4 *)(A + i + 4 * outputs);
			sum1 += *(__global const float4 *)(A + i + 5 * outputs);
			sum2 += *(__global const float4 *)(A + i + 6 * outputs);
			sum3 += *(__global const float4 *)(A + i + 7 * outputs);
		}
		for (; i < n; i += outputs)
			sum0 += *(__global const float4 *)(A + i);
		*(__global float4 *)(B + first) = ((sum0 + sum1) + (sum2 + sum3)) * scale;
	} else {
		for (ulong j = first; j < outputs && j < first + 4; j++) {
			float sum = 0.0f;

			for (ulong i = j; i < n; i += outputs)
				sum += A[i];
			B[j] = sum * scale;
		}
	}
}
