/*
 * Even/odd update with a branch on the data. The LANES work-items of a warp run one instruction at
 * a time. If some elements of a warp are even and some odd, the warp runs both sides of the branch,
 * each with the other work-items disabled, and takes the sum of both times. STRIDE selects the
 * elements of a warp: with 1, neighbours, alternately even and odd; with 2, every second element of
 * 2 * LANES. These have one parity if the parity depends on the position. The branch still tests
 * each element, so the kernel is right for all data, and for warps of any size.
 *
 * Every work-item runs TRIPS_MOST trips and keeps the result after its own number of trips.
 *
 * Block: BLOCK work-items, a multiple of LANES * STRIDE. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic: half of it is idle with STRIDE 1.
 * Book: PMPP 4th ed., 4.5 (control divergence), table 6.1.
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void divergence_branchy(
	__global const int *restrict A, __global int *restrict B, ulong n)
{
	uint t = get_local_id(0);
	ulong group = get_group_id(0);
	uint spread = t / (LANES * STRIDE) * (LANES * STRIDE) + t % LANES * STRIDE + t / LANES % STRIDE;
	ulong i = group * BLOCK + spread;

	if (i >= n)
		return;
	uint x = (uint)A[i];
	bool odd = x & 1;
	int trips = TRIPS_LEAST + (int)(((uint)i / 2 % 4 + 1) / 2);

	x = odd ? x + 1 : 2 * x;
#pragma unroll 1
	for (int trip = 0; trip < TRIPS_MOST; trip++) {
		uint y = x;

		if (odd) {
			for (int step = 0; step < STEPS; step++) {
				y += ADDEND;
				y ^= y >> 15;
			}
		} else {
			for (int step = 0; step < STEPS; step++) {
				y *= FACTOR;
				y ^= y >> 15;
			}
		}
		x = trip < trips ? y : x;
	}
	B[i] = (int)x;
}
