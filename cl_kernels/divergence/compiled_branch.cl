/*
 * Even/odd update where the compiler takes the branch: the macro FORM chooses one of two ways to do
 * a step (1: the operands of a step by the parity; 2: both steps, then the result), and only that
 * one is in the program. Beside the uniform branch it shows what a test that all work-items agree
 * on costs.
 *
 * Every work-item runs the loop TRIPS_MOST times and keeps what its own number of trips gives.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic.
 * Book: PMPP 4th ed., 4.5 (control divergence).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void divergence_compiled_branch(
	__global const int *restrict A, __global int *restrict B, ulong n)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);

	if (i >= n)
		return;
	uint x = (uint)A[i];
	uint odd = x & 1;
	int trips = TRIPS_LEAST + (int)(((uint)i / 2 % 4 + 1) / 2);
#if FORM == 1
	uint factor = odd + (1 - odd) * FACTOR;
	uint addend = odd * ADDEND;
#endif

	x = x * (2 - odd) + odd;
#pragma unroll 1
	for (int trip = 0; trip < TRIPS_MOST; trip++) {
		uint y = x;

		for (int step = 0; step < STEPS; step++) {
#if FORM == 1
			y = y * factor + addend;
#else
			uint more = y + ADDEND;

			y *= FACTOR;
			y = odd ? more : y;
#endif
			y ^= y >> 15;
		}
		x = trip < trips ? y : x;
	}
	B[i] = (int)x;
}
