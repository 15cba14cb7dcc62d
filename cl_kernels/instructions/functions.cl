/*
 * Throughput of divisions, roots and functions: each work-item runs CHAINS independent chains of
 * one operation in registers. The row's macro selects the operation of a trip: one_trip(). A trip
 * also has one multiply-add, so that x converges and early errors vanish, and one addition: the
 * answer is the sum of all x, so it depends on each trip.
 * A chain of divisions needs neither, because x grows.
 * The factor is an argument. c is the chain's element of A, a number from 1 to 2.
 *
 * Block: BLOCK work-items, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: fast forms: the special function units, 16 results per cycle and compute unit (CUDA
 * C++ Programming Guide, arithmetic instructions, compute capability 9.0); precise forms: the large
 * number of their instructions.
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
#pragma OPENCL FP_CONTRACT OFF

static inline float one_trip(float x, float c, float factor, float second)
{
#if defined(USE_DIVIDE)
	/* factor = 1 + f and second = 1 - f: a trip divides x by 1 - f^2. */
	return x / factor / second;
#elif defined(USE_SQRT)
	return sqrt(fma(factor, x, c));
#elif defined(USE_SIN)
	return fma(factor, sin(x), c);
#elif defined(USE_SIN_NATIVE)
	return fma(factor, native_sin(x), c);
#elif defined(USE_COS)
	return fma(factor, cos(x), c);
#elif defined(USE_COS_NATIVE)
	return fma(factor, native_cos(x), c);
#elif defined(USE_EXP)
	return fma(factor, exp(-x), c);
#elif defined(USE_EXP_NATIVE)
	return fma(factor, native_exp(-x), c);
#elif defined(USE_EXP_PRODUCT)
	return fma(factor, exp(-x) * exp(-0.5f * x) * exp(-0.25f * x), c);
#elif defined(USE_EXP_SUM)
	return fma(factor, exp(fma(-0.25f, x, fma(-0.5f, x, -x))), c);
#endif
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void instructions_functions(
	__global const float *restrict A, __global float *restrict B,
	ulong n, int trips, int eighths)
{
	ulong first = (ulong)get_group_id(0) * BLOCK * CHAINS + get_local_id(0);
	float factor = (float)eighths * 0.125f;
	float second = 2.0f - factor;
	float c[CHAINS], x[CHAINS], sum[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		c[chain] = i < n ? A[i] : 1.0f;
		x[chain] = c[chain];
		sum[chain] = 0.0f;
	}
	/* Not unrolled: the precise forms have many instructions. */
#pragma unroll 1
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++) {
			x[chain] = one_trip(x[chain], c[chain], factor, second);
			sum[chain] += x[chain];
		}
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		if (i < n)
#if defined(USE_DIVIDE)
			B[i] = x[chain];
#else
			B[i] = sum[chain];
#endif
	}
}
