/*
 * Second-level cache, read: A is much larger than a first-level cache and fits in the second.
 * In each pass all of A is read once, a row of `outputs` elements at a time, 16 bytes per
 * thread. A block reads 4 * BLOCK columns of all rows. There are many times as many blocks as fit
 * on the device: a multiprocessor that is far from the cache is slower, and reads fewer of them.
 * B[j] = passes * sum of A[i] over i = j modulo outputs: a block stores its sums in P, and
 * a second kernel adds the sums of all passes.
 *
 * The passes run at the same time. If all passes had the same order of rows, first-level caches
 * would serve most reads. A block would find rows that another block of its multiprocessor has just
 * read. It would then be faster than the other block until both read the same rows. So each pass
 * has its own order: another first row and another step. The rows that a block has just read
 * are then spread over the whole order of every other block. The blocks of a multiprocessor
 * also read different columns. The share of reads that a first-level cache serves is about the size
 * of this cache / the size of A.
 *
 * Block: BLOCK threads. Groups: passes * ceil(outputs / (4 * BLOCK)); ceil(outputs / BLOCK)
 * for the second kernel. Operands begin on 16-byte boundaries.
 * Limited by: the second-level cache.
 */

/* A prime, larger than most numbers of rows: the steps of neighbouring passes differ widely. */
#define STEP_SPREAD 10007

static __device__ unsigned common_divisor(unsigned a, unsigned b)
{
	while (b) {
		unsigned rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The step of a pass, less than `rows` and without a common divisor: `rows` steps visit each row
 * once. */
static __device__ unsigned step_of(unsigned pass, unsigned rows)
{
	unsigned step = rows > 2 ? 1 + pass * STEP_SPREAD % (rows - 1) : 1;

	while (common_divisor(rows, step) > 1)
		step--;
	return step;
}

/* The first row of a pass. The first rows are spread over A. */
static __device__ unsigned first_row(unsigned pass, unsigned passes, unsigned rows)
{
	return (unsigned)((unsigned long long)rows * pass / passes);
}

/* The columns of a group, as a multiple of 4 * BLOCK: a pass has each of them once. They differ for
 * groups whose numbers differ by a multiple of `chunks`. */
static __device__ unsigned chunk_of(unsigned group, unsigned chunks)
{
	return (group + group / chunks) % chunks;
}

/* The row after `row`. */
static __device__ unsigned row_after(unsigned row, unsigned step, unsigned rows)
{
	unsigned next = row + step;

	return next < rows ? next : next - rows;
}

static __device__ float4 add(float4 a, float4 b)
{
	return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* Four elements of a row; A is at the first of row 0. */
static __device__ float4 load_quad(const float *A, unsigned long long outputs, unsigned row)
{
	return *(const float4 *)(A + row * outputs);
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_l2(const float *__restrict__ A,
	float *__restrict__ P, unsigned long long n, unsigned long long outputs, int passes)
{
	unsigned chunks = (unsigned)((outputs + 4 * BLOCK - 1) / (4 * BLOCK));
	unsigned pass = blockIdx.x / chunks;
	unsigned long long chunk = chunk_of(blockIdx.x, chunks);
	unsigned long long first = (chunk * BLOCK + threadIdx.x) * 4;

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		const float *quads = A + first;
		float4 sum0 = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
		float4 sum1 = sum0, sum2 = sum0, sum3 = sum0;
		unsigned rows = first < n ? (n - first + outputs - 1) / outputs : 0;
		unsigned step = step_of(pass, rows);
		unsigned row = first_row(pass, passes, rows);
		unsigned r = 0;

		for (; r + 3 < rows; r += 4) {
			unsigned row1 = row_after(row, step, rows);
			unsigned row2 = row_after(row1, step, rows);
			unsigned row3 = row_after(row2, step, rows);

			sum0 = add(sum0, load_quad(quads, outputs, row));
			sum1 = add(sum1, load_quad(quads, outputs, row1));
			sum2 = add(sum2, load_quad(quads, outputs, row2));
			sum3 = add(sum3, load_quad(quads, outputs, row3));
			row = row_after(row3, step, rows);
		}
		for (; r < rows; r++) {
			sum0 = add(sum0, load_quad(quads, outputs, row));
			row = row_after(row, step, rows);
		}
		*(float4 *)(P + pass * outputs + first) = add(add(sum0, sum1), add(sum2, sum3));
	} else {
		for (unsigned long long j = first; j < outputs && j < first + 4; j++) {
			float sum = 0.0f;

			for (unsigned long long i = j; i < n; i += outputs)
				sum += A[i];
			P[pass * outputs + j] = sum;
		}
	}
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_l2_sum(
	const float *__restrict__ P, float *__restrict__ B, unsigned long long outputs,
	int passes)
{
	unsigned long long j = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	float sum = 0.0f;

	if (j >= outputs)
		return;
#pragma unroll 64
	for (int p = 0; p < passes; p++)
		sum += P[p * outputs + j];
	B[j] = sum;
}
