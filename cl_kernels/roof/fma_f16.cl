/*
 * f16 multiply-adds, two in an instruction: CHAINS independent chains y = y * one + x a work-item,
 * each a pair of f16 in one register. `one` is 1, but the compiler does not know; so each link costs
 * one multiply-add of a pair. f16 holds all integers up to 2048, so a chain lives for PART_PASSES
 * passes over elements of at most 2048 / PART_PASSES. Then it is added to a sum in f32 and begins
 * again at zero. B[j] = passes * sum of A[i] over i = j modulo outputs, 2 * CHAINS elements of an
 * output at a time.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / BLOCK). n = 2 * CHAINS * outputs uses every chain.
 * Limited by: the f16 units: 256 results a cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0). The sums in f32 are 4 instructions for each
 * PART_PASSES.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define CHAINS 16
#define ONE_PAIR 0x3c003c00u /* 1 in both halves */

/* a * b + c in each half, rounded once. */
static inline uint fma2(uint a, uint b, uint c)
{
#ifdef __NV_CL_C_VERSION
	/* Without cl_khr_fp16 the language has no fma() of half. */
	uint sum;

	asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
	return sum;
#else
	return as_uint(fma(as_half2(a), as_half2(b), as_half2(c)));
#endif
}

/* The sum of both halves, in f32. */
static inline float both(uint pair)
{
	float2 values = vload_half2(0, (const half *)&pair);

	return values.x + values.y;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_fma_f16(
	__global const ushort *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	uint factor = (uint)one * ONE_PAIR;
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (ulong first = j; first < n; first += 2 * CHAINS * outputs) {
		uint x[CHAINS], y[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			ulong i = first + 2 * c * outputs;

			x[c] = i < n ? A[i] : 0;
			if (i + outputs < n)
				x[c] |= (uint)A[i + outputs] << 16;
		}
		for (int left = passes; left > 0; left -= PART_PASSES) {
			int part = min(left, PART_PASSES);

#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = 0;
#pragma unroll 16
			for (int p = 0; p < part; p++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = fma2(y[c], factor, x[c]);
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				sum += both(y[c]);
		}
	}
	B[j] = sum;
}
