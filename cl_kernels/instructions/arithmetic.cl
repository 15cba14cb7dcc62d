/*
 * Throughput of f32 arithmetic: each work-item runs CHAINS independent chains of one operation in
 * registers. The row's macro selects the operation of a trip: one_trip(). The factor is an
 * argument, so the compiler cannot fold operations. A chain begins at its element of A and never
 * converges: the answer depends on each trip.
 *
 * Block: BLOCK work-items, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: the units of the operation. CUDA C++ Programming Guide, arithmetic instructions,
 * compute capability 9.0: 128 results per cycle and compute unit for add, multiply and fma.
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
#pragma OPENCL FP_CONTRACT OFF

static inline float one_trip(float x, float before, float factor, float second)
{
#if defined(USE_FMA)
	/* A rotation by the angle whose cosine is factor / 2: x neither grows nor converges. */
	return fma(factor, x, -before);
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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void instructions_arithmetic(
	__global const float *restrict A, __global float *restrict B,
	ulong n, int trips, int eighths)
{
	ulong first = (ulong)get_group_id(0) * BLOCK * CHAINS + get_local_id(0);
	float factor = (float)eighths * 0.125f;
	float second = 2.0f - factor;
#if defined(USE_RECIPROCAL)
	factor = 1.0f / factor;
	second = 1.0f / second;
#endif
	float before[CHAINS], x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

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
		ulong i = first + chain * BLOCK;

		if (i < n)
			B[i] = x[chain];
	}
}
