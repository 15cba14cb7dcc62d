/*
 * Read bandwidth of the memory of a CPU. A consists of rows of `outputs` elements. A work-item reads
 * one of GROUPS contiguous shares of the rows from its beginning to its end, as hardware prefetchers
 * expect, and stores its sums in P. A second kernel adds the sums of all shares. B[j] = passes * sum
 * of A[i] over i = j modulo outputs.
 *
 * Block: 1 work-item. Groups: GROUPS; 1 for the second kernel. Rows of SPAN elements, a multiple of
 * 16, are read in vectors; other rows element by element.
 * Limited by: memory.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void roof_read_shares(
	__global const float *restrict A, __global float *restrict P, ulong n, ulong outputs)
{
	ulong rows = (n + outputs - 1) / outputs;
	ulong share = (rows + GROUPS - 1) / GROUPS;
	ulong first = min(get_group_id(0) * share, rows);
	ulong end = min(first + share, rows);
	__global float *sums = P + get_group_id(0) * outputs;

	if (outputs == SPAN && n % outputs == 0) {
		float16 sum[SPAN / 16];

		for (int v = 0; v < SPAN / 16; v++)
			sum[v] = 0.0f;
		for (ulong row = first; row < end; row++)
#pragma unroll
			for (int v = 0; v < SPAN / 16; v++)
				sum[v] += vload16(v, A + row * SPAN);
		for (int v = 0; v < SPAN / 16; v++)
			vstore16(sum[v], v, sums);
	} else {
		for (ulong j = 0; j < outputs; j++) {
			float sum = 0.0f;

			for (ulong row = first; row < end; row++)
				if (row * outputs + j < n)
					sum += A[row * outputs + j];
			sums[j] = sum;
		}
	}
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void roof_read_shares_sum(
	__global const float *restrict P, __global float *restrict B, ulong outputs, int passes)
{
	for (ulong j = 0; j < outputs; j++) {
		float sum = 0.0f;

		for (int g = 0; g < GROUPS; g++)
			sum += P[g * outputs + j];
		B[j] = sum * (float)passes;
	}
}
