/*
 * f64 multiply-adds: CHAINS independent chains per work-item, all in registers. The links are
 * y = y * 2 + x and y = y * 0.5 + x in turn. Each link costs one multiply-add, and the compiler
 * cannot remove one. After an even number of links y = 0.75 * links * x, exactly. The links
 * after the last whole UNROLL are y = y * one + x, where `one` is 1. B[j] = passes * sum of A[i]
 * over i = j modulo outputs, CHAINS elements of an output at a time.
 *
 * The factors are part of the instructions. With a factor in a register of 64 bits a multiprocessor
 * of an H200 computed 57.6 results per cycle (instructions/f64-fma).
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the FMA units: 64 results per cycle and multiprocessor (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0).
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define CHAINS 8
#define UNROLL 16 /* even */

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_fma_f64(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	double sum = 0.0;

	if (j >= outputs)
		return;
	for (ulong first = j; first < n; first += CHAINS * outputs) {
		double x[CHAINS], y[CHAINS];
		int whole = passes - passes % UNROLL;
		int p = 0;

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			ulong i = first + c * outputs;

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
