/*
 * 32-bit integers: CHAINS independent chains x = (x ^ zero) + a per work-item, all in registers. `zero`
 * is 0. It comes from an argument, so the compiler cannot remove a link. Each link costs an exclusive
 * or and an addition. After `passes` links x = passes * a. B[j] = passes * sum of A[i] over i = j
 * modulo outputs, CHAINS elements of an output at a time. A holds integers.
 *
 * Block: BLOCK work-items. Groups: ceil(outputs / BLOCK). n = CHAINS * outputs uses every chain.
 * Limited by: the integer units. An operation is an instruction. On compute capability 9.0 a
 * multiprocessor issues 128 instructions per cycle: it computes 64 logic operations or shifts, and 64
 * multiply-adds in other units (CUDA C++ Programming Guide, arithmetic instructions). ptxas makes
 * IMAD.IADD of the addition, so both kinds of units work. No mix of operations is faster. With a
 * third register in an instruction (the factor of a multiply-add) the units wait for registers: a
 * mix with shifts and multiply-adds had 75 operations per cycle.
 */
#define CHAINS 8
#define UNROLL 32

static inline uint link(uint x, uint zero, uint a)
{
	return (x ^ zero) + a;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void roof_integer(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong outputs,
	int passes, int one)
{
	ulong j = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	uint zero = one - 1;
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
					x[c] = link(x[c], zero, a[c]);
#pragma unroll 1
		for (; p < passes; p++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				x[c] = link(x[c], zero, a[c]);
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			sum += (float)(int)x[c];
	}
	B[j] = sum;
}
