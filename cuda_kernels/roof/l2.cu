/*
 * Second-level cache, read: A is larger than any first-level cache and fits in the second. A block
 * reads the rows of `outputs` elements of the whole of A in each pass, 16 bytes a thread. Each
 * pass begins at another row, so blocks of one multiprocessor do not find each other's rows in its
 * first-level cache, and no pass can be left out. A block makes PASSES_EACH passes for 4 * BLOCK
 * outputs and leaves its sums in P; a second kernel adds the sums of all blocks. B[j] = passes *
 * sum of A[i] over i = j modulo outputs.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / (4 * BLOCK)) * ceil(passes / PASSES_EACH);
 * ceil(outputs / BLOCK) for the second kernel. Operands begin on 16-byte boundaries.
 * Limited by: the second-level cache.
 */

static __device__ float4 add(float4 a, float4 b)
{
	return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* Rows from `from` to `to` - 1 of four outputs; A is at the first of them. */
static __device__ float4 sum_quads(
	const float *A, unsigned long long outputs, unsigned long long from, unsigned long long to)
{
	float4 sum0 = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	float4 sum1 = sum0, sum2 = sum0, sum3 = sum0;
	unsigned long long r = from;

	for (; r + 3 < to; r += 4) {
		sum0 = add(sum0, *(const float4 *)(A + r * outputs));
		sum1 = add(sum1, *(const float4 *)(A + (r + 1) * outputs));
		sum2 = add(sum2, *(const float4 *)(A + (r + 2) * outputs));
		sum3 = add(sum3, *(const float4 *)(A + (r + 3) * outputs));
	}
	for (; r < to; r++)
		sum0 = add(sum0, *(const float4 *)(A + r * outputs));
	return add(add(sum0, sum1), add(sum2, sum3));
}

/* The same of one output. */
static __device__ float sum_ones(
	const float *A, unsigned long long outputs, unsigned long long from, unsigned long long to)
{
	float sum = 0.0f;

	for (unsigned long long r = from; r < to; r++)
		sum += A[r * outputs];
	return sum;
}

/* Elements of output j. */
static __device__ unsigned long long rows_of(
	unsigned long long n, unsigned long long outputs, unsigned long long j)
{
	return j < n ? (n - j + outputs - 1) / outputs : 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_l2(const float *__restrict__ A,
	float *__restrict__ P, unsigned long long n, unsigned long long outputs, int passes)
{
	unsigned long long chunks = (outputs + 4 * BLOCK - 1) / (4 * BLOCK);
	unsigned long long part = blockIdx.x / chunks;
	unsigned long long first = (blockIdx.x % chunks * BLOCK + threadIdx.x) * 4;
	unsigned long long begin = part * PASSES_EACH;
	unsigned long long end = min(begin + PASSES_EACH, (unsigned long long)passes);

	if (first >= outputs)
		return;
	if (n % 4 == 0 && outputs % 4 == 0) {
		unsigned long long rows = rows_of(n, outputs, first);
		float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

		for (unsigned long long p = begin; p < end; p++) {
			unsigned long long start = rows * p / passes;

			sum = add(sum, add(sum_quads(A + first, outputs, start, rows),
					       sum_quads(A + first, outputs, 0, start)));
		}
		*(float4 *)(P + part * outputs + first) = sum;
	} else {
		for (unsigned long long j = first; j < outputs && j < first + 4; j++) {
			unsigned long long rows = rows_of(n, outputs, j);
			float sum = 0.0f;

			for (unsigned long long p = begin; p < end; p++) {
				unsigned long long start = rows * p / passes;

				sum += sum_ones(A + j, outputs, start, rows) +
				       sum_ones(A + j, outputs, 0, start);
			}
			P[part * outputs + j] = sum;
		}
	}
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_l2_sum(
	const float *__restrict__ P, float *__restrict__ B, unsigned long long outputs, int parts)
{
	unsigned long long j = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	float sum = 0.0f;

	if (j >= outputs)
		return;
#pragma unroll 16
	for (int part = 0; part < parts; part++)
		sum += P[part * outputs + j];
	B[j] = sum;
}
