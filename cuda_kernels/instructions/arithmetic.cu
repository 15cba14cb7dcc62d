/*
 * Throughput of f32 arithmetic: each thread runs CHAINS independent chains of one operation in
 * registers. The row's macro selects the operation of a trip: one_trip(). The factor is an
 * argument, so the compiler cannot fold operations. A chain begins at its element of A and never
 * converges: the answer depends on each trip.
 *
 * Block: BLOCK threads, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: the units of the operation. CUDA C++ Programming Guide, arithmetic instructions,
 * compute capability 9.0: 128 results per cycle and multiprocessor for add, multiply and fma.
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
static __device__ __forceinline__ float one_trip(float x, float before, float factor, float second)
{
#if defined(USE_FMA)
	/* A rotation by the angle whose cosine is factor / 2: x neither grows nor converges. */
	return fmaf(factor, x, -before);
#elif defined(USE_ADD)
	return x + factor + factor;
#elif defined(USE_MUL)
	/* factor = 1 + f and second = 1 - f: a trip multiplies x by 1 - f^2. */
	return x * factor * second;
#elif defined(USE_RECIPROCAL)
	/* factor and second are reciprocals here, computed once before the loop. */
	return x * factor * second;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) instructions_arithmetic(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n, int trips,
	int eighths)
{
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK * CHAINS + threadIdx.x;
	float factor = (float)eighths * 0.125f;
	float second = 2.0f - factor;
#if defined(USE_RECIPROCAL)
	factor = 1.0f / factor;
	second = 1.0f / second;
#endif
	float before[CHAINS], x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		unsigned long long i = first + chain * BLOCK;

		before[chain] = 1.0f;
		x[chain] = i < n ? A[i] : 1.0f;
	}
#pragma unroll 8
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++) {
			float next = one_trip(x[chain], before[chain], factor, second);

			before[chain] = x[chain];
			x[chain] = next;
		}
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		unsigned long long i = first + chain * BLOCK;

		if (i < n)
			B[i] = x[chain];
	}
}
