/*
 * The last rounds in one warp: on an NVIDIA GPU the last 32 work-items that add are one warp. It
 * uses its own barrier (PTX bar.warp.sync) instead of barriers of the block, and the loop is
 * unrolled. On other devices the warps are unknown, so the barriers of the block stay. In neither
 * case are items assumed to run in lockstep.
 *
 * Block: BLOCK work-items, a power of two from 64. Groups: ceil(n / (LOADS * BLOCK)).
 * Limited by: barriers of the earlier rounds, and idle items.
 * Book: PMPP 3rd ed., Fig. 5.15, taken further.
 */
#if defined(DTYPE_F32)
typedef float VALUE;
#define LARGEST FLT_MAX
#define LARGER(x, y) fmax(x, y)
#define SMALLER(x, y) fmin(x, y)
#elif defined(OP_SUM)
typedef uint VALUE; /* i32, modulo 2^32 */
#else
typedef int VALUE;
#define LARGEST INT_MAX
#define LARGER(x, y) max(x, y)
#define SMALLER(x, y) min(x, y)
#endif

#if defined(OP_SUM)
#define COMBINE(x, y) ((x) + (y))
#define IDENTITY 0
#elif defined(OP_MAX)
#define COMBINE(x, y) LARGER(x, y)
#define IDENTITY (-LARGEST - 1)
#else
#define COMBINE(x, y) SMALLER(x, y)
#define IDENTITY LARGEST
#endif

#ifdef __NV_CL_C_VERSION
#define IN_LAST_WARP(t) ((t) < 32)
#define WARP_BARRIER() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define IN_LAST_WARP(t) 1
#define WARP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif

/* The first `stride` items fold partial[t] and partial[t + stride]. */
static inline __attribute__((always_inline)) void fold(__local VALUE *partial, int t, int stride)
{
	if (t < stride)
		partial[t] = COMBINE(partial[t], partial[t + stride]);
	WARP_BARRIER();
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void reduce_unrolled(
	__global const VALUE *restrict A, __global VALUE *restrict B, ulong n)
{
	__local VALUE partial[BLOCK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	uint group = get_group_id(0);
	ulong i = (ulong)group * (LOADS * BLOCK) + t;
	VALUE mine = i < n ? A[i] : IDENTITY;

#pragma unroll
	for (int k = 1; k < LOADS; k++) {
		i += BLOCK;
		mine = COMBINE(mine, i < n ? A[i] : (VALUE)IDENTITY);
	}
	partial[t] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);

	for (int stride = BLOCK / 2; stride >= 32; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (IN_LAST_WARP(t)) {
		fold(partial, t, 16);
		fold(partial, t, 8);
		fold(partial, t, 4);
		fold(partial, t, 2);
		if (t == 0)
			B[group] = COMBINE(partial[0], partial[1]);
	}
}
