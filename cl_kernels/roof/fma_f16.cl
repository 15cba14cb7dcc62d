/*
 * f16 multiply-adds, two in one instruction: CHAINS independent chains per work-item. Each chain is two halves
 * in one register, for two outputs. The links are y = y * -2 + x and y = y * -0.5 + x in turn. Each
 * link costs one multiply-add of a pair, and the compiler cannot remove one. After an even number of
 * links y = 0.25 * links * x, exactly: f16 holds all integers up to 2048, and a chain takes
 * PART_PASSES passes over elements of at most 2048 / PART_PASSES. Then four times the chain is added
 * to sums in f32, and the chain begins again at zero. The links after the last whole UNROLL are
 * y = y * one + x, where `one` is 1. B[j] = passes * sum of A[i] over i = j modulo outputs, CHAINS
 * elements of an output at a time.
 *
 * A pair is loaded as one word: the compiler would pack two separate values in each iteration.
 * The factors are part of the instructions. With a factor in a register, some instructions wait for
 * registers: OpenCL reached 86 % of the rate on an H200, and 92 % with these factors. For a word
 * NVRTC 13.0 generates HFMA2 and HFMA2.MMA in turn, which use two pipes. With HFMA2 alone a
 * multiprocessor of an H200 computed 126 results per cycle.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / (2 * BLOCK)). n = CHAINS * outputs uses every chain.
 * A begins on a 4-byte boundary.
 * Limited by: the f16 units: 256 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0). The sums in f32 take 6 instructions per
 * PART_PASSES passes.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define CHAINS 16
#define UNROLL 32 /* even */
#define ONE_PAIR 0x3c003c00u /* 1 in both halves */
#define MINUS_TWO_PAIR 0xc000c000u
#define MINUS_HALF_PAIR 0xb800b800u

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
static inline uint load_pair(__global const ushort *A, ulong i, ulong n, ulong j, ulong outputs)
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
	const uint ones = (uint)one * ONE_PAIR;
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
				for (int u = 0; u < UNROLL; u += 2) {
#pragma unroll
					for (int c = 0; c < CHAINS; c++)
						y[c] = fma2(y[c], MINUS_TWO_PAIR, x[c]);
#pragma unroll
					for (int c = 0; c < CHAINS; c++)
						y[c] = fma2(y[c], MINUS_HALF_PAIR, x[c]);
				}
#pragma unroll
			for (int c = 0; c < CHAINS; c++) {
				sum += 4.0f * halves(y[c]);
				y[c] = 0;
			}
			if (whole == part)
				continue;
#pragma unroll 1
			for (; p < part; p++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = fma2(y[c], ones, x[c]);
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				sum += halves(y[c]);
		}
	}
	B[j] = sum.x;
	if (j + 1 < outputs)
		B[j + 1] = sum.y;
}
