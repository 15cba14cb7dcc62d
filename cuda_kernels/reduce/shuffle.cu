/*
 * Shuffles: the lanes of a warp exchange registers, without shared memory and without a barrier.
 * Each warp folds its LANES values in this way, and the first warp folds the values of the warps. A
 * block waits once. A warp of CUDA has 32 threads: fewer LANES are a part of a warp, and more LANES
 * count as 32.
 *
 * Block: BLOCK threads, a power of two from 32. Groups: ceil(n / (LOADS * BLOCK)).
 * Limited by: memory is idle while a block adds.
 * Book: PMPP 3rd ed., Fig. 5.15, taken further.
 */
#include "operation.inc"

#define WIDTH (LANES < 32 ? LANES : 32)
#define WARPS (BLOCK / WIDTH)

/* Lane 0 of each part gets the folded value of `lanes` lanes. All threads of the warp are active,
 * so a lane may get a value of the next part. No lane 0 uses such a value. */
static __device__ VALUE warp_combine(VALUE mine, int lanes)
{
#pragma unroll
	for (int stride = lanes / 2; stride > 0; stride /= 2)
		mine = COMBINE(mine, __shfl_down_sync(0xffffffffu, mine, stride));
	return mine;
}

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_shuffle(
	const VALUE *__restrict__ A, VALUE *__restrict__ B, unsigned long long n)
{
	__shared__ __align__(16) VALUE partial[WARPS];
	int t = threadIdx.x;
	int lane = t % WIDTH;
	unsigned group = blockIdx.x;
	unsigned long long i = (unsigned long long)group * (LOADS * BLOCK) + t;
	VALUE mine = i < n ? A[i] : IDENTITY;

#pragma unroll
	for (int k = 1; k < LOADS; k++) {
		i += BLOCK;
		mine = COMBINE(mine, i < n ? A[i] : (VALUE)IDENTITY);
	}
	mine = warp_combine(mine, WIDTH);
	if (lane == 0)
		partial[t / WIDTH] = mine;
	__syncthreads();

	if (t < 32) {
		mine = lane < WARPS ? partial[lane] : IDENTITY;
		if (WARPS > WIDTH)
			for (int w = lane + WIDTH; w < WARPS; w += WIDTH)
				mine = COMBINE(mine, partial[w]);
		mine = warp_combine(mine, WARPS < WIDTH ? WARPS : WIDTH);
		if (t == 0)
			B[group] = mine;
	}
}
