/*
 * f16 multiply-adds, two in one instruction: CHAINS independent chains y = y * one + x per
 * work-item. Each chain is a pair of f16 in one register, for two outputs. `one` is 1. It is an
 * argument, so the compiler cannot remove a link, and each link costs one multiply-add of a
 * pair. f16 holds all integers up to 2048, so a chain takes PART_PASSES passes over elements of at
 * most 2048 / PART_PASSES. Then it is added to sums in f32 and begins again at zero.
 * B[j] = passes * sum of A[i] over i = j modulo outputs, CHAINS elements of an output at a time.
 *
 * A pair is loaded as one word: the compiler would pack two separate values in each iteration.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / (2 * BLOCK)). n = CHAINS * outputs uses every
 * chain. A begins on a 4-byte boundary.
 * Limited by: the f16 units: 256 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0). The sums in f32 take 4 instructions per
 * PART_PASSES passes.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define CHAINS 16
#define UNROLL 16
#define ONE_PAIR 0x3c003c00u /* 1 in both halves */

/* a * b + c in each half, rounded once. */
static inline uint fma2(uint a, uint b, uint c)
{
#ifdef __NV_CL_C_VERSION
	/* Without cl_khr_fp16 the language has no fma() for half. */
	uint sum;

	asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
	return sum;
#else
	return as_uint(fma(as_half2(a), as_half2(b), as_half2(c)));
#endif
}

/* Both halves in f32. */
static inline float2 halves(uint pair)
{
	return vload_half2(0, (const half *)&pair);
}

/* A[i] and A[i + 1], of outputs j and j + 1; zero beyond the end. */
static inline uint load_pair(
	__global const ushort *A, ulong i, ulong n, ulong j, ulong outputs)
{
	uint low, high;

	if (i % 2 == 0 && i + 1 < n && j + 1 < outputs)
		return *(__global const uint *)(A + i);
	low = i < n ? A[i] : 0;
	high = i + 1 < n && j + 1 < outputs ? A[i + 1] : 0;
	return low | high << 16;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_fma_f16(
	__global const ushort *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = ((ulong)get_group_id(0) * BLOCK + get_local_id(0)) * 2;
	uint factor = (uint)one * ONE_PAIR;
	float2 sum = 0.0f;

	if (j >= outputs)
		return;
	for (ulong first = j; first < n; first += CHAINS * outputs) {
		uint x[CHAINS], y[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			x[c] = load_pair(A, first + c * outputs, n, j, outputs);
		for (int left = passes; left > 0; left -= PART_PASSES) {
			int part = min(left, PART_PASSES);
			int whole = part - part % UNROLL;
			int p = 0;

#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = 0;
#pragma unroll 1
			for (; p < whole; p += UNROLL)
#pragma unroll
				for (int u = 0; u < UNROLL; u++)
#pragma unroll
					for (int c = 0; c < CHAINS; c++)
						y[c] = fma2(y[c], factor, x[c]);
#pragma unroll 1
			for (; p < part; p++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = fma2(y[c], factor, x[c]);
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				sum += halves(y[c]);
		}
	}
	B[j] = sum.x;
	if (j + 1 < outputs)
		B[j + 1] = sum.y;
}
