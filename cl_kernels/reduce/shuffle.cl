/*
 * Shuffles: the lanes of a warp exchange registers, without local memory and without a barrier.
 * Each warp folds its 32 values in this way, and the first warp folds the values of the warps. A
 * block waits once. NVIDIA's OpenCL has no sub-groups: there it is a PTX instruction. Elsewhere a
 * sub-group is the warp. Its size is any power of two, and any items may form it.
 *
 * Block: BLOCK work-items, a power of two from 32. Groups: ceil(n / (LOADS * BLOCK)).
 * Limited by: memory is idle while a block adds.
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
#define LANES() 32
#define LANE(t) ((t) % 32)
#define WARP(t) ((t) / 32)
#define WARPS() (BLOCK / 32)

static VALUE from_lane_below(VALUE mine, int stride)
{
	uint got;

	/* 0x1f: from the whole warp; beyond its end a lane gets its own value. */
	asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
		     : "=r"(got)
		     : "r"(as_uint(mine)), "r"(stride));
#ifdef DTYPE_F32
	return as_float(got);
#else
	return (VALUE)got;
#endif
}
#else
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#elif !defined(cl_intel_subgroups) && !defined(__opencl_c_subgroups) /* OpenCL C 3.0 */
#error this kernel needs sub-groups
#endif
#define LANES() ((int)get_sub_group_size())
#define LANE(t) ((int)get_sub_group_local_id())
#define WARP(t) ((int)get_sub_group_id())
#define WARPS() ((int)get_num_sub_groups())

static VALUE from_lane_below(VALUE mine, int stride)
{
	return sub_group_shuffle_down(mine, (uint)stride);
}
#endif

/* Lane 0 gets the folded value of `lanes` lanes. The whole warp is active. */
static VALUE warp_combine(VALUE mine, int lanes)
{
#pragma unroll
	for (int stride = lanes / 2; stride > 0; stride /= 2)
		mine = COMBINE(mine, from_lane_below(mine, stride));
	return mine;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void reduce_shuffle(
	__global const VALUE *restrict A, __global VALUE *restrict B, ulong n)
{
	/* Large enough for warps of one lane. */
	__local VALUE partial[BLOCK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	int lanes = LANES();
	int lane = LANE(t);
	int warp = WARP(t);
	int warps = WARPS();
	uint group = get_group_id(0);
	ulong i = (ulong)group * (LOADS * BLOCK) + t;
	VALUE mine = i < n ? A[i] : IDENTITY;

#pragma unroll
	for (int k = 1; k < LOADS; k++) {
		i += BLOCK;
		mine = COMBINE(mine, i < n ? A[i] : (VALUE)IDENTITY);
	}
	mine = warp_combine(mine, lanes);
	if (lane == 0)
		partial[warp] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);

	if (warp == 0) {
		mine = IDENTITY;
		for (int w = lane; w < warps; w += lanes)
			mine = COMBINE(mine, partial[w]);
		mine = warp_combine(mine, min(warps, lanes));
		if (lane == 0)
			B[group] = mine;
	}
}
