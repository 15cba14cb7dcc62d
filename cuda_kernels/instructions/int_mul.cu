/*
 * Throughput of 32-bit integer multiply-adds: each thread runs CHAINS independent chains of x =
 * factor * x + c modulo 2^32. The addition prevents the compiler from combining several
 * multiplications; on a GPU it is part of the same instruction. c is the fraction of the chain's
 * element of A (from 1 to 2) as an integer. The answer is the upper 24 bits of x.
 *
 * Block: BLOCK threads, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: the multipliers: 64 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0).
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
extern "C" __global__ void __launch_bounds__(BLOCK) instructions_int_mul(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n, int trips,
	int factor)
{
	unsigned long long first = (unsigned long long)blockIdx.x * BLOCK * CHAINS + threadIdx.x;
	unsigned c[CHAINS], x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		unsigned long long i = first + chain * BLOCK;

		c[chain] = i < n ? (unsigned)(A[i] * 8388608.0f) : 1;
		x[chain] = c[chain];
	}
#pragma unroll 8
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++)
			x[chain] = (unsigned)factor * x[chain] + c[chain];
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		unsigned long long i = first + chain * BLOCK;

		if (i < n)
			B[i] = (float)(x[chain] >> 8);
	}
}
