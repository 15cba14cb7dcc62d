/*
 * Even/odd update where the compiler takes the branch: the macro FORM chooses one of two ways to do
 * a step (1: the operands of a step by the parity; 2: both steps, then the result), and only that
 * one is in the program. Beside the uniform branch it shows what a test that all threads agree on
 * costs.
 *
 * Every thread runs the loop TRIPS_MOST times and keeps what its own number of trips gives.
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
