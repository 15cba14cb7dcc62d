/*
 * f16 multiply-adds, two in one instruction: CHAINS independent chains per thread. Each chain is a half2
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
 * Block: BLOCK threads. Groups: ceil(outputs / (2 * BLOCK)). n = CHAINS * outputs uses every chain.
 * A begins on a 4-byte boundary.
 * Limited by: the f16 units: 256 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0). The sums in f32 take 6 instructions per
 * PART_PASSES passes.
 */
#include <cuda_fp16.h>

#define CHAINS 16
#define UNROLL 32 /* even */
#define ONE_PAIR 0x3c003c00u /* 1 in both halves */
#define MINUS_TWO_PAIR 0xc000c000u
#define MINUS_HALF_PAIR 0xb800b800u

/* A pair from its bits. */
static __device__ half2 pair_of(unsigned bits)
{
	return *(const half2 *)&bits;
}

/* A[i] and A[i + 1], of outputs j and j + 1; zero beyond the end. */
static __device__ half2 load_pair(const half *A, unsigned long long i, unsigned long long n,
	unsigned long long j, unsigned long long outputs)
{
	half zero = __float2half(0.0f);

	if (i % 2 == 0 && i + 1 < n && j + 1 < outputs)
		return *(const half2 *)(A + i);
	return __halves2half2(
		i < n ? A[i] : zero, i + 1 < n && j + 1 < outputs ? A[i + 1] : zero);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
	roof_fma_f16(const half *__restrict__ A, float *__restrict__ B, unsigned long long n,
		unsigned long long outputs, int passes, int one)
{
	unsigned long long j = ((unsigned long long)blockIdx.x * BLOCK + threadIdx.x) * 2;
	const half2 ones = pair_of((unsigned)one * ONE_PAIR);
	const half2 minus_two = pair_of(MINUS_TWO_PAIR), minus_half = pair_of(MINUS_HALF_PAIR);
	const half2 zero = pair_of(0);
	float low = 0.0f, high = 0.0f;

	if (j >= outputs)
		return;
	for (unsigned long long first = j; first < n; first += CHAINS * outputs) {
		half2 x[CHAINS], y[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			x[c] = load_pair(A, first + c * outputs, n, j, outputs);
		for (int left = passes; left > 0; left -= PART_PASSES) {
			int part = min(left, PART_PASSES);
			int whole = part - part % UNROLL;
			int p = 0;

#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = zero;
#pragma unroll 1
			for (; p < whole; p += UNROLL)
#pragma unroll
				for (int u = 0; u < UNROLL; u += 2) {
#pragma unroll
					for (int c = 0; c < CHAINS; c++)
						y[c] = __hfma2(y[c], minus_two, x[c]);
#pragma unroll
					for (int c = 0; c < CHAINS; c++)
						y[c] = __hfma2(y[c], minus_half, x[c]);
				}
#pragma unroll
			for (int c = 0; c < CHAINS; c++) {
				float2 sums = __half22float2(y[c]);

				low += 4.0f * sums.x;
				high += 4.0f * sums.y;
				y[c] = zero;
			}
			if (whole == part)
				continue;
#pragma unroll 1
			for (; p < part; p++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = __hfma2(y[c], ones, x[c]);
#pragma unroll
			for (int c = 0; c < CHAINS; c++) {
				float2 sums = __half22float2(y[c]);

				low += sums.x;
				high += sums.y;
			}
		}
	}
	B[j] = low;
	if (j + 1 < outputs)
		B[j + 1] = high;
}
