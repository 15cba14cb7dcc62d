/*
 * Even/odd update (without a branch on the parity) in a loop that each work-item leaves after its
 * own 6, 7 or 8 trips. A warp goes on until its last work-item has left: where neighbours differ,
 * every warp takes the longest number of trips, and leaving early saves nothing. With SORTED 1 a
 * warp takes the elements of 128 that have the same number of trips, and is done when they are.
 *
 * Trips go by position, 6 6 7 7 7 7 8 8 and again, so a warp of equal trips takes every fourth pair
 * of neighbours; it still asks each element's own number.
 *
 * Block: BLOCK work-items, with SORTED 1 a multiple of 128. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic: an eighth of it idle with SORTED 0.
 * Book: PMPP 4th ed., 4.5, Fig. 4.10 (divergence in a loop).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void divergence_loop(
	__global const int *restrict A, __global int *restrict B, ulong n)
{
	uint t = get_local_id(0);
	ulong group = get_group_id(0);
#if SORTED
	t = t / 128 * 128 + t % 32 / 2 * 8 + t / 32 % 4 * 2 + t % 2;
#endif
	ulong i = group * BLOCK + t;

	if (i >= n)
		return;
	uint x = (uint)A[i];
	uint odd = x & 1;
	uint factor = odd + (1 - odd) * FACTOR;
	uint addend = odd * ADDEND;
	int trips = TRIPS_LEAST + (int)(((uint)i / 2 % 4 + 1) / 2);

	x = x * (2 - odd) + odd;
#pragma unroll 1
	for (int trip = 0; trip < trips; trip++) {
		for (int step = 0; step < STEPS; step++) {
			x = x * factor + addend;
			x ^= x >> 15;
		}
	}
	B[i] = (int)x;
}
