/*
 * Coarsening: a fixed number of blocks, enough to fill the device, goes through the whole array in
 * tiles of COARSE * BLOCK elements, and every thread adds its elements in a register. Each block
 * runs the tree with its barriers once, not once for every few elements. COARSE loads are in flight
 * before the first addition.
 *
 * Block: BLOCK threads, a power of two. Groups: any number from 1.
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 and 10.7 (coarsening), with tiles as wide as the grid.
 */
#include "operation.inc"

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_coarse(
	const VALUE *__restrict__ A, VALUE *__restrict__ B, unsigned long long n)
{
	__shared__ __align__(16) VALUE partial[BLOCK];
	int t = threadIdx.x;
	unsigned group = blockIdx.x;
	unsigned long long step = (unsigned long long)gridDim.x * (COARSE * BLOCK);
	unsigned long long i = (unsigned long long)group * (COARSE * BLOCK) + t;
	VALUE mine = IDENTITY;

	for (; i + (COARSE - 1) * BLOCK < n; i += step) {
		VALUE got[COARSE];

#pragma unroll
		for (int k = 0; k < COARSE; k++)
			got[k] = A[i + k * BLOCK];
#pragma unroll
		for (int k = 0; k < COARSE; k++)
			mine = COMBINE(mine, got[k]);
	}
	for (; i < n; i += BLOCK) /* the partial last tile */
		mine = COMBINE(mine, A[i]);
	partial[t] = mine;
	__syncthreads();

	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		__syncthreads();
	}
	if (t == 0)
		B[group] = partial[0];
}
