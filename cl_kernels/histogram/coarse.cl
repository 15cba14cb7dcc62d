/*
 * Histogram with few groups, each with a private copy and many values: only as many copies to merge
 * as the device holds groups at a time. Work-items load 16 bytes at a time. INTERLEAVED 0: a
 * work-item takes a contiguous run of chunks; the loads of neighbouring work-items are in different
 * lines. INTERLEAVED 1: neighbouring work-items take neighbouring chunks, in steps of the grid
 * size, so the loads are coalesced.
 *
 * Block: BLOCK work-items. Groups: at most ceil(n / (BLOCK * CHUNK_VALUES)), and as many as the
 * device holds at a time. Local memory: 4 * bins bytes. H holds zeros; A begins on a 16-byte
 * boundary; n < 2^32.
 * Limited by: atomic additions in local memory: lanes that share a bank wait for each other.
 * Book: PMPP 4th ed., 9.5, Fig. 9.12 and 9.14 (which load one value at a time).
 */

/* The values of one load. */
#ifdef DTYPE_U8
typedef uchar element;
#define CHUNK_VALUES CHUNK_BYTES
#else
typedef uint element;
#define CHUNK_VALUES (CHUNK_BYTES / 4)
#endif

/* Increments the counter of a value. */
static inline __attribute__((always_inline)) void count_value(
	__local uint *counts, uint bin_count, uint value)
{
	if (value < bin_count)
		atomic_add(&counts[value], 1u);
}

/* The values of a word. */
static inline __attribute__((always_inline)) void count_word(
	__local uint *counts, uint bin_count, uint word)
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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void histogram_coarse(
	__global const element *restrict A, __global uint *restrict H, ulong n, ulong bins,
	__local uint *counts)
{
	uint group = get_group_id(0);
	uint lane = get_local_id(0);
	uint groups = get_num_groups(0);
	uint bin_count = (uint)bins;
	uint thread = group * BLOCK + lane;
	uint threads = groups * BLOCK;
	__global const uint4 *chunks = (__global const uint4 *)A;
	uint chunk_count = (uint)(n / CHUNK_VALUES);
	uint tail = (uint)(n % CHUNK_VALUES);
#if INTERLEAVED
	uint begin = thread;
	uint end = chunk_count;
	uint step = threads;
#else
	uint run = (chunk_count + threads - 1) / threads;
	uint begin = thread * run;
	uint end = min(begin + run, chunk_count);
	uint step = 1;
#endif

	for (uint b = lane; b < bin_count; b += BLOCK)
		counts[b] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint i = begin; i < end; i += step) {
		uint4 chunk = chunks[i];

		count_word(counts, bin_count, chunk.x);
		count_word(counts, bin_count, chunk.y);
		count_word(counts, bin_count, chunk.z);
		count_word(counts, bin_count, chunk.w);
	}
	if (thread < tail)
		count_value(counts, bin_count, A[n - 1 - thread]);
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint b = lane; b < bin_count; b += BLOCK)
		if (counts[b] > 0)
			atomic_add(&H[b], counts[b]);
}
