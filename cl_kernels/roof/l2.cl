/*
 * Second-level cache, read: A is larger than any first-level cache and fits in the second. A group
 * reads the rows of `outputs` elements of the whole of A in each pass, 16 bytes a work-item. Each
 * pass begins at another row, so groups of one compute unit do not find each other's rows in its
 * first-level cache, and no pass can be left out. A group makes PASSES_EACH passes for 4 * BLOCK
 * outputs and leaves its sums in P; a second kernel adds the sums of all groups. B[j] = passes *
 * sum of A[i] over i = j modulo outputs.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / (4 * BLOCK)) * ceil(passes / PASSES_EACH);
 * ceil(outputs / BLOCK) for the second kernel. Operands begin on 16-byte boundaries.
 * Limited by: the second-level cache.
 */

/* Rows from `from` to `to` - 1 of four outputs; A is at the first of them. */
static inline float4 sum_quads(__global const float *A, ulong outputs, ulong from, ulong to)
{
	float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
	ulong r = from;

	for (; r + 3 < to; r += 4) {
		sum0 += *(__global const float4 *)(A + r * outputs);
		sum1 += *(__global const float4 *)(A + (r + 1) * outputs);
		sum2 += *(__global const float4 *)(A + (r + 2) * outputs);
		sum3 += *(__global const float4 *)(A + (r + 3) * outputs);
	}
	for (; r < to; r++)
		sum0 += *(__global const float4 *)(A + r * outputs);
	return (sum0 + sum1) + (sum2 + sum3);
}

/* The same of one output. */
static inline float sum_ones(__global const float *A, ulong outputs, ulong from, ulong to)
{
	float sum = 0.0f;

	for (ulong r = from; r < to; r++)
		sum += A[r * outputs];
	return sum;
}

/* Elements of output j. */
static inline ulong rows_of(ulong n, ulong outputs, ulong j)
{
	return j < n ? (n - j + outputs - 1) / outputs : 0;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_l2(
	__global const float *restrict A, __global float *restrict P, ulong n, ulong outputs,
	int passes)
{
	ulong chunks = (outputs + 4 * BLOCK - 1) / (4 * BLOCK);
	ulong part = get_group_id(0) / chunks;
	ulong first = (get_group_id(0) % chunks * BLOCK + get_local_id(0)) * 4;
	ulong begin = part * PASSES_EACH;
	ulong end = min(begin + PASSES_EACH, (ulong)passes);

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		ulong rows = rows_of(n, outputs, first);
		float4 sum = 0.0f;

		for (ulong p = begin; p < end; p++) {
			ulong start = rows * p / passes;

			sum += sum_quads(A + first, outputs, start, rows) +
			       sum_quads(A + first, outputs, 0, start);
		}
		*(__global float4 *)(P + part * outputs + first) = sum;
	} else {
		for (ulong j = first; j < outputs && j < first + 4; j++) {
			ulong rows = rows_of(n, outputs, j);
			float sum = 0.0f;

			for (ulong p = begin; p < end; p++) {
				ulong start = rows * p / passes;

				sum += sum_ones(A + j, outputs, start, rows) +
				       sum_ones(A + j, outputs, 0, start);
			}
			P[part * outputs + j] = sum;
		}
	}
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_l2_sum(
	__global const float *restrict P, __global float *restrict B, ulong outputs, int parts)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	float sum = 0.0f;

	if (j >= outputs)
		return;
#pragma unroll 16
	for (int part = 0; part < parts; part++)
		sum += P[part * outputs + j];
	B[j] = sum;
}
