/*
 * f32 multiply-adds of a CPU whose compiler combines work-items into vectors: CHAINS independent
 * chains y = y * one + x per work-item, as many as in fma_cpu.cl. `one` is 1. It is an argument, so
 * the compiler cannot remove a link. A link is one multiply-add if the compiler makes one from the
 * two operations, else a multiplication and an addition. After `passes` links y = passes * x. B[j] =
 * passes * sum of A[i] over i = j modulo outputs, CHAINS elements of an output at a time.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the FMA units.
 */
#define CHAINS 12

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_fma_items(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	float factor = (float)one;
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (ulong first = j; first < n; first += CHAINS * outputs) {
		float x[CHAINS], y[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			ulong i = first + c * outputs;

			x[c] = i < n ? A[i] : 0.0f;
			y[c] = 0.0f;
		}
		for (int p = 0; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = y[c] * factor + x[c];
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += y[c];
	}
	B[j] = sum;
}
