/*
 * Even/odd update without a branch: the parity selects operands, not instructions. 2 x and x + 1
 * are both x (2 - odd) + odd. In the same way a step is x * factor + addend, with operands that are
 * computed once. All threads of a warp run the same instructions for all data.
 *
 * Every thread runs TRIPS_MOST trips and keeps the result after its own number of trips.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic.
 * Book: PMPP 4th ed., 4.5 (control divergence), table 6.1.
 */
extern "C" __global__ void __launch_bounds__(BLOCK)
	divergence_branchless(const int *__restrict__ A, int *__restrict__ B, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= n)
		return;
	unsigned x = (unsigned)A[i];
	unsigned odd = x & 1;
	unsigned factor = odd + (1 - odd) * FACTOR;
	unsigned addend = odd * ADDEND;
	int trips = TRIPS_LEAST + (int)(((unsigned)i / 2 % 4 + 1) / 2);

	x = x * (2 - odd) + odd;
#pragma unroll 1
	for (int trip = 0; trip < TRIPS_MOST; trip++) {
		unsigned y = x;

		for (int step = 0; step < STEPS; step++) {
			y = y * factor + addend;
			y ^= y >> 15;
		}
		x = trip < trips ? y : x;
	}
	B[i] = (int)x;
}
