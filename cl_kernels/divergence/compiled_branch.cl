/*
 * Even/odd update in which the compiler selects the branch: the macro FORM selects one of two forms
 * of a step (1: the parity selects the operands of a step; 2: both steps, then one result). The
 * program has only this form. The difference from the uniform branch is the cost of a test with the
 * same result in all work-items.
 *
 * Every work-item runs TRIPS_MOST trips and keeps the result after its own number of trips.
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
