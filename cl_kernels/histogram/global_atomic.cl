/*
 * Histogram, one work-item per value: each increments the counter of its value in global memory.
 * There are few counters and many work-items, so additions to one counter wait for each other.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK). H holds zeros.
 * Limited by: atomic additions: the number per second on one counter (one line of the L2 cache).
 * Book: PMPP 4th ed., 9.2 and 9.3, Fig. 9.6.
 */

#ifdef DTYPE_U8
typedef uchar element;
#else
typedef uint element;
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void histogram_global_atomic(
	__global const element *restrict A, __global uint *restrict H, ulong n, ulong bins)
{
	size_t group = get_group_id(0);
	size_t lane = get_local_id(0);
	ulong i = (ulong)group * BLOCK + lane;

	if (i < n) {
		uint value = A[i];

		if (value < bins)
			atomic_add(&H[value], 1u);
	}
}
