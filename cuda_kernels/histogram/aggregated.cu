/*
 * Histogram, coarse and interleaved, where a thread delays its additions: it counts equal
 * successive values in a register, and adds the count when another value follows. Runs of equal
 * values are the worst case for threads that use the same counter; here they are the best case. If
 * values seldom repeat, the comparisons are wasted.
 *
 * Block: BLOCK threads. Groups: at most ceil(n / (BLOCK * CHUNK_VALUES)), and as many as the device
 * holds at a time. Shared memory: 4 * bins bytes. H holds zeros; A begins on a 16-byte boundary; n
 * < 2^32.
 * Limited by: memory for constant data; for random data as the coarse kernel, and by its branches.
 * Book: PMPP 4th ed., 9.6, Fig. 9.15.
 */

/* The values of one load. */
#ifdef DTYPE_U8
typedef unsigned char element;
#define CHUNK_VALUES CHUNK_BYTES
#else
typedef unsigned element;
#define CHUNK_VALUES (CHUNK_BYTES / 4)
#endif

/* Counts a value in the run. If the value differs from the run's value, adds the run first. */
static __device__ __forceinline__ void count_value(
	unsigned *counts, unsigned bin_count, unsigned value, unsigned *previous, unsigned *run)
{
	if (value == *previous) {
		++*run;
	} else {
		if (*previous < bin_count)
			atomicAdd(&counts[*previous], *run);
		*previous = value;
		*run = 1;
	}
}

/* The values of a word. */
static __device__ __forceinline__ void count_word(
	unsigned *counts, unsigned bin_count, unsigned word, unsigned *previous, unsigned *run)
{
#ifdef DTYPE_U8
	count_value(counts, bin_count, word & 255, previous, run);
	count_value(counts, bin_count, word >> 8 & 255, previous, run);
	count_value(counts, bin_count, word >> 16 & 255, previous, run);
	count_value(counts, bin_count, word >> 24, previous, run);
#else
	count_value(counts, bin_count, word, previous, run);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_aggregated(
	const element *__restrict__ A, unsigned *__restrict__ H, unsigned long long n,
	unsigned long long bins)
{
	extern __shared__ unsigned counts[];
	unsigned group = blockIdx.x;
	unsigned lane = threadIdx.x;
	unsigned bin_count = (unsigned)bins;
	unsigned thread = group * BLOCK + lane;
	unsigned threads = gridDim.x * BLOCK;
	const uint4 *chunks = (const uint4 *)A;
	unsigned chunk_count = (unsigned)(n / CHUNK_VALUES);
	unsigned tail = (unsigned)(n % CHUNK_VALUES);
	unsigned previous = bin_count; /* none: the first value begins a run */
	unsigned run = 0;

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		counts[b] = 0;
	__syncthreads();

	for (unsigned i = thread; i < chunk_count; i += threads) {
		uint4 chunk = chunks[i];

		count_word(counts, bin_count, chunk.x, &previous, &run);
		count_word(counts, bin_count, chunk.y, &previous, &run);
		count_word(counts, bin_count, chunk.z, &previous, &run);
		count_word(counts, bin_count, chunk.w, &previous, &run);
	}
	if (thread < tail)
		count_value(counts, bin_count, A[n - 1 - thread], &previous, &run);
	if (run > 0 && previous < bin_count)
		atomicAdd(&counts[previous], run);
	__syncthreads();

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		if (counts[b] > 0)
			atomicAdd(&H[b], counts[b]);
}
