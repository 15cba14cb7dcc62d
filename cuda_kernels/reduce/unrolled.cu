/*
 * The last rounds in one warp: the last LANES threads that add are one warp. It uses __syncwarp()
 * instead of barriers of the block, and the loop is unrolled. The lanes are not assumed to run in
 * lockstep: a warp barrier separates the loads and stores of each round. A warp of CUDA has 32
 * threads: with more LANES the barriers of the block stay.
 *
 * Block: BLOCK threads, a power of two from LANES. Groups: ceil(n / (LOADS * BLOCK)).
 * Limited by: barriers of the earlier rounds, and idle threads.
 * Book: PMPP 3rd ed., Fig. 5.15, taken further.
 */
#include "operation.inc"

#if LANES <= 32
#define IN_LAST_WARP(t) ((t) < LANES)
#define WARP_BARRIER() __syncwarp(0xffffffffu >> (32 - LANES))
#else
#define IN_LAST_WARP(t) 1
#define WARP_BARRIER() __syncthreads()
#endif

/* The first `stride` threads fold partial[t] and partial[t + stride]. */
static __device__ __forceinline__ void fold(VALUE *partial, int t, int stride)
{
	if (t < stride)
		partial[t] = COMBINE(partial[t], partial[t + stride]);
	WARP_BARRIER();
}

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_unrolled(
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

	for (int stride = BLOCK / 2; stride >= LANES; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		__syncthreads();
	}
	if (IN_LAST_WARP(t)) {
#pragma unroll
		for (int stride = LANES / 2; stride > 1; stride /= 2)
			fold(partial, t, stride);
		if (t == 0)
			B[group] = COMBINE(partial[0], partial[1]);
	}
}
