/*
 * Even/odd update with a branch that has the same direction in all threads: the argument `form`
 * selects one of two forms of a step (1: the parity selects the operands; 2: both steps, then one
 * result). Only divergent branches are expensive; this one costs only the test.
 *
 * Every thread runs TRIPS_MOST trips and keeps the result after its own number of trips.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic.
 * Book: PMPP 4th ed., 4.5 (control divergence).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) divergence_uniform_branch(
	const int *__restrict__ A, int *__restrict__ B, unsigned long long n, int form)
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

		if (form == 1) {
			for (int step = 0; step < STEPS; step++) {
				y = y * factor + addend;
				y ^= y >> 15;
			}
		} else {
			for (int step = 0; step < STEPS; step++) {
				unsigned more = y + ADDEND;

				y *= FACTOR;
				y = odd ? more : y;
				y ^= y >> 15;
			}
		}
		x = trip < trips ? y : x;
	}
	B[i] = (int)x;
}
