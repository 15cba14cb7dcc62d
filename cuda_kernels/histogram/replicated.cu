/*
 * Histogram, coarse and interleaved, with several private copies per block. The copies of a bin are
 * neighbours, and lane l counts in copy l % copies. With 32 copies each lane of a warp has its own
 * bank, so no two lanes wait for each other, whatever the values are. The merge reads without
 * conflicts too, because lane l begins with copy l % copies.
 * LOADS: number of chunks that a thread loads before it counts their values. More loads in flight hide
 * more of their latency.
 * EQUAL 1: if all values of a chunk are equal, a thread counts them with one addition. Equal values are
 * the worst case for atomic additions; the test costs a few instructions for each chunk.
 *
 * Block: BLOCK threads. Groups: at most ceil(n / (BLOCK * LOADS * CHUNK_VALUES)), and as many as the device
 * holds at a time. copies: a power of two, COPIES unless there are too many bins. Shared memory:
 * 4 * HELD_BINS(bins) * copies bytes. H holds zeros; A begins on a 16-byte boundary; n < 2^32.
 * Limited by: memory, without conflicts; with many bins, and so few copies, as coarse.
 * Book: PMPP 4th ed., 9.4, taken further.
 */

/* The values of one load. Bytes have a counter for each of 256 values, so no value needs a comparison with bins. */
#ifdef DTYPE_U8
typedef unsigned char element;
#define CHUNK_VALUES CHUNK_BYTES
#define HELD_BINS(bins) 256u
#define VALUE_MASK 255u
#define VALUE_COPIES 0x01010101u /* a word of equal values is a value times this */
#else
typedef unsigned element;
#define CHUNK_VALUES (CHUNK_BYTES / 4)
#define HELD_BINS(bins) (bins)
#define VALUE_MASK (~0u)
#define VALUE_COPIES 1u
#endif

#if COPIES & (COPIES - 1)
#error "COPIES must be a power of two"
#endif

/* Adds `times` to the counter of a value, in the copy that begins at `own`. */
static __device__ __forceinline__ void count_value(unsigned *own, unsigned copy_count,
	unsigned bin_count, unsigned value, unsigned times)
{
#ifndef DTYPE_U8
	if (value >= bin_count)
		return;
#endif
	atomicAdd(&own[value * copy_count], times);
}

/* The values of a word. */
static __device__ __forceinline__ void count_word(
	unsigned *own, unsigned copy_count, unsigned bin_count, unsigned word)
{
#ifdef DTYPE_U8
	count_value(own, copy_count, bin_count, word & 255, 1);
	count_value(own, copy_count, bin_count, word >> 8 & 255, 1);
	count_value(own, copy_count, bin_count, word >> 16 & 255, 1);
	count_value(own, copy_count, bin_count, word >> 24, 1);
#else
	count_value(own, copy_count, bin_count, word, 1);
#endif
}

/* The values of a chunk. */
static __device__ __forceinline__ void count_chunk(
	unsigned *own, unsigned copy_count, unsigned bin_count, uint4 chunk)
{
#if EQUAL
	unsigned first = (chunk.x & VALUE_MASK) * VALUE_COPIES;

	/* One comparison in place of four. */
	if (((chunk.x ^ first) | (chunk.y ^ first) | (chunk.z ^ first) | (chunk.w ^ first)) == 0) {
		count_value(own, copy_count, bin_count, chunk.x & VALUE_MASK, CHUNK_VALUES);
		return;
	}
#endif
	count_word(own, copy_count, bin_count, chunk.x);
	count_word(own, copy_count, bin_count, chunk.y);
	count_word(own, copy_count, bin_count, chunk.z);
	count_word(own, copy_count, bin_count, chunk.w);
}

/* The values of the chunks `begin`, `begin` + `step` and so on, LOADS at a time. */
static __device__ __forceinline__ void count_chunks(
	unsigned *own, unsigned copy_count, unsigned bin_count, const uint4 *chunks, unsigned begin,
	unsigned step, unsigned chunk_count)
{
	for (unsigned i = begin; i < chunk_count; i += step) {
		uint4 loaded[LOADS];

#pragma unroll
		for (int l = 0; l < LOADS; l++)
			loaded[l] = i + l * BLOCK < chunk_count ? chunks[i + l * BLOCK]
								: make_uint4(0, 0, 0, 0);
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			if (i + l * BLOCK < chunk_count)
				count_chunk(own, copy_count, bin_count, loaded[l]);
	}
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
	unsigned first = group * (BLOCK * LOADS) + lane;
	unsigned threads = gridDim.x * BLOCK;
	const uint4 *chunks = (const uint4 *)A;
	unsigned chunk_count = (unsigned)(n / CHUNK_VALUES);
	unsigned tail = (unsigned)(n % CHUNK_VALUES);

	for (unsigned b = lane; b < HELD_BINS(bin_count) * copy_count; b += BLOCK)
		counts[b] = 0;
	__syncthreads();

	/* The compiler computes addresses in fewer instructions if it knows the number of copies. */
	if (copy_count == COPIES)
		count_chunks(own, COPIES, bin_count, chunks, first, threads * LOADS, chunk_count);
	else
		count_chunks(own, copy_count, bin_count, chunks, first, threads * LOADS, chunk_count);
	if (thread < tail)
		count_value(own, copy_count, bin_count, A[n - 1 - thread], 1);
	__syncthreads();

	for (unsigned b = lane; b < bin_count; b += BLOCK) {
		unsigned sum = 0;

		for (unsigned c = 0; c < copy_count; c++)
			sum += counts[b * copy_count + ((own_copy + c) & (copy_count - 1))];
		if (sum > 0)
			atomicAdd(&H[b], sum);
	}
}
