/*
 * Even/odd update without a branch: the parity selects operands, not instructions. 2 x and x + 1
 * are both x (2 - odd) + odd. In the same way a step is x * factor + addend, with operands that are
 * computed once. All work-items of a warp run the same instructions for all data.
 *
 * Every work-item runs TRIPS_MOST trips and keeps the result after its own number of trips.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic.
 * Book: PMPP 4th ed., 4.5 (control divergence), table 6.1.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void divergence_branchless(
	__global const int *restrict A, __global int *restrict B, ulong n)
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

		for (int step = 0; step < STEPS; step++) {
			y = y * factor + addend;
			y ^= y >> 15;
		}
		x = trip < trips ? y : x;
	}
	B[i] = (int)x;
}
