/*
 * f32 multiply-adds: CHAINS independent chains y = y * one + x per thread, in registers. `one` is
 * 1. It is an argument, so the compiler cannot remove a link, and each link costs one
 * multiply-add. After `passes` links y = passes * x. B[j] = passes * sum of A[i] over i = j modulo
 * outputs, CHAINS elements of an output at a time.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the FMA units: 128 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0).
 */
#define CHAINS 16
#define UNROLL 16

extern "C" __global__ void __launch_bounds__(BLOCK) roof_fma(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes,
	int one)
{
	unsigned long long j = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	float factor = (float)one;
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (unsigned long long first = j; first < n; first += CHAINS * outputs) {
		float x[CHAINS], y[CHAINS];
		int whole = passes - passes % UNROLL;
		int p = 0;

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			unsigned long long i = first + c * outputs;

			x[c] = i < n ? A[i] : 0.0f;
			y[c] = 0.0f;
		}
#pragma unroll 1
		for (; p < whole; p += UNROLL)
#pragma unroll
			for (int u = 0; u < UNROLL; u++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = fma(y[c], factor, x[c]);
#pragma unroll 1
		for (; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = fma(y[c], factor, x[c]);
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += y[c];
	}
	B[j] = sum;
}
