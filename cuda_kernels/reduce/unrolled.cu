/*
 * The last rounds in one warp: the last 32 threads that add are one warp. It uses __syncwarp()
 * instead of barriers of the block, and the loop is unrolled. The lanes are not assumed to run in
 * lockstep: a warp barrier separates the loads and stores of each round.
 *
 * Block: BLOCK threads, a power of two from 64. Groups: ceil(n / (LOADS * BLOCK)).
 * Limited by: barriers of the earlier rounds, and idle threads.
 * Book: PMPP 3rd ed., Fig. 5.15, taken further.
 */
#if defined(DTYPE_F32)
typedef float VALUE;
#define LARGEST 3.402823466e+38f
#elif defined(OP_SUM)
typedef unsigned VALUE; /* i32, modulo 2^32 */
#else
typedef int VALUE;
#define LARGEST 0x7fffffff
#endif

#if defined(OP_SUM)
#define COMBINE(x, y) ((x) + (y))
#define IDENTITY 0
#elif defined(OP_MAX)
#define COMBINE(x, y) max(x, y)
#define IDENTITY (-LARGEST - 1)
#else
#define COMBINE(x, y) min(x, y)
#define IDENTITY LARGEST
#endif

/* The first `stride` threads fold partial[t] and partial[t + stride]. */
static __device__ __forceinline__ void fold(VALUE *partial, int t, int stride)
{
	if (t < stride)
		partial[t] = COMBINE(partial[t], partial[t + stride]);
	__syncwarp();
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

	for (int stride = BLOCK / 2; stride >= 32; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		__syncthreads();
	}
	if (t < 32) {
		fold(partial, t, 16);
		fold(partial, t, 8);
		fold(partial, t, 4);
		fold(partial, t, 2);
		if (t == 0)
			B[group] = COMBINE(partial[0], partial[1]);
	}
}
