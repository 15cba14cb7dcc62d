/*
 * 32-bit integers: CHAINS independent chains x = ((x >> zero) ^ zero) * one + a per work-item, all
 * in registers. `one` is 1 and `zero` is 0. They are arguments, so the compiler cannot remove a
 * link. Each link costs a shift, an exclusive or and a multiply-add. After `passes`
 * links x = passes * a. B[j] = passes * sum of A[i] over i = j modulo outputs, CHAINS elements of
 * an output at a time. A holds integers.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the integer units. On compute capability 9.0 a multiprocessor computes 64 shifts or
 * logic operations per cycle, and 64 multiply-adds in other units (CUDA C++ Programming Guide,
 * arithmetic instructions): 32 links, or 96 operations.
 */
#define CHAINS 8
#define UNROLL 16

static inline uint link(uint x, uint zero, uint one, uint a)
{
	return ((x >> zero) ^ zero) * one + a;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_integer(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	uint factor = one;
	uint zero = factor - 1;
	float sum = 0.0f;

	if (j >= outputs)
		return;
	for (ulong first = j; first < n; first += CHAINS * outputs) {
		uint a[CHAINS], x[CHAINS];
		int whole = passes - passes % UNROLL;
		int p = 0;

#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			ulong i = first + c * outputs;

			a[c] = i < n ? (uint)(int)A[i] : 0;
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
