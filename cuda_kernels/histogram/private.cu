/*
 * Histogram with a private copy a block: the counters that the threads of a block meet in are in
 * shared memory, close by and shared by one block only. At the end the block adds its copy to
 * global memory: one addition a bin, where global_atomic had one a value.
 *
 * Block: BLOCK threads. Groups: ceil(n / BLOCK). Shared memory: 4 * bins bytes. H holds zeros.
 * Limited by: clearing and merging the copies: with a value a thread, a block has hardly more to
 * count than to merge.
 * Book: PMPP 4th ed., 9.4, Fig. 9.10.
 */

#ifdef DTYPE_U8
typedef unsigned char element;
#else
typedef unsigned element;
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_private(
	const element *__restrict__ A, unsigned *__restrict__ H, unsigned long long n,
	unsigned long long bins)
{
	extern __shared__ unsigned counts[];
	unsigned group = blockIdx.x;
	unsigned lane = threadIdx.x;
	unsigned long long i = (unsigned long long)group * BLOCK + lane;
	unsigned bin_count = (unsigned)bins;

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		counts[b] = 0;
	__syncthreads();

	if (i < n) {
		unsigned value = A[i];

		if (value < bin_count)
			atomicAdd(&counts[value], 1u);
	}
	__syncthreads();

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		if (counts[b] > 0)
			atomicAdd(&H[b], counts[b]);
}
