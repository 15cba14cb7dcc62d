/*
 * Throughput of f16 multiply-adds: each work-item runs CHAINS independent chains of x = factor * x
 * + factor, two in a register (half2). factor is 1, but the compiler cannot know this. x starts at
 * -1024 times the chain's element of A, rounded to an integer, and counts the trips. f16 represents
 * all integers up to 2048, so no sum is rounded.
 *
 * factor is two halves in one word. NVIDIA GPUs of compute capability 9.0 have two pipes for f16,
 * and one of them cannot use a half twice (see the CUDA kernel).
 *
 * Block: BLOCK work-items, CHAINS elements each, BLOCK apart; CHAINS is even. Groups: ceil(n /
 * (BLOCK * CHAINS)).
 * Limited by: the f16 units: 256 results per cycle and compute unit, two per instruction (CUDA C++
 * Programming Guide, arithmetic instructions, compute capability 9.0).
 * Book: PMPP 4th ed., 6.4 (the checklist): the mix of instructions.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define BOTH_HALVES 0x10001u /* 16 bits times this: the bits in both halves of a word */

/* Two f16 in a register. */
static inline uint to_pair(float x, float y)
{
	ushort2 pair;

	vstore_half2_rte((float2)(x, y), 0, (half *)&pair);
	return as_uint(pair);
}

/* a * b + c in each half, rounded once. */
static inline uint fma2(uint a, uint b, uint c)
{
#ifdef __NV_CL_C_VERSION
	/* Half arithmetic compiles, but without cl_khr_fp16 there may be no fma() for it. */
	uint sum;

	asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
	return sum;
#else
	return as_uint(fma(as_half2(a), as_half2(b), as_half2(c)));
#endif
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void instructions_f16(
	__global const float *restrict A, __global float *restrict B,
	ulong n, int trips, int eighths)
{
	ulong first = (ulong)get_group_id(0) * BLOCK * CHAINS + get_local_id(0);
	uint factor = to_pair((float)eighths * 0.125f, 0.0f) * BOTH_HALVES;
	uint x[CHAINS / 2];

#pragma unroll
	for (int pair = 0; pair < CHAINS / 2; pair++) {
		ulong i = first + 2 * pair * BLOCK;
		ulong j = i + BLOCK;

		x[pair] = to_pair(i < n ? -1024.0f * A[i] : 0.0f, j < n ? -1024.0f * A[j] : 0.0f);
	}
#pragma unroll 8
	for (int trip = 0; trip < trips; trip++) {
#pragma unroll
		for (int pair = 0; pair < CHAINS / 2; pair++)
			x[pair] = fma2(factor, x[pair], factor);
	}
#pragma unroll
	for (int pair = 0; pair < CHAINS / 2; pair++) {
		ulong i = first + 2 * pair * BLOCK;
		ulong j = i + BLOCK;
		float2 values = vload_half2(0, (const half *)&x[pair]);

		if (i < n)
			B[i] = values.x;
		if (j < n)
			B[j] = values.y;
	}
}
