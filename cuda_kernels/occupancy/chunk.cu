/*
 * COARSE elements a thread, BLOCK apart, so that the threads of a warp access neighbours. The loads
 * of a thread do not wait for each other: resident threads x COARSE of them are under way on a
 * multiprocessor. The rows of this file change that number alone: by blocks that are no whole
 * number of warps, and by giving the same work to fewer threads.
 *
 * OP_STREAM: B[i] = A[i] + 1. OP_GATHER: LOADS loads one after another, each at the index that the
 * one before gave. A thread past the end follows A[0], which is always there, and stores nothing.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: memory, and by latency where too little is under way to keep it busy.
 * Book: PMPP 4th ed., 4.4 to 4.7 (warps, latency tolerance, resources), 6.3 (coarsening).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) occupancy_chunk(
	const unsigned *__restrict__ A, unsigned *__restrict__ B, unsigned long long n)
{
	unsigned long long first =
		(unsigned long long)blockIdx.x * (BLOCK * COARSE) + threadIdx.x;
	unsigned value[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++)
		value[c] = first + c * BLOCK < n ? A[first + c * BLOCK] : 0;
#ifdef OP_GATHER
#pragma unroll
	for (int load = 1; load < LOADS; load++)
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			value[c] = A[value[c]];
#else
#pragma unroll
	for (int c = 0; c < COARSE; c++)
		value[c]++;
#endif
#pragma unroll
	for (int c = 0; c < COARSE; c++)
		if (first + c * BLOCK < n)
			B[first + c * BLOCK] = value[c];
}
