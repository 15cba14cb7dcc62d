/*
 * Multiply-adds of a CPU in f32 (REAL_BITS 32) or f64 (64): CHAINS independent chains y = y * one +
 * x of vectors of SPAN elements, in vector registers. `one` is 1. It is an argument, so the compiler
 * cannot remove a link, and each link costs one multiply-add. After `passes` links
 * y = passes * x. B[j] = passes * sum of A[i] over i = j modulo outputs, CHAINS elements of an
 * output at a time.
 *
 * CHAINS: two units with a latency of 4 or 5 cycles need 8 or 10 chains. CPUs with vectors of 32
 * bytes have 16 registers: 12 chains and the factor fit, and the additions read x from memory. If
 * SPAN is wider than the registers, the chains take more registers than there are, and the loop
 * stores them in each pass.
 *
 * Block: 1 work-item, SPAN outputs: the elements of a vector register of the CPU. Groups:
 * ceil(outputs / SPAN). n = CHAINS * outputs uses every chain.
 * FUSED 1: a link is fma(). FUSED 0: a link is a multiplication and an addition, for a device that
 * has no instruction for fma().
 * Limited by: the FMA units.
 */
#define CHAINS 12

#if FUSED
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

#define JOINED(word, number) word##number
#define JOIN(word, number) JOINED(word, number)
#define LOAD JOIN(vload, SPAN)
#define STORE JOIN(vstore, SPAN)

#if REAL_BITS == 64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef JOIN(double, SPAN) reals;
#define TO_REALS(floats) JOIN(convert_double, SPAN)(floats)
#define TO_FLOATS(reals) JOIN(convert_float, SPAN)(reals)
#else
typedef JOIN(float, SPAN) reals;
#define TO_REALS(floats) (floats)
#define TO_FLOATS(reals) (reals)
#endif

/* SPAN elements from A[i]; zeros beyond the end. */
static reals load_guarded(__global const float *A, ulong i, ulong n)
{
	if (i + SPAN <= n)
		return TO_REALS(LOAD(0, A + i));

	float part[SPAN];

	for (int lane = 0; lane < SPAN; lane++)
		part[lane] = i + lane < n ? A[i + lane] : 0.0f;
	return TO_REALS(LOAD(0, part));
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void roof_fma_cpu(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = (ulong)get_group_id(0) * SPAN;
	reals factor = one;
	reals sum = 0;

	for (ulong first = j; first < n; first += CHAINS * outputs) {
		reals x[CHAINS], y[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			x[c] = load_guarded(A, first + c * outputs, n);
			y[c] = 0;
		}
		for (int p = 0; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = MULTIPLY_ADD(y[c], factor, x[c]);
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += y[c];
	}
	if (j + SPAN <= outputs) {
		STORE(TO_FLOATS(sum), 0, B + j);
	} else {
		float part[SPAN];

		STORE(TO_FLOATS(sum), 0, part);
		for (int lane = 0; j + lane < outputs; lane++)
			B[j + lane] = part[lane];
	}
}
