/*
 * Throughput of f16 multiply-adds: each thread runs CHAINS independent chains of x = factor * x +
 * factor, two in a register (half2). factor is 1, but the compiler cannot know this. x starts at
 * -1024 times the chain's element of A, rounded to an integer, and counts the trips. f16 represents
 * all integers up to 2048, so no sum is rounded.
 *
 * factor is two halves in one word. For a half that is used twice, NVRTC 13.0 generates only HFMA2,
 * with a swizzle. For a word it generates HFMA2 and HFMA2.MMA in turn, which use two pipes.
 *
 * Block: BLOCK threads, CHAINS elements each, BLOCK apart; CHAINS is even. Groups: ceil(n / (BLOCK
 * * CHAINS)).
 * Limited by: the f16 units: 256 results per cycle and multiprocessor, two per instruction (CUDA
 * C++ Programming Guide, arithmetic instructions, compute capability 9.0).
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
#include <cuda_fp16.h>

#define BOTH_HALVES 0x10001u /* 16 bits times this: the bits in both halves of a word */

extern "C" __global__ void __launch_bounds__(BLOCK) instructions_f16(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, int trips, int eighths)
{
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK * CHAINS + threadIdx.x;
	unsigned factors = __half_as_ushort(__float2half_rn((float)eighths * 0.125f)) * BOTH_HALVES;
	half2 factor = *(const half2 *)&factors;
	half2 x[CHAINS / 2];

#pragma unroll
	for (int pair = 0; pair < CHAINS / 2; pair++) {
		unsigned long long i = first + 2 * pair * BLOCK;
		unsigned long long j = i + BLOCK;

		x[pair] = __floats2half2_rn(
			i < n ? -1024.0f * A[i] : 0.0f, j < n ? -1024.0f * A[j] : 0.0f);
	}
#pragma unroll 8
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int pair = 0; pair < CHAINS / 2; pair++)
			x[pair] = __hfma2(factor, x[pair], factor);
	}
#pragma unroll
	for (int pair = 0; pair < CHAINS / 2; pair++) {
		unsigned long long i = first + 2 * pair * BLOCK;
		unsigned long long j = i + BLOCK;
		float2 values = __half22float2(x[pair]);

		if (i < n)
			B[i] = values.x;
		if (j < n)
			B[j] = values.y;
	}
}
