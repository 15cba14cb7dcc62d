/*
 * f32 multiply-adds of a CPU: CHAINS independent chains y = y * one + x of float16, in vector
 * registers. `one` is 1, but the compiler does not know; so each link costs one multiply-add, and
 * after `passes` links y = passes * x. B[j] = passes * sum of A[i] over i = j modulo outputs,
 * CHAINS elements of an output at a time.
 *
 * Block: 1 work-item, SPAN = 16 outputs. Groups: ceil(outputs / 16). n = CHAINS * outputs uses
 * every chain.
 * Limited by: the FMA units.
 */
#define CHAINS 8

#if SPAN != 16
#error "SPAN is the width of the vectors: 16"
#endif

/* 16 elements from A[i]; zeros beyond the end. */
static float16 load_guarded(__global const float *A, ulong i, ulong n)
{
	if (i + 16 <= n)
		return vload16(0, A + i);

	float part[16];

	for (int lane = 0; lane < 16; lane++)
		part[lane] = i + lane < n ? A[i + lane] : 0.0f;
	return vload16(0, part);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void roof_fma_cpu(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = (ulong)get_group_id(0) * 16;
	float16 factor = (float)one;
	float16 sum = 0.0f;

	for (ulong first = j; first < n; first += CHAINS * outputs) {
		float16 x[CHAINS], y[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			x[c] = load_guarded(A, first + c * outputs, n);
			y[c] = 0.0f;
		}
		for (int p = 0; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = fma(y[c], factor, x[c]);
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += y[c];
	}
	if (j + 16 <= outputs) {
		vstore16(sum, 0, B + j);
	} else {
		float part[16];

		vstore16(sum, 0, part);
		for (int lane = 0; j + lane < outputs; lane++)
			B[j + lane] = part[lane];
	}
}
