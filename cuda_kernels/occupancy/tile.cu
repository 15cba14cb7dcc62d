/*
 * A tile of TILE elements in shared memory between the loads and the stores. No element is used
 * twice, so the tile has no benefit. A thread stores elements that other threads loaded. A larger
 * tile leaves fewer resident blocks, and fewer warps to hide the latency: tiling makes a kernel
 * slower if it does not remove the bottleneck.
 *
 * Block: BLOCK threads; BLOCK divides TILE. Groups: ceil(n / TILE).
 * Limited by: memory; by latency if the tile leaves too few warps.
 * Book: PMPP 4th ed., 4.7 (resource partitioning), 5.6 (impact of memory usage on occupancy), 6.5
 * (know your computation's bottleneck).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) occupancy_tile(
	const unsigned *__restrict__ A, unsigned *__restrict__ B, unsigned long long n)
{
	__shared__ unsigned tile[TILE];
	unsigned long long first = (unsigned long long)blockIdx.x * TILE;

#pragma unroll 4
	for (int t = threadIdx.x; t < TILE; t += BLOCK)
		tile[t] = first + t < n ? A[first + t] : 0;
	__syncthreads();
#pragma unroll 4
	for (int t = TILE - 1 - threadIdx.x; t >= 0; t -= BLOCK) {
		unsigned value = tile[t];

#ifdef OP_GATHER
#pragma unroll
		for (int load = 1; load < LOADS; load++)
			value = A[value];
#else
		value++;
#endif
		if (first + t < n)
			B[first + t] = value;
	}
}
