/*
 * Shuffles: the lanes of a warp exchange registers, without local memory and without a barrier.
 * Each warp folds its LANES values in this way, and the first warp folds the values of the warps. A
 * block waits once. There are three forms:
 *
 *   NVIDIA GPUs                a PTX instruction. A warp has 32 items: fewer LANES are a part of a
 *                              warp, and more LANES count as 32
 *   sub-groups with shuffles   a sub-group is the warp. Its size is LANES where the language can
 *                              require it, else any number, and any items may form it
 *   other sub-groups           the same, but the device's function folds a sub-group, in an order
 *                              that it chooses
 *
 * Block: BLOCK work-items, a power of two from 32. Groups: ceil(n / (LOADS * BLOCK)).
 * Limited by: memory is idle while a block adds.
 * Book: PMPP 3rd ed., Fig. 5.15, taken further.
 */
#include "operation.inc"

#if defined(OP_SUM)
#define SUB_GROUP_COMBINE(x) sub_group_reduce_add(x)
#elif defined(OP_MAX)
#define SUB_GROUP_COMBINE(x) sub_group_reduce_max(x)
#else
#define SUB_GROUP_COMBINE(x) sub_group_reduce_min(x)
#endif

#ifdef __NV_CL_C_VERSION
#define WIDTH (LANES < 32 ? LANES : 32)
#define SIZE() WIDTH
#define LANE(t) ((t) % WIDTH)
#define WARP(t) ((t) / WIDTH)
#define WARPS() (BLOCK / WIDTH)
#define IN_FIRST_WARP(t) ((t) / 32 == 0) /* all items of a warp must take part */

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

/* Lane 0 gets the folded value of `lanes` lanes, a power of two. The whole warp is active. */
static VALUE warp_combine(VALUE mine, int lane, int lanes)
{
#pragma unroll
	for (int stride = lanes / 2; stride > 0; stride /= 2)
		mine = COMBINE(mine, from_lane_below(mine, stride));
	return mine;
}
#else
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#elif !defined(cl_intel_subgroups) && !defined(__opencl_c_subgroups) /* OpenCL C 3.0 */
#error this kernel needs sub-groups
#endif
#define SIZE() ((int)get_sub_group_size())
#define LANE(t) ((int)get_sub_group_local_id())
#define WARP(t) ((int)get_sub_group_id())
#define WARPS() ((int)get_num_sub_groups())
#define IN_FIRST_WARP(t) (WARP(t) == 0)

/* Lane 0 gets the folded value of `lanes` lanes; other lanes hold the identity, or no value. The
 * whole sub-group is active. */
#ifdef cl_khr_subgroup_shuffle_relative
static VALUE warp_combine(VALUE mine, int lane, int lanes)
{
	int stride = 1;

	while (stride < lanes)
		stride *= 2;
	for (stride /= 2; stride > 0; stride /= 2) {
		VALUE other = sub_group_shuffle_down(mine, (uint)stride);

		if (lane + stride < lanes)
			mine = COMBINE(mine, other);
	}
	return mine;
}
#else
static VALUE warp_combine(VALUE mine, int lane, int lanes)
{
	return SUB_GROUP_COMBINE(mine);
}
#endif
#endif

#ifdef cl_intel_required_subgroup_size
#define SUB_GROUP __attribute__((intel_reqd_sub_group_size(LANES)))
#else
#define SUB_GROUP
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) SUB_GROUP void reduce_shuffle(
	__global const VALUE *restrict A, __global VALUE *restrict B, ulong n)
{
	/* Large enough for warps of one lane. */
	__local VALUE partial[BLOCK] __attribute__((aligned(16)));
	int t = get_local_id(0);
	int lanes = SIZE();
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
	mine = warp_combine(mine, lane, lanes);
	if (lane == 0)
		partial[warp] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);

	if (IN_FIRST_WARP(t)) {
		mine = IDENTITY;
		for (int w = lane; w < warps; w += lanes)
			mine = COMBINE(mine, partial[w]);
		mine = warp_combine(mine, lane, min(warps, lanes));
		if (warp == 0 && lane == 0)
			B[group] = mine;
	}
}
