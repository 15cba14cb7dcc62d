/*
 * The answer of chunk.cu, with TRIPS multiply-adds for each element. The multiply-adds take longer
 * than memory and longer than the start of the blocks. A warp needs the same time for 4 active
 * lanes as for 32. A block of 100 threads has 4 warps, and the last has 4 active lanes. So the same
 * elements need 128 / 100 times as many warp instructions as in blocks of 128 threads.
 *
 * Each trip adds 1 to the low 16 bits of the value as a float. The sums are integers below 2^17, so
 * every trip is exact, and the sum shows how many trips ran. `one` is 1. It is an argument, so the
 * compiler keeps the trips.
 *
 * OP_STREAM: B[i] = A[i] + 1. OP_GATHER: LOADS loads, one after another. Each load gives the index
 * of the next one. A thread past the end starts at A[0] and stores nothing.
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * COARSE)).
 * Limited by: arithmetic.
 * Book: PMPP 4th ed., 4.4 (warps and SIMD hardware).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) occupancy_warps(
	const unsigned *__restrict__ A, unsigned *__restrict__ B, unsigned long long n, int one)
{
	unsigned long long first =
		(unsigned long long)blockIdx.x * (BLOCK * COARSE) + threadIdx.x;
	float step = (float)one;
	unsigned value[COARSE];
	float sum[COARSE];

#pragma unroll
	for (int c = 0; c < COARSE; c++)
		value[c] = A[first + c * BLOCK < n ? first + c * BLOCK : 0];
#ifdef OP_GATHER
#pragma unroll
	for (int load = 1; load < LOADS; load++)
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			value[c] = A[value[c]];
#endif
#pragma unroll
	for (int c = 0; c < COARSE; c++)
		sum[c] = (float)(value[c] & 0xffff);
#pragma unroll 16
	for (int trip = 0; trip < TRIPS; trip++)
#pragma unroll
		for (int c = 0; c < COARSE; c++)
			sum[c] = fmaf(sum[c], step, step);
#pragma unroll
	for (int c = 0; c < COARSE; c++) {
		unsigned low = (unsigned)sum[c] - TRIPS;
#ifdef OP_STREAM
		low++;
#endif
		if (first + c * BLOCK < n)
			B[first + c * BLOCK] = (value[c] & 0xffff0000) + low;
	}
}
