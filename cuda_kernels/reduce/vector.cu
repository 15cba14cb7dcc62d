/*
 * Coarse, with 16-byte loads: each thread has VECTORS loads of four elements in flight, and as many
 * accumulators, so that no addition waits for another. The first threads add the up to three
 * elements after the last whole four.
 *
 * Block: BLOCK threads, a power of two. Groups: any number from 1. Operands begin on 16-byte
 * boundaries. VECTORS is a power of two.
 * Limited by: memory.
 * Book: PMPP 4th ed., 6.3 and 10.7, taken further.
 */
#include "operation.inc"

static __device__ VALUE4 combine4(VALUE4 x, VALUE4 y)
{
	x.x = COMBINE(x.x, y.x);
	x.y = COMBINE(x.y, y.y);
	x.z = COMBINE(x.z, y.z);
	x.w = COMBINE(x.w, y.w);
	return x;
}

static __device__ VALUE4 identity4()
{
	VALUE4 all;

	all.x = all.y = all.z = all.w = IDENTITY;
	return all;
}

/* Folds the elements of thread t of the block, in vectors of four; the array has n / 4 vectors. */
static __device__ VALUE fold_mine(
	const VALUE *__restrict__ A, unsigned long long n, unsigned group, unsigned groups, int t)
{
	const VALUE4 *vectors = (const VALUE4 *)A;
	unsigned long long count = n / 4;
	unsigned long long step = (unsigned long long)groups * (VECTORS * BLOCK);
	unsigned long long i = (unsigned long long)group * (VECTORS * BLOCK) + t;
	VALUE4 sum[VECTORS];
	VALUE mine;

#pragma unroll
	for (int v = 0; v < VECTORS; v++)
		sum[v] = identity4();
	for (; i + (VECTORS - 1) * BLOCK < count; i += step) {
		VALUE4 got[VECTORS];

#pragma unroll
		for (int v = 0; v < VECTORS; v++)
			got[v] = vectors[i + v * BLOCK];
#pragma unroll
		for (int v = 0; v < VECTORS; v++)
			sum[v] = combine4(sum[v], got[v]);
	}
	for (; i < count; i += BLOCK) /* the partial last tile */
		sum[0] = combine4(sum[0], vectors[i]);
#pragma unroll
	for (int apart = VECTORS / 2; apart > 0; apart /= 2)
#pragma unroll
		for (int v = 0; v < apart; v++)
			sum[v] = combine4(sum[v], sum[v + apart]);
	mine = COMBINE(COMBINE(sum[0].x, sum[0].y), COMBINE(sum[0].z, sum[0].w));
	if (group == 0 && 4 * count + t < n)
		mine = COMBINE(mine, A[4 * count + t]);
	return mine;
}

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_vector(
	const VALUE *__restrict__ A, VALUE *__restrict__ B, unsigned long long n)
{
	__shared__ __align__(16) VALUE partial[BLOCK];
	int t = threadIdx.x;
	unsigned group = blockIdx.x;

	partial[t] = fold_mine(A, n, group, gridDim.x, t);
	__syncthreads();

	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		__syncthreads();
	}
	if (t == 0)
		B[group] = partial[0];
}
