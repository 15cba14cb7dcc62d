/*
 * COARSE elements per thread, BLOCK apart, so that the threads of a warp access neighbours. The
 * loads of a thread are independent: resident threads x COARSE loads are in flight on a
 * multiprocessor. The rows of this file change only this number: with blocks that are not whole
 * warps, and with fewer threads for the same work.
 *
 * OP_STREAM: B[i] = A[i] + 1. OP_GATHER: LOADS dependent loads; each load gives the index of the
 * next one. A thread past the end starts at A[0], which always exists, and stores nothing.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: memory; by latency if too few bytes are in flight.
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
