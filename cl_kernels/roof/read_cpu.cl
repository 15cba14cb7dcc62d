/*
 * Memory bandwidth of a CPU, reading: one work-item has SPAN contiguous outputs, whose sums stay in
 * the first-level cache. It reads SPAN contiguous elements of four rows of A at a time: four
 * streams, and one addition to the sums for all four. B[j] = passes * sum of A[i] over i = j modulo
 * outputs.
 *
 * Block: 1 work-item. Groups: ceil(outputs / SPAN). SPAN is a multiple of 16.
 * Limited by: memory.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void roof_read_cpu(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes)
{
	ulong first = (ulong)get_group_id(0) * SPAN;
	float scale = (float)passes;

	if (n % outputs == 0 && first + SPAN <= outputs) {
		float16 sum[SPAN / 16];
		ulong i = first;

		for (int v = 0; v < SPAN / 16; v++)
			sum[v] = 0.0f;
		for (; i + 3 * outputs < n; i += 4 * outputs)
			for (int v = 0; v < SPAN / 16; v++)
				sum[v] += (vload16(v, A + i) + vload16(v, A + i + outputs)) +
					  (vload16(v, A + i + 2 * outputs) +
						  vload16(v, A + i + 3 * outputs));
		for (; i < n; i += outputs)
			for (int v = 0; v < SPAN / 16; v++)
				sum[v] += vload16(v, A + i);
		for (int v = 0; v < SPAN / 16; v++)
			vstore16(sum[v] * scale, v, B + first);
	} else {
		for (ulong j = first; j < outputs && j < first + SPAN; j++) {
			float sum = 0.0f;

			for (ulong i = j; i < n; i += outputs)
				sum += A[i];
			B[j] = sum * scale;
		}
	}
}
