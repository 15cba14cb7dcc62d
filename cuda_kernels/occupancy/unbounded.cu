/*
 * A thread with many registers and one load under way: it answers for COARSE elements one after
 * another and stores them at the end. `zero` is 0, which the compiler does not know: no load can
 * begin before the one before has ended, no store before the last load, and every value stays in a
 * register meanwhile. The compiler is told nothing of the launch and takes the registers it likes,
 * which leaves room for fewer threads than a multiprocessor could hold.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: latency.
 * Book: PMPP 4th ed., 4.7 (resource partitioning: registers).
 */
extern "C" __global__ void occupancy_unbounded(
	const unsigned *__restrict__ A, unsigned *__restrict__ B, unsigned long long n,
	unsigned long long zero)
{
	unsigned long long first =
		(unsigned long long)blockIdx.x * (BLOCK * COARSE) + threadIdx.x;
	unsigned long long wait = 0;
	unsigned value[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		unsigned long long i = first + c * BLOCK + wait;

		value[c] = i < n ? A[i] : 0;
#ifdef OP_GATHER
#pragma unroll
		for (int load = 1; load < LOADS; load++)
			value[c] = A[value[c]];
#endif
		wait = value[c] & zero;
	}
#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		unsigned long long i = first + c * BLOCK + wait;
#ifdef OP_STREAM
		value[c]++;
#endif
		if (i < n)
			B[i] = value[c];
	}
}
