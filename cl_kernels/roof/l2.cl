/*
 * Second-level cache, read: A is much larger than a first-level cache and fits in the second.
 * In each pass all of A is read once, a row of `outputs` elements at a time, 16 bytes per
 * work-item. A group reads 4 * BLOCK columns of all rows. There are many times as many groups as fit
 * on the device: a compute unit that is far from the cache is slower, and reads fewer of them.
 * B[j] = passes * sum of A[i] over i = j modulo outputs: a group stores its sums in P, and
 * a second kernel adds the sums of all passes.
 *
 * The passes run at the same time. If all passes had the same order of rows, first-level caches
 * would serve most reads. A group would find rows that another group of its compute unit has just
 * read. It would then be faster than the other group until both read the same rows. So each pass
 * has its own order: another first row and another step. The rows that a group has just read
 * are then spread over the whole order of every other group. The groups of a compute unit
 * also read different columns. The share of reads that a first-level cache serves is about the size
 * of this cache / the size of A.
 *
 * Block: BLOCK work-items. Groups: passes * ceil(outputs / (4 * BLOCK)); ceil(outputs / BLOCK)
 * for the second kernel. Operands begin on 16-byte boundaries.
 * Limited by: the second-level cache.
 */

/* A prime, larger than most numbers of rows: the steps of neighbouring passes differ widely. */
#define STEP_SPREAD 10007

static inline uint common_divisor(uint a, uint b)
{
	while (b) {
		uint rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The step of a pass, less than `rows` and without a common divisor: `rows` steps visit each row
 * once. */
static inline uint step_of(uint pass, uint rows)
{
	uint step = rows > 2 ? 1 + pass * STEP_SPREAD % (rows - 1) : 1;

	while (common_divisor(rows, step) > 1)
		step--;
	return step;
}

/* The first row of a pass. The first rows are spread over A. */
static inline uint first_row(uint pass, uint passes, uint rows)
{
	return (uint)((ulong)rows * pass / passes);
}

/* The columns of a group, as a multiple of 4 * BLOCK: a pass has each of them once. They differ for
 * groups whose numbers differ by a multiple of `chunks`. */
static inline uint chunk_of(uint group, uint chunks)
{
	return (group + group / chunks) % chunks;
}

/* The row after `row`. */
static inline uint row_after(uint row, uint step, uint rows)
{
	uint next = row + step;

	return next < rows ? next : next - rows;
}

/* Four elements of a row; A is at the first of row 0. */
static inline float4 load_quad(__global const float *A, ulong outputs, uint row)
{
	return *(__global const float4 *)(A + row * outputs);
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_l2(
	__global const float *restrict A, __global float *restrict P, ulong n, ulong outputs,
	int passes)
{
	uint group = get_group_id(0);
	uint chunks = (uint)((outputs + 4 * BLOCK - 1) / (4 * BLOCK));
	uint pass = group / chunks;
	ulong chunk = chunk_of(group, chunks);
	ulong first = (chunk * BLOCK + get_local_id(0)) * 4;

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		__global const float *quads = A + first;
		float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
		uint rows = first < n ? (n - first + outputs - 1) / outputs : 0;
		uint step = step_of(pass, rows);
		uint row = first_row(pass, passes, rows);
		uint r = 0;

		for (; r + 3 < rows; r += 4) {
			uint row1 = row_after(row, step, rows);
			uint row2 = row_after(row1, step, rows);
			uint row3 = row_after(row2, step, rows);

			sum0 += load_quad(quads, outputs, row);
			sum1 += load_quad(quads, outputs, row1);
			sum2 += load_quad(quads, outputs, row2);
			sum3 += load_quad(quads, outputs, row3);
			row = row_after(row3, step, rows);
		}
		for (; r < rows; r++) {
			sum0 += load_quad(quads, outputs, row);
			row = row_after(row, step, rows);
		}
		*(__global float4 *)(P + pass * outputs + first) = (sum0 + sum1) + (sum2 + sum3);
	} else {
		for (ulong j = first; j < outputs && j < first + 4; j++) {
			float sum = 0.0f;

			for (ulong i = j; i < n; i += outputs)
				sum += A[i];
			P[pass * outputs + j] = sum;
		}
	}
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_l2_sum(
	__global const float *restrict P, __global float *restrict B, ulong outputs, int passes)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	float sum = 0.0f;

	if (j >= outputs)
		return;
#pragma unroll 64
	for (int p = 0; p < passes; p++)
		sum += P[p * outputs + j];
	B[j] = sum;
}
