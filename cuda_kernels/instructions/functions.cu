/*
 * Throughput of divisions, roots and functions: each thread runs CHAINS independent chains of one
 * operation in registers. The row's macro selects the operation of a trip: one_trip(). A trip also
 * has one multiply-add, so that x converges and early errors vanish, and one addition: the answer
 * is the sum of all x, so it depends on each trip.
 * A chain of divisions needs neither, because x grows.
 * The factor is an argument. c is the chain's element of A, a number from 1 to 2.
 *
 * Block: BLOCK threads, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: fast forms: the special function units, 16 results per cycle and multiprocessor (CUDA
 * C++ Programming Guide, arithmetic instructions, compute capability 9.0); precise forms: the large
 * number of their instructions.
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
static __device__ __forceinline__ float one_trip(float x, float c, float factor, float second)
{
#if defined(USE_DIVIDE)
	/* factor = 1 + f and second = 1 - f: a trip divides x by 1 - f^2. */
	return x / factor / second;
#elif defined(USE_SQRT)
	return sqrtf(fmaf(factor, x, c));
#elif defined(USE_SIN)
	return fmaf(factor, sinf(x), c);
#elif defined(USE_SIN_NATIVE)
	return fmaf(factor, __sinf(x), c);
#elif defined(USE_COS)
	return fmaf(factor, cosf(x), c);
#elif defined(USE_COS_NATIVE)
	return fmaf(factor, __cosf(x), c);
#elif defined(USE_EXP)
	return fmaf(factor, expf(-x), c);
#elif defined(USE_EXP_NATIVE)
	return fmaf(factor, __expf(-x), c);
#elif defined(USE_EXP_PRODUCT)
	return fmaf(factor, expf(-x) * expf(-0.5f * x) * expf(-0.25f * x), c);
#elif defined(USE_EXP_SUM)
	return fmaf(factor, expf(fmaf(-0.25f, x, fmaf(-0.5f, x, -x))), c);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) instructions_functions(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n, int trips,
	int eighths)
{
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK * CHAINS + threadIdx.x;
	float factor = (float)eighths * 0.125f;
	float second = 2.0f - factor;
	float c[CHAINS], x[CHAINS], sum[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		unsigned long long i = first + chain * BLOCK;

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
		unsigned long long i = first + chain * BLOCK;

		if (i < n)
#if defined(USE_DIVIDE)
			B[i] = x[chain];
#else
			B[i] = sum[chain];
#endif
	}
}
