/*
 * f16 multiply-adds, two in an instruction: CHAINS independent chains y = y * one + x a thread,
 * each a half2 in one register. `one` is 1, but the compiler does not know; so each link costs one
 * multiply-add of a pair. f16 holds all integers up to 2048, so a chain lives for PART_PASSES
 * passes over elements of at most 2048 / PART_PASSES. Then it is added to a sum in f32 and begins
 * again at zero. B[j] = passes * sum of A[i] over i = j modulo outputs, 2 * CHAINS elements of an
 * output at a time.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / BLOCK). n = 2 * CHAINS * outputs uses every chain.
 * Limited by: the f16 units: 256 results a cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0). The sums in f32 are 4 instructions for each
 * PART_PASSES.
 */
#include <cuda_fp16.h>

#define CHAINS 16

/* The sum of both halves, in f32. */
static __device__ float both(half2 pair)
{
	float2 values = __half22float2(pair);

	return values.x + values.y;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
	roof_fma_f16(const half *__restrict__ A, float *__restrict__ B, unsigned long long n,
		unsigned long long outputs, int passes, int one)
{
	unsigned long long j = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	half2 factor = __float2half2_rn((float)one);
	half zero = __float2half(0.0f);
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (unsigned long long first = j; first < n; first += 2 * CHAINS * outputs) {
		half2 x[CHAINS], y[CHAINS];

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			unsigned long long i = first + 2 * c * outputs;

			x[c] = __halves2half2(
				i < n ? A[i] : zero, i + outputs < n ? A[i + outputs] : zero);
		}
		for (int left = passes; left > 0; left -= PART_PASSES) {
			int part = min(left, PART_PASSES);

#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = __halves2half2(zero, zero);
#pragma unroll 16
			for (int p = 0; p < part; p++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = __hfma2(y[c], factor, x[c]);
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				sum += both(y[c]);
		}
	}
	B[j] = sum;
}
