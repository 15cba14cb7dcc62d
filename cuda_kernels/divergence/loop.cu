/*
 * Even/odd update (without a branch on the parity) in a loop that each thread leaves after 6, 7 or
 * 8 trips. A warp continues until its last thread has left. If neighbours differ, every warp runs
 * the largest number of trips, and leaving early saves no time. With SORTED 1 a warp takes those of
 * 4 * LANES elements that have the same number of trips, and ends after these trips.
 *
 * The trips depend on the position: 6 6 7 7 7 7 8 8, repeated. So a warp of equal trips takes every
 * fourth pair of neighbours. It still computes the trips of each element, so the kernel is right
 * for warps of any size.
 *
 * Block: BLOCK threads, with SORTED 1 a multiple of 4 * LANES. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic: an eighth of it is idle with SORTED 0.
 * Book: PMPP 4th ed., 4.5, Fig. 4.10 (divergence in a loop).
 */
extern "C" __global__ void __launch_bounds__(BLOCK)
	divergence_loop(const int *__restrict__ A, int *__restrict__ B, unsigned long long n)
{
	unsigned t = threadIdx.x;
#if SORTED
	t = t / (4 * LANES) * (4 * LANES) + t % LANES / 2 * 8 + t / LANES % 4 * 2 + t % 2;
#endif
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + t;

	if (i >= n)
		return;
	unsigned x = (unsigned)A[i];
	unsigned odd = x & 1;
	unsigned factor = odd + (1 - odd) * FACTOR;
	unsigned addend = odd * ADDEND;
	int trips = TRIPS_LEAST + (int)(((unsigned)i / 2 % 4 + 1) / 2);

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
