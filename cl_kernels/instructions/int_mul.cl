/*
 * Throughput of 32-bit integer multiply-adds: each work-item runs CHAINS independent chains of x =
 * factor * x + c modulo 2^32. The addition prevents the compiler from combining several
 * multiplications; on a GPU it is part of the same instruction. c is the fraction of the chain's
 * element of A (from 1 to 2) as an integer. The answer is the upper 24 bits of x.
 *
 * Block: BLOCK work-items, CHAINS elements each, BLOCK apart. Groups: ceil(n / (BLOCK *
 * CHAINS)).
 * Limited by: the multipliers: 64 results per cycle and compute unit (CUDA C++ Programming Guide,
 * arithmetic instructions, compute capability 9.0).
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void instructions_int_mul(
	__global const float *restrict A, __global float *restrict B, ulong n, int trips, int factor)
{
	ulong first = (ulong)get_group_id(0) * BLOCK * CHAINS + get_local_id(0);
	uint c[CHAINS], x[CHAINS];

#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		c[chain] = i < n ? (uint)(A[i] * 8388608.0f) : 1;
		x[chain] = c[chain];
	}
#pragma unroll 8
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int chain = 0; chain < CHAINS; chain++)
			x[chain] = (uint)factor * x[chain] + c[chain];
	}
#pragma unroll
	for (int chain = 0; chain < CHAINS; chain++) {
		ulong i = first + chain * BLOCK;

		if (i < n)
			B[i] = (float)(x[chain] >> 8);
	}
}
