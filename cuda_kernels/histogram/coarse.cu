/*
 * Histogram with few blocks, each with a private copy and many values: only as many copies to merge
 * as the device holds blocks at a time. Threads load 16 bytes at a time. INTERLEAVED 0: a thread
 * takes a contiguous run of chunks; the loads of neighbouring threads are in different lines.
 * INTERLEAVED 1: neighbouring threads take neighbouring chunks, in steps of the grid size, so the
 * loads are coalesced.
 *
 * Block: BLOCK threads. Groups: at most ceil(n / (BLOCK * CHUNK_VALUES)), and as many as the device
 * holds at a time. Shared memory: 4 * bins bytes. H holds zeros; A begins on a 16-byte boundary; n
 * < 2^32.
 * Limited by: atomic additions in shared memory: lanes that share a bank wait for each other.
 * Book: PMPP 4th ed., 9.5, Fig. 9.12 and 9.14 (which load one value at a time).
 */

/* The values of one load. */
#ifdef DTYPE_U8
typedef unsigned char element;
#define CHUNK_VALUES CHUNK_BYTES
#else
typedef unsigned element;
#define CHUNK_VALUES (CHUNK_BYTES / 4)
#endif

/* Increments the counter of a value. */
static __device__ __forceinline__ void count_value(
	unsigned *counts, unsigned bin_count, unsigned value)
{
	if (value < bin_count)
		atomicAdd(&counts[value], 1u);
}

/* The values of a word. */
static __device__ __forceinline__ void count_word(
	unsigned *counts, unsigned bin_count, unsigned word)
{
#ifdef DTYPE_U8
	count_value(counts, bin_count, word & 255);
	count_value(counts, bin_count, word >> 8 & 255);
	count_value(counts, bin_count, word >> 16 & 255);
	count_value(counts, bin_count, word >> 24);
#else
	count_value(counts, bin_count, word);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_coarse(
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
#if INTERLEAVED
	unsigned begin = thread;
	unsigned end = chunk_count;
	unsigned step = threads;
#else
	unsigned run = (chunk_count + threads - 1) / threads;
	unsigned begin = thread * run;
	unsigned end = min(begin + run, chunk_count);
	unsigned step = 1;
#endif

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		counts[b] = 0;
	__syncthreads();

	for (unsigned i = begin; i < end; i += step) {
		uint4 chunk = chunks[i];

		count_word(counts, bin_count, chunk.x);
		count_word(counts, bin_count, chunk.y);
		count_word(counts, bin_count, chunk.z);
		count_word(counts, bin_count, chunk.w);
	}
	if (thread < tail)
		count_value(counts, bin_count, A[n - 1 - thread]);
	__syncthreads();

	for (unsigned b = lane; b < bin_count; b += BLOCK)
		if (counts[b] > 0)
			atomicAdd(&H[b], counts[b]);
}
