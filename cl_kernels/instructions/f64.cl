/*
 * Throughput of f64 multiply-adds: each work-item runs CHAINS independent chains of multiply-adds
 * in double. As in the f32 row, a trip is a rotation by the angle whose cosine is factor / 2. It
 * starts at the chain's element of A. The last x is rounded to f32.
 *
 * Block: BLOCK work-items, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK * CHAINS)).
 * Limited by: the f64 units: 64 results per cycle and compute unit (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0), 2 on GPUs for graphics.
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void instructions_f64(
	__global const float *restrict A, __global float *restrict B,
	ulong n, int trips, int eighths)
{
	ulong first = (ulong)get_group_id(0) * BLOCK * CHAINS + get_local_id(0);
	double factor = (double)eighths * 0.125;
	double before[CHAINS], x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		before[chain] = 1.0;
		x[chain] = i < n ? (double)A[i] : 1.0;
	}
#pragma unroll 8
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++) {
			double next = fma(factor, x[chain], -before[chain]);

			before[chain] = x[chain];
			x[chain] = next;
		}
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		if (i < n)
			B[i] = (float)x[chain];
	}
}
