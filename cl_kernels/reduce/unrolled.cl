/*
 * The last rounds in one warp: it uses its own barrier instead of barriers of the block. Items are
 * never assumed to run in lockstep. There are three forms:
 *
 *   NVIDIA GPUs      the last LANES (32) items that add are one warp, whose barrier is PTX
 *   sub-groups       the first sub-group adds the last LANES values, whatever its size is
 *   other devices    the warps are unknown, so the barriers of the block stay
 *
 * Block: BLOCK work-items, a power of two from LANES. Groups: ceil(n / (LOADS * BLOCK)).
 * Limited by: barriers of the earlier rounds, and idle items.
 * Book: PMPP 3rd ed., Fig. 5.15, taken further.
 */
#include "operation.inc"

/* IN_LAST_WARP: whether this item is in the warp. LANE: its number there. FOR_OWN: each i below
 * `stride` that this item folds. */
#if defined(__NV_CL_C_VERSION) && LANES == 32
#define IN_LAST_WARP(t) ((t) < 32)
#define LANE(t) (t)
#define FOR_OWN(i, stride) if (i < stride)
#define WARP_BARRIER() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#elif !defined(NO_SUB_GROUPS) && \
	(defined(cl_khr_subgroups) || defined(cl_intel_subgroups) || defined(__opencl_c_subgroups))
#if defined(cl_khr_subgroups) && !defined(cl_intel_subgroups) /* Intel's needs no pragma */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#define IN_LAST_WARP(t) (get_sub_group_id() == 0)
#define LANE(t) ((int)get_sub_group_local_id())
#define FOR_OWN(i, stride) for (; i < stride; i += (int)get_sub_group_size())
#define WARP_BARRIER() sub_group_barrier(CLK_LOCAL_MEM_FENCE)
#else
#define IN_LAST_WARP(t) 1
#define LANE(t) (t)
#define FOR_OWN(i, stride) if (i < stride)
#define WARP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif

#ifdef cl_intel_required_subgroup_size
#define SUB_GROUP __attribute__((intel_reqd_sub_group_size(LANES)))
#else
#define SUB_GROUP
#endif

/* Folds partial[i] and partial[i + stride] for each i below `stride`. */
static inline __attribute__((always_inline)) void fold(__local VALUE *partial, int lane, int stride)
{
	int i = lane;

	FOR_OWN(i, stride)
		partial[i] = COMBINE(partial[i], partial[i + stride]);
	WARP_BARRIER();
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) SUB_GROUP void reduce_unrolled(
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

	for (int stride = BLOCK / 2; stride >= LANES; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (IN_LAST_WARP(t)) {
#pragma unroll
		for (int stride = LANES / 2; stride > 1; stride /= 2)
			fold(partial, LANE(t), stride);
		if (LANE(t) == 0)
			B[group] = COMBINE(partial[0], partial[1]);
	}
}
