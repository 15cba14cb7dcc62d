/*
 * For CPUs: a group is one work-item. It goes through one contiguous share of the array in vectors
 * of sixteen, the width of the widest registers, with four accumulators, so that no addition waits
 * for another. A few dozen groups keep all cores busy until the end. A last group adds their
 * values.
 *
 * Block: 1 work-item. Groups: any number from 1; each takes a whole number of SPAN elements.
 * Limited by: memory.
 * Book: -
 */
#include "operation.inc"

#if defined(DTYPE_F32)
typedef float8 VALUE8;
typedef float16 VALUE16;
#elif defined(OP_SUM)
typedef uint8 VALUE8;
typedef uint16 VALUE16;
#else
typedef int8 VALUE8;
typedef int16 VALUE16;
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_cpu_wide(
	__global const VALUE *restrict A, __global VALUE *restrict B, ulong n)
{
	ulong group = get_group_id(0);
	ulong groups = get_num_groups(0);
	ulong share = (n + groups * SPAN - 1) / (groups * SPAN) * SPAN;
	ulong i = min(group * share, n);
	ulong end = min(i + share, n);
	VALUE16 sum0 = (VALUE16)(IDENTITY), sum1 = sum0, sum2 = sum0, sum3 = sum0;
	VALUE8 eight;
	VALUE mine;

	for (; i + SPAN <= end; i += SPAN) {
		sum0 = COMBINE(sum0, vload16(0, A + i));
		sum1 = COMBINE(sum1, vload16(1, A + i));
		sum2 = COMBINE(sum2, vload16(2, A + i));
		sum3 = COMBINE(sum3, vload16(3, A + i));
	}
	sum0 = COMBINE(COMBINE(sum0, sum1), COMBINE(sum2, sum3));
	eight = COMBINE(sum0.lo, sum0.hi);
	mine = COMBINE(COMBINE(COMBINE(eight.s0, eight.s1), COMBINE(eight.s2, eight.s3)),
		COMBINE(COMBINE(eight.s4, eight.s5), COMBINE(eight.s6, eight.s7)));
	for (; i < end; i++)
		mine = COMBINE(mine, A[i]);
	B[group] = mine;
}
