/*
 * Even/odd update with a branch on the data. The LANES threads of a warp run one instruction at
 * a time. If some elements of a warp are even and some odd, the warp runs both sides of the branch,
 * each with the other threads disabled, and takes the sum of both times. STRIDE selects the
 * elements of a warp: with 1, neighbours, alternately even and odd; with 2, every second element of
 * 2 * LANES. These have one parity if the parity depends on the position. The branch still tests
 * each element, so the kernel is right for all data, and for warps of any size.
 *
 * Every thread runs TRIPS_MOST trips and keeps the result after its own number of trips.
 *
 * Block: BLOCK threads, a multiple of LANES * STRIDE. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic: half of it is idle with STRIDE 1.
 * Book: PMPP 4th ed., 4.5 (control divergence), table 6.1.
 */
extern "C" __global__ void __launch_bounds__(BLOCK)
	divergence_branchy(const int *__restrict__ A, int *__restrict__ B, unsigned long long n)
{
	unsigned t = threadIdx.x;
	unsigned spread = t / (LANES * STRIDE) * (LANES * STRIDE) + t % LANES * STRIDE +
			  t / LANES % STRIDE;
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + spread;

	if (i >= n)
		return;
	unsigned x = (unsigned)A[i];
	bool odd = x & 1;
	int trips = TRIPS_LEAST + (int)(((unsigned)i / 2 % 4 + 1) / 2);

	x = odd ? x + 1 : 2 * x;
#pragma unroll 1
	for (int trip = 0; trip < TRIPS_MOST; trip++) {
		unsigned y = x;

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
