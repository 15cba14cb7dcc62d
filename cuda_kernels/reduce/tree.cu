/*
 * Reduction by a tree in shared memory: a block folds TILE = LOADS * BLOCK elements into one, in
 * log2(BLOCK) rounds of pairs. Each round halves the number of values. The next launch folds the
 * values of the blocks. ORDER assigns the pairs to threads:
 *   INTERLEAVED  the thread of the element that stays: neighbours first. Every warp has a few
 *                busy threads until the fifth round
 *   STRIDED      the same pairs, by neighbouring threads: whole warps become idle, but the
 *                elements of a warp are in few banks
 *   SEQUENTIAL   pairs that are half a block apart: neighbouring threads, neighbouring elements
 *
 * Block: BLOCK threads, a power of two. Groups: ceil(n / TILE).
 * Limited by: barriers and idle threads; memory is idle while a block adds.
 * Book: PMPP 3rd ed., Figs. 5.13 (INTERLEAVED) and 5.15 (SEQUENTIAL).
 */
#include "operation.inc"

#define INTERLEAVED 1
#define STRIDED 2
#define SEQUENTIAL 3

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_tree(
	const VALUE *__restrict__ A, VALUE *__restrict__ B, unsigned long long n)
{
	__shared__ __align__(16) VALUE partial[BLOCK];
	int t = threadIdx.x;
	unsigned group = blockIdx.x;
	unsigned long long i = (unsigned long long)group * (LOADS * BLOCK) + t;
	VALUE mine = i < n ? A[i] : IDENTITY;

#pragma unroll
	for (int k = 1; k < LOADS; k++) {
		i += BLOCK;
		mine = COMBINE(mine, i < n ? A[i] : (VALUE)IDENTITY);
	}
	partial[t] = mine;
	__syncthreads();

#if ORDER == INTERLEAVED
	for (int stride = 1; stride < BLOCK; stride *= 2) {
		int left = t;
		bool adds = t % (2 * stride) == 0;
#elif ORDER == STRIDED
	for (int stride = 1; stride < BLOCK; stride *= 2) {
		int left = 2 * stride * t;
		bool adds = left < BLOCK;
#else
	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		int left = t;
		bool adds = t < stride;
#endif
		if (adds)
			partial[left] = COMBINE(partial[left], partial[left + stride]);
		__syncthreads();
	}

	if (t == 0)
		B[group] = partial[0];
}
