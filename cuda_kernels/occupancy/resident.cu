/*
 * The kernel of chunk.cu with unused shared memory. A block holds this memory until it ends, so
 * few blocks are resident at a time. Then a multiprocessor has few other warps to run while one
 * waits for memory.
 *
 * Nothing is stored there, because n is never 0. The compiler cannot know this and keeps the array.
 *
 * Block: BLOCK threads, HELD_KIB KiB of dynamic shared memory. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: latency; with enough resident warps x COARSE by memory.
 * Book: PMPP 4th ed., 4.6 and 4.7 (latency tolerance, resource partitioning).
 */
extern __shared__ unsigned hold[];

extern "C" __global__ void __launch_bounds__(BLOCK) occupancy_resident(
	const unsigned *__restrict__ A, unsigned *__restrict__ B, unsigned long long n)
{
	unsigned long long first =
		(unsigned long long)blockIdx.x * (BLOCK * COARSE) + threadIdx.x;
	unsigned value[COARSE];

	if (n == 0)
		B[0] = hold[HELD_KIB * 256 - 1];
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
