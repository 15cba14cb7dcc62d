/*
 * Sliding sum, one output per work-item, all terms read from global memory. Neighbouring work-items
 * read neighbouring terms, so each load is coalesced. Of the width loads of an element, all but the
 * first read it from a cache. Terms beyond the ends of the vector are omitted.
 *
 * Block: BLOCK work-items. Groups: ceil(n / BLOCK).
 * Limited by: the first-level cache: width loads per output, most of them not line-aligned.
 * Book: PMPP 4th ed., 7.2 (a convolution whose filter is all ones).
 */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void window_direct(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong width)
{
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	ulong arm = width / 2;

	if (i >= n)
		return;
	ulong begin = i > arm ? i - arm : 0;
	ulong end = n - i > arm ? i + arm + 1 : n;
	__global const float *from = A + begin;
	int count = (int)(end - begin);
	float sum = 0.0f;

	for (int k = 0; k < count; k++)
		sum += from[k];
	B[i] = sum;
}
