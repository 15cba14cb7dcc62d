/*
 * Even/odd update with a branch that has the same direction in all work-items: the argument
 * `form` selects one of two forms of a step (1: the parity selects the operands; 2: both
 * steps, then one result). Only divergent branches are expensive; this one costs only the
 * test.
 *
 * Every work-item runs TRIPS_MOST trips and keeps the result after its own number of trips.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic.
 * Book: PMPP 4th ed., 4.5 (control divergence).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void divergence_uniform_branch(
	__global const int *restrict A, __global int *restrict B, ulong n, int form)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);

	if (i >= n)
		return;
	uint x = (uint)A[i];
	uint odd = x & 1;
	uint factor = odd + (1 - odd) * FACTOR;
	uint addend = odd * ADDEND;
	int trips = TRIPS_LEAST + (int)(((uint)i / 2 % 4 + 1) / 2);

	x = x * (2 - odd) + odd;
#pragma unroll 1
	for (int trip = 0; trip < TRIPS_MOST; trip++) {
		uint y = x;

		if (form == 1) {
			for (int step = 0; step < STEPS; step++) {
				y = y * factor + addend;
				y ^= y >> 15;
			}
		} else {
			for (int step = 0; step < STEPS; step++) {
				uint more = y + ADDEND;

				y *= FACTOR;
				y = odd ? more : y;
				y ^= y >> 15;
			}
		}
		x = trip < trips ? y : x;
	}
	B[i] = (int)x;
}
