/*
 * Throughput of f32 arithmetic: each work-item runs CHAINS independent chains of one operation in
 * registers. The row's macro chooses the operation of a trip: one_trip(). The factor is an
 * argument, so the compiler can fold nothing; c is the chain's element of A.
 *
 * Block: BLOCK work-items, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: the units of the operation. CUDA C++ Programming Guide, arithmetic instructions,
 * compute capability 9.0: 128 results a cycle and multiprocessor of add, multiply and fma.
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
#pragma OPENCL FP_CONTRACT OFF

static inline float one_trip(float x, float c, float factor, float inverse)
{
#if defined(USE_FMA)
	return fma(factor, x, c);
#elif defined(USE_ADD)
	return x + factor + factor;
#elif defined(USE_MUL)
	/* The two factors cancel, so the magnitude of x stays; its sign changes with each trip. */
	return x * -factor * inverse;
#elif defined(USE_RECIPROCAL)
	/* Division by -factor, then by its inverse, as multiplications by what was divided once. */
	return x * factor * inverse;
#endif
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void instructions_arithmetic(
	__global const float *restrict A, __global float *restrict B,
	ulong n, int trips, int eighths)
{
	ulong first = (ulong)get_group_id(0) * BLOCK * CHAINS + get_local_id(0);
	float factor = (float)eighths * 0.125f;
	float inverse = 1.0f / factor;
#if defined(USE_RECIPROCAL)
	/* What a trip multiplies by is divided once. */
	factor = 1.0f / -factor;
	inverse = 1.0f / inverse;
#endif
	float c[CHAINS], x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		c[chain] = i < n ? A[i] : 1.0f;
		x[chain] = c[chain];
	}
#pragma unroll 8
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++)
			x[chain] = one_trip(x[chain], c[chain], factor, inverse);
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		if (i < n)
			B[i] = x[chain];
	}
}
