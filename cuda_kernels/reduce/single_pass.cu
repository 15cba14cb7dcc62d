/*
 * One launch: as `vector`, but the block that finishes last adds the values of all blocks. Each
 * block stores its value, makes it visible to the device, and then increments the counter. The
 * block that increments last can therefore read all values. No block waits for another block. The
 * last block adds in the order of the blocks, so the bits do not depend on which block is last.
 *
 * Block: BLOCK threads, a power of two. Groups: any number from 1. Operands begin on 16-byte
 * boundaries. VECTORS is a power of two. `finished` must be 0 before the first launch; each launch
 * leaves it 0.
 * Limited by: memory.
 * Book: PMPP 4th ed., 10.8, with one atomic operation per block, and none on the values.
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

/* Folds the block's values into partial[0], which thread 0 may read. */
static __device__ void fold_block(VALUE *partial, VALUE mine, int t)
{
	partial[t] = mine;
	__syncthreads();

	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		__syncthreads();
	}
}

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_single_pass(
	const VALUE *__restrict__ A, VALUE *__restrict__ B, VALUE *values, unsigned *finished,
	unsigned long long n)
{
	__shared__ __align__(16) VALUE partial[BLOCK];
	__shared__ bool is_last;
	int t = threadIdx.x;
	unsigned group = blockIdx.x;
	unsigned groups = gridDim.x;
	VALUE mine = fold_mine(A, n, group, groups, t);

	fold_block(partial, mine, t);
	if (t == 0) {
		values[group] = partial[0];
		__threadfence();
		is_last = atomicAdd(finished, 1u) == groups - 1;
		__threadfence();
	}
	__syncthreads();

	if (is_last) { /* equal in all threads of the block */
		mine = IDENTITY;
		for (unsigned g = t; g < groups; g += BLOCK)
			mine = COMBINE(mine, values[g]);
		fold_block(partial, mine, t);
		if (t == 0) {
			B[0] = partial[0];
			*finished = 0; /* for the next launch */
		}
	}
}
