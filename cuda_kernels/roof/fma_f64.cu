/*
 * f64 multiply-adds: CHAINS independent chains per thread, all in registers. The links are
 * y = y * 2 + x and y = y * 0.5 + x in turn. Each link costs one multiply-add, and the compiler
 * cannot remove one. After an even number of links y = 0.75 * links * x, exactly. The links
 * after the last whole UNROLL are y = y * one + x, where `one` is 1. B[j] = passes * sum of A[i]
 * over i = j modulo outputs, CHAINS elements of an output at a time.
 *
 * The factors are part of the instructions. With a factor in a register of 64 bits a multiprocessor
 * of an H200 computed 57.6 results per cycle (instructions/f64-fma).
 *
 * Block: BLOCK threads. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the FMA units: 64 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0).
 */
#define CHAINS 8
#define UNROLL 16 /* even */

extern "C" __global__ void __launch_bounds__(BLOCK) roof_fma_f64(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes,
	int one)
{
	unsigned long long j = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	double sum = 0.0;

	if (j >= outputs)
		return;
	for (unsigned long long first = j; first < n; first += CHAINS * outputs) {
		double x[CHAINS], y[CHAINS];
		int whole = passes - passes % UNROLL;
		int p = 0;

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			unsigned long long i = first + c * outputs;

			x[c] = i < n ? A[i] : 0.0f;
			y[c] = 0.0;
		}
#pragma unroll 1
		for (; p < whole; p += UNROLL)
#pragma unroll
			for (int u = 0; u < UNROLL; u += 2) {
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = fma(y[c], 2.0, x[c]);
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					y[c] = fma(y[c], 0.5, x[c]);
			}
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			y[c] /= 0.75;
#pragma unroll 1
		for (; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				y[c] = fma(y[c], (double)one, x[c]);
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += y[c];
	}
	B[j] = (float)sum;
}
