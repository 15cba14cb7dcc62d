/*
 * Histogram, coarse and interleaved, where a work-item delays its additions: it counts equal
 * successive values in a register, and adds the count when another value follows. Runs of equal
 * values are the worst case for work-items that use the same counter; here they are the best case.
 * If values seldom repeat, the comparisons are wasted.
 *
 * Block: BLOCK work-items. Groups: at most ceil(n / (BLOCK * CHUNK_VALUES)), and as many as the
 * device holds at a time. Local memory: 4 * bins bytes. H holds zeros; A begins on a 16-byte
 * boundary; n < 2^32.
 * Limited by: memory for constant data; for random data as the coarse kernel, and by its branches.
 * Book: PMPP 4th ed., 9.6, Fig. 9.15.
 */

/* The values of one load. */
#ifdef DTYPE_U8
typedef uchar element;
#define CHUNK_VALUES CHUNK_BYTES
#else
typedef uint element;
#define CHUNK_VALUES (CHUNK_BYTES / 4)
#endif

/* Counts a value in the run. If the value differs from the run's value, adds the run first. */
static inline __attribute__((always_inline)) void count_value(
	__local uint *counts, uint bin_count, uint value, uint *previous, uint *run)
{
	if (value == *previous) {
		++*run;
	} else {
		if (*previous < bin_count)
			atomic_add(&counts[*previous], *run);
		*previous = value;
		*run = 1;
	}
}

/* The values of a word. */
static inline __attribute__((always_inline)) void count_word(
	__local uint *counts, uint bin_count, uint word, uint *previous, uint *run)
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

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void histogram_aggregated(
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
	uint previous = bin_count; /* none: the first value begins a run */
	uint run = 0;

	for (uint b = lane; b < bin_count; b += BLOCK)
		counts[b] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint i = thread; i < chunk_count; i += threads) {
		uint4 chunk = chunks[i];

		count_word(counts, bin_count, chunk.x, &previous, &run);
		count_word(counts, bin_count, chunk.y, &previous, &run);
		count_word(counts, bin_count, chunk.z, &previous, &run);
		count_word(counts, bin_count, chunk.w, &previous, &run);
	}
	if (thread < tail)
		count_value(counts, bin_count, A[n - 1 - thread], &previous, &run);
	if (run > 0 && previous < bin_count)
		atomic_add(&counts[previous], run);
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint b = lane; b < bin_count; b += BLOCK)
		if (counts[b] > 0)
			atomic_add(&H[b], counts[b]);
}
