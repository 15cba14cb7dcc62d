/*
 * Functions of the special function units: CHAINS independent chains per thread, all in registers.
 * A link computes w = f(w) - offset, then y = y + w * x. The first w is `one`, which is 1, and
 * offset = f(1) - 1. So w stays exactly 1, even if f is not exact. `one` is an argument, so the
 * compiler cannot remove a link, and each link costs one function. After all links y = passes * x.
 * B[j] = passes * sum of A[i] over i = j modulo outputs, CHAINS elements of an output at a time.
 *
 * The function is the cosine: one multiplication and one instruction of the special function units. A
 * power of two also tests for denormal numbers, and these instructions and the registers that they
 * wait for left 93 % of the rate on an H200.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the special function units: 16 results per cycle and multiprocessor (CUDA C++
 * Programming Guide, arithmetic instructions, compute capability 9.0).
 */
#define CHAINS 8
#define UNROLL 16

extern "C" __global__ void __launch_bounds__(BLOCK) roof_special(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes,
	int one)
{
	unsigned long long j = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	float unit = (float)one;
	float offset = __cosf(unit) - unit;
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (unsigned long long first = j; first < n; first += CHAINS * outputs) {
		float x[CHAINS], y[CHAINS], w[CHAINS];
		int whole = passes - passes % UNROLL;
		int p = 0;

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			unsigned long long i = first + c * outputs;

			x[c] = i < n ? A[i] : 0.0f;
			y[c] = 0.0f;
			w[c] = unit;
		}
#pragma unroll 1
		for (; p < whole; p += UNROLL)
#pragma unroll
			for (int u = 0; u < UNROLL; u++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++) {
					w[c] = __cosf(w[c]) - offset;
					y[c] = fmaf(w[c], x[c], y[c]);
				}
#pragma unroll 1
		for (; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++) {
				w[c] = __cosf(w[c]) - offset;
				y[c] = fmaf(w[c], x[c], y[c]);
			}
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += y[c];
	}
	B[j] = sum;
}
