/*
 * Histogram in the form of a CPU: one work-item counts ranges of SPAN values, 8 per load, each in
 * its own table, so that equal neighbours do not wait for one counter. It needs no atomics, because
 * the tables are private. They are in scratch memory, with `table` counters each. The work-item
 * adds all its tables to the first; a second launch adds those of the groups.
 *
 * A byte needs no range check if a table has 256 counters. Other values beyond the bins go to the
 * last counter, which the merge ignores.
 *
 * Block: 1 work-item. Groups: at most ceil(n / SPAN); for the merge ceil(bins / 256).
 * Limited by: one addition per value; the tables should stay in the L1 cache (8 KiB for u8).
 * Applies to: OpenCL CPU devices. A GPU would be idle with one work-item per group.
 * Book: not in PMPP.
 */
#if SPAN % TABLES
#error "SPAN must be a multiple of 8"
#endif

#ifdef DTYPE_U8
typedef uchar element;
#define INDEX(value, last) (value)
#else
typedef uint element;
#define INDEX(value, last) min((value), (last))
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void histogram_cpu_private(
	__global const element *restrict A, __global uint *restrict tables, ulong n, int table)
{
	size_t group = get_group_id(0);
	size_t groups = get_num_groups(0);
	uint last = (uint)table - 1;
	__global uint *t0 = tables + group * TABLES * table;
	__global uint *t1 = t0 + table;
	__global uint *t2 = t1 + table;
	__global uint *t3 = t2 + table;
	__global uint *t4 = t3 + table;
	__global uint *t5 = t4 + table;
	__global uint *t6 = t5 + table;
	__global uint *t7 = t6 + table;

	for (size_t b = 0; b < (size_t)table * TABLES; b++)
		t0[b] = 0;

	for (ulong begin = (ulong)group * SPAN; begin < n; begin += (ulong)groups * SPAN) {
		ulong end = min(begin + SPAN, n);
		ulong i = begin;

		for (; i + TABLES <= end; i += TABLES) {
#ifdef DTYPE_U8
			ulong values = *(__global const ulong *)(A + i);

			t0[values & 255]++;
			t1[values >> 8 & 255]++;
			t2[values >> 16 & 255]++;
			t3[values >> 24 & 255]++;
			t4[values >> 32 & 255]++;
			t5[values >> 40 & 255]++;
			t6[values >> 48 & 255]++;
			t7[values >> 56]++;
#else
			uint8 values = min(vload8(0, A + i), (uint8)last);

			t0[values.s0]++;
			t1[values.s1]++;
			t2[values.s2]++;
			t3[values.s3]++;
			t4[values.s4]++;
			t5[values.s5]++;
			t6[values.s6]++;
			t7[values.s7]++;
#endif
		}
		for (; i < end; i++)
			t0[INDEX(A[i], last)]++;
	}

	for (int b = 0; b < table; b++)
		t0[b] += t1[b] + t2[b] + t3[b] + t4[b] + t5[b] + t6[b] + t7[b];
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void histogram_cpu_merge(
	__global const uint *restrict tables, __global uint *restrict H, ulong bins, int table,
	int groups)
{
	ulong begin = (ulong)get_group_id(0) * MERGE_BINS;
	ulong end = min(begin + MERGE_BINS, bins);

	for (ulong b = begin; b < end; b++) {
		uint sum = 0;

		for (int g = 0; g < groups; g++)
			sum += tables[(size_t)g * TABLES * table + b];
		H[b] = sum;
	}
}
