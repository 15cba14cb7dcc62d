/*
 * f16 multiply-adds, two in one instruction: CHAINS independent chains y = y * one + x per thread.
 * Each chain is a half2 in one register, for two outputs. `one` is 1. It is an argument, so the
 * compiler cannot remove a link, and each link costs one multiply-add of a pair. f16 holds all
 * integers up to 2048, so a chain takes PART_PASSES passes over elements of at most
 * 2048 / PART_PASSES. Then it is added to sums in f32 and begins again at zero. B[j] = passes * sum
 * of A[i] over i = j modulo outputs, CHAINS elements of an output at a time.
 *
 * A pair is loaded as one word: the compiler would pack two separate values in each iteration.
 * `one` becomes two halves in one word. For a half that is used twice, NVRTC 13.0 generates only
 * HFMA2, with a swizzle. For a word it generates HFMA2 and HFMA2.MMA in turn, which use two pipes.
 * With HFMA2 alone a multiprocessor of an H200 computed 126 results per cycle.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / (2 * BLOCK)). n = CHAINS * outputs uses every chain.
 * A begins on a 4-byte boundary.
 * Limited by: the f16 units: 256 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0). The sums in f32 take 4 instructions per
 * PART_PASSES passes.
 */
#include <cuda_fp16.h>

#define CHAINS 16
#define UNROLL 16
#define ONE_PAIR 0x3c003c00u /* 1 in both halves */

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
	unsigned ones = (unsigned)one * ONE_PAIR;
	half2 factor = *(const half2 *)&ones;
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
				y[c] = __float2half2_rn(0.0f);
#pragma unroll 1
			for (; p < whole; p += UNROLL)
#pragma unroll
				for (int u = 0; u < UNROLL; u++)
#pragma unroll
					for (int c = 0; c < CHAINS; c++)
						y[c] = __hfma2(y[c], factor, x[c]);
#pragma unroll 1
			for (; p < part; p++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = __hfma2(y[c], factor, x[c]);
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
