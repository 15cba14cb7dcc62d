/*
 * Histogram, coarse and interleaved, with several private copies per block. The copies of a bin are
 * neighbours, and lane l counts in copy l % copies. With 32 copies each lane of a warp has its own
 * bank, so no two lanes wait for each other, whatever the values are. The merge reads without
 * conflicts too, because lane l begins with copy l % copies.
 *
 * Block: BLOCK threads. Groups: at most ceil(n / (BLOCK * CHUNK_VALUES)), and as many as the device
 * holds at a time. copies: a power of two, COPIES unless there are too many bins. Shared memory: 4
 * * bins * copies bytes. H holds zeros; A begins on a 16-byte boundary; n < 2^32.
 * Limited by: memory, without conflicts; with many bins, and so few copies, as coarse.
 * Book: PMPP 4th ed., 9.4, taken further.
 */

/* The values of one load. */
#ifdef DTYPE_U8
typedef unsigned char element;
#define CHUNK_VALUES CHUNK_BYTES
#else
typedef unsigned element;
#define CHUNK_VALUES (CHUNK_BYTES / 4)
#endif

#if COPIES & (COPIES - 1)
#error "COPIES must be a power of two"
#endif

/* Increments the counter of a value, in the copy that begins at `own`. */
static __device__ __forceinline__ void count_value(
	unsigned *own, unsigned copy_count, unsigned bin_count, unsigned value)
{
	if (value < bin_count)
		atomicAdd(&own[value * copy_count], 1u);
}

/* The values of a word. */
static __device__ __forceinline__ void count_word(
	unsigned *own, unsigned copy_count, unsigned bin_count, unsigned word)
{
#ifdef DTYPE_U8
	count_value(own, copy_count, bin_count, word & 255);
	count_value(own, copy_count, bin_count, word >> 8 & 255);
	count_value(own, copy_count, bin_count, word >> 16 & 255);
	count_value(own, copy_count, bin_count, word >> 24);
#else
	count_value(own, copy_count, bin_count, word);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_replicated(
	const element *__restrict__ A, unsigned *__restrict__ H, unsigned long long n,
	unsigned long long bins, int copies)
{
	extern __shared__ unsigned counts[];
	unsigned group = blockIdx.x;
	unsigned lane = threadIdx.x;
	unsigned bin_count = (unsigned)bins;
	unsigned copy_count = (unsigned)copies;
	unsigned own_copy = lane & (copy_count - 1);
	unsigned *own = counts + own_copy;
	unsigned thread = group * BLOCK + lane;
	unsigned threads = gridDim.x * BLOCK;
	const uint4 *chunks = (const uint4 *)A;
	unsigned chunk_count = (unsigned)(n / CHUNK_VALUES);
	unsigned tail = (unsigned)(n % CHUNK_VALUES);

	for (unsigned b = lane; b < bin_count * copy_count; b += BLOCK)
		counts[b] = 0;
	__syncthreads();

	for (unsigned i = thread; i < chunk_count; i += threads) {
		uint4 chunk = chunks[i];

		count_word(own, copy_count, bin_count, chunk.x);
		count_word(own, copy_count, bin_count, chunk.y);
		count_word(own, copy_count, bin_count, chunk.z);
		count_word(own, copy_count, bin_count, chunk.w);
	}
	if (thread < tail)
		count_value(own, copy_count, bin_count, A[n - 1 - thread]);
	__syncthreads();

	for (unsigned b = lane; b < bin_count; b += BLOCK) {
		unsigned sum = 0;

		for (unsigned c = 0; c < copy_count; c++)
			sum += counts[b * copy_count + ((own_copy + c) & (copy_count - 1))];
		if (sum > 0)
			atomicAdd(&H[b], sum);
	}
}
