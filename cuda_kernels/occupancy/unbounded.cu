/*
 * A thread with many registers and one load in flight: it computes COARSE elements one after
 * another and stores them at the end. `zero` is 0, but the compiler cannot know this: each load
 * depends on the previous load, the stores depend on the last load, and all values stay in
 * registers until then. Without launch bounds the compiler uses as many registers as it needs, so
 * fewer threads are resident than a multiprocessor can hold.
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
