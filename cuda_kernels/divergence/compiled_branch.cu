/*
 * Even/odd update in which the compiler selects the branch: the macro FORM selects one of two forms
 * of a step (1: the parity selects the operands of a step; 2: both steps, then one result). The
 * program has only this form. The difference from the uniform branch is the cost of a test with the
 * same result in all threads.
 *
 * Every thread runs TRIPS_MOST trips and keeps the result after its own number of trips.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK).
 * Limited by: integer arithmetic.
 * Book: PMPP 4th ed., 4.5 (control divergence).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) divergence_compiled_branch(
	const int *__restrict__ A, int *__restrict__ B, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= n)
		return;
	unsigned x = (unsigned)A[i];
	unsigned odd = x & 1;
	int trips = TRIPS_LEAST + (int)(((unsigned)i / 2 % 4 + 1) / 2);
#if FORM == 1
	unsigned factor = odd + (1 - odd) * FACTOR;
	unsigned addend = odd * ADDEND;
#endif

	x = x * (2 - odd) + odd;
#pragma unroll 1
	for (int trip = 0; trip < TRIPS_MOST; trip++) {
		unsigned y = x;

		for (int step = 0; step < STEPS; step++) {
#if FORM == 1
			y = y * factor + addend;
#else
			unsigned more = y + ADDEND;

			y *= FACTOR;
			y = odd ? more : y;
#endif
			y ^= y >> 15;
		}
		x = trip < trips ? y : x;
	}
	B[i] = (int)x;
}
