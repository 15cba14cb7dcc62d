/*
 * 32-bit integers: CHAINS independent chains x = ((x >> zero) ^ zero) * one + a per thread, all in
 * registers. `one` is 1 and `zero` is 0. They are arguments, so the compiler cannot remove a
 * link. Each link costs a shift, an exclusive or and a multiply-add. After `passes`
 * links x = passes * a. B[j] = passes * sum of A[i] over i = j modulo outputs, CHAINS elements of
 * an output at a time. A holds integers.
 *
 * Block: BLOCK threads. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the integer units. On compute capability 9.0 a multiprocessor computes 64 shifts or
 * logic operations per cycle, and 64 multiply-adds in other units (CUDA C++ Programming Guide,
 * arithmetic instructions): 32 links, or 96 operations.
 */
#define CHAINS 8
#define UNROLL 16

static __device__ unsigned link(unsigned x, unsigned zero, unsigned one, unsigned a)
{
	return ((x >> zero) ^ zero) * one + a;
}

extern "C" __global__ void __launch_bounds__(BLOCK) roof_integer(const float *__restrict__ A,
	float *__restrict__ B, unsigned long long n, unsigned long long outputs, int passes,
	int one)
{
	unsigned long long j = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	unsigned factor = one;
	unsigned zero = factor - 1;
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (unsigned long long first = j; first < n; first += CHAINS * outputs) {
		unsigned a[CHAINS], x[CHAINS];
		int whole = passes - passes % UNROLL;
		int p = 0;

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			unsigned long long i = first + c * outputs;

			a[c] = i < n ? (unsigned)(int)A[i] : 0;
			x[c] = 0;
		}
#pragma unroll 1
		for (; p < whole; p += UNROLL)
#pragma unroll
			for (int u = 0; u < UNROLL; u++)
#pragma unroll
				for (int c = 0; c < CHAINS; c++)
					x[c] = link(x[c], zero, factor, a[c]);
#pragma unroll 1
		for (; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				x[c] = link(x[c], zero, factor, a[c]);
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += (float)(int)x[c];
	}
	B[j] = sum;
}
