/*
 * Histogram, coarse and interleaved, with several private copies per group. The copies of a bin are
 * neighbours, and lane l counts in copy l % copies. With 32 copies each lane of a warp has its own
 * bank, so no two lanes wait for each other, whatever the values are. The merge reads without
 * conflicts too, because lane l begins with copy l % copies.
 * LOADS: number of chunks that a work-item loads before it counts their values. More loads in flight
 * hide more of their latency.
 * EQUAL 1: if all values of a chunk are equal, a work-item counts them with one addition. Equal values
 * are the worst case for atomic additions; the test costs a few instructions for each chunk.
 *
 * Block: BLOCK work-items. Groups: at most ceil(n / (BLOCK * LOADS * CHUNK_VALUES)), and as many
 * as the device holds at a time. copies: a power of two, COPIES unless there are too many bins. Local
 * memory: 4 * HELD_BINS(bins) * copies bytes. H holds zeros; A begins on a 16-byte boundary; n < 2^32.
 * Limited by: memory, without conflicts; with many bins, and so few copies, as coarse.
 * Book: PMPP 4th ed., 9.4, taken further.
 */

/* The values of one load. Bytes have a counter for each of 256 values, so no value needs a comparison with bins. */
#ifdef DTYPE_U8
typedef uchar element;
#define CHUNK_VALUES CHUNK_BYTES
#define HELD_BINS(bins) 256u
#define VALUE_MASK 255u
#define VALUE_COPIES 0x01010101u /* a word of equal values is a value times this */
#else
typedef uint element;
#define CHUNK_VALUES (CHUNK_BYTES / 4)
#define HELD_BINS(bins) (bins)
#define VALUE_MASK (~0u)
#define VALUE_COPIES 1u
#endif

#if COPIES & (COPIES - 1)
#error "COPIES must be a power of two"
#endif

/* Adds `times` to the counter of a value, in the copy that begins at `own`. */
static inline __attribute__((always_inline)) void count_value(
	__local uint *own, uint copy_count, uint bin_count, uint value, uint times)
{
#ifndef DTYPE_U8
	if (value >= bin_count)
		return;
#endif
	atomic_add(&own[value * copy_count], times);
}

/* The values of a word. */
static inline __attribute__((always_inline)) void count_word(
	__local uint *own, uint copy_count, uint bin_count, uint word)
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
static inline __attribute__((always_inline)) void count_chunk(
	__local uint *own, uint copy_count, uint bin_count, uint4 chunk)
{
#if EQUAL
	uint first = (chunk.x & VALUE_MASK) * VALUE_COPIES;

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
static inline __attribute__((always_inline)) void count_chunks(
	__local uint *own, uint copy_count, uint bin_count, __global const uint4 *chunks, uint begin, uint step,
	uint chunk_count)
{
	for (uint i = begin; i < chunk_count; i += step) {
		uint4 loaded[LOADS];

#pragma unroll
		for (int l = 0; l < LOADS; l++)
			loaded[l] = i + l * BLOCK < chunk_count ? chunks[i + l * BLOCK]
								: (uint4)(0);
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			if (i + l * BLOCK < chunk_count)
				count_chunk(own, copy_count, bin_count, loaded[l]);
	}
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void histogram_replicated(
	__global const element *restrict A, __global uint *restrict H, ulong n, ulong bins,
	int copies, __local uint *counts)
{
	uint group = get_group_id(0);
	uint lane = get_local_id(0);
	uint groups = get_num_groups(0);
	uint bin_count = (uint)bins;
	uint copy_count = (uint)copies;
	uint own_copy = lane & (copy_count - 1);
	__local uint *own = counts + own_copy;
	uint thread = group * BLOCK + lane;
	uint first = group * (BLOCK * LOADS) + lane;
	uint threads = groups * BLOCK;
	__global const uint4 *chunks = (__global const uint4 *)A;
	uint chunk_count = (uint)(n / CHUNK_VALUES);
	uint tail = (uint)(n % CHUNK_VALUES);

	for (uint b = lane; b < HELD_BINS(bin_count) * copy_count; b += BLOCK)
		counts[b] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);

	/* The compiler computes addresses in fewer instructions if it knows the number of copies. */
	if (copy_count == COPIES)
		count_chunks(own, COPIES, bin_count, chunks, first, threads * LOADS, chunk_count);
	else
		count_chunks(own, copy_count, bin_count, chunks, first, threads * LOADS, chunk_count);
	if (thread < tail)
		count_value(own, copy_count, bin_count, A[n - 1 - thread], 1);
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint b = lane; b < bin_count; b += BLOCK) {
		uint sum = 0;

		for (uint c = 0; c < copy_count; c++)
			sum += counts[b * copy_count + ((own_copy + c) & (copy_count - 1))];
		if (sum > 0)
			atomic_add(&H[b], sum);
	}
}
