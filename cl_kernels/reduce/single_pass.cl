/*
 * One launch: as `vector`, but the block that finishes last adds the values of all blocks. Each
 * block stores its value, makes it visible to the device, and then increments the counter. The
 * block that increments last can therefore read all values. No block waits for another block. The
 * last block adds in the order of the blocks, so the bits do not depend on which block is last.
 *
 * Block: BLOCK work-items, a power of two. Groups: any number from 1. Operands begin on 16-byte
 * boundaries. VECTORS is a power of two. `finished` must be 0 before the first launch; each launch
 * leaves it 0.
 * Limited by: memory.
 * Book: PMPP 4th ed., 10.8, with one atomic operation per block, and none on the values.
 */
#include "operation.inc"

/* Folds the elements of item t of the block, in vectors of four; the array has n / 4 vectors. */
static VALUE fold_mine(__global const VALUE *restrict A, ulong n, uint group, uint groups, int t)
{
	__global const VALUE4 *vectors = (__global const VALUE4 *)A;
	ulong count = n / 4;
	ulong step = (ulong)groups * (VECTORS * BLOCK);
	ulong i = (ulong)group * (VECTORS * BLOCK) + t;
	VALUE4 sum[VECTORS];
	VALUE mine;

#pragma unroll
	for (int v = 0; v < VECTORS; v++)
		sum[v] = (VALUE4)(IDENTITY);
	for (; i + (VECTORS - 1) * BLOCK < count; i += step) {
		VALUE4 got[VECTORS];

#pragma unroll
		for (int v = 0; v < VECTORS; v++)
			got[v] = vectors[i + v * BLOCK];
#pragma unroll
		for (int v = 0; v < VECTORS; v++)
			sum[v] = COMBINE(sum[v], got[v]);
	}
	for (; i < count; i += BLOCK) /* the partial last tile */
		sum[0] = COMBINE(sum[0], vectors[i]);
#pragma unroll
	for (int apart = VECTORS / 2; apart > 0; apart /= 2)
#pragma unroll
		for (int v = 0; v < apart; v++)
			sum[v] = COMBINE(sum[v], sum[v + apart]);
	mine = COMBINE(COMBINE(sum[0].x, sum[0].y), COMBINE(sum[0].z, sum[0].w));
	if (group == 0 && 4 * count + t < n)
		mine = COMBINE(mine, A[4 * count + t]);
	return mine;
}

/*
 * Order between blocks needs atomic operations with device scope. OpenCL C 2.0 has them; 3.0 has
 * them where both features are defined. NVIDIA's compiler has neither feature, so the fence is PTX.
 *
 * OpenCL 1.2 has no order between blocks: "there are no guarantees of memory consistency between
 * different work-groups executing a kernel" (specification, 3.3.1), and mem_fence() orders the
 * accesses of a work-item only (6.12.9). There this kernel relies on the device: an x86 CPU makes
 * stores visible in their order, and mem_fence() prevents the compiler from changing this order.
 */
#ifdef __NV_CL_C_VERSION
#define DEVICE_FENCE() asm volatile("membar.gl;" ::: "memory")
#elif __OPENCL_C_VERSION__ == 200 ||                                                \
	(__OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_atomic_order_acq_rel) && \
		defined(__opencl_c_atomic_scope_device))
#define HAS_DEVICE_SCOPE
#else
#define DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

/*
 * Counts this block. Returns the number of blocks that were counted before. All stores that these
 * blocks made before they counted are visible to this item.
 */
static uint count_block(__global volatile uint *finished)
{
	uint before;

#ifdef HAS_DEVICE_SCOPE
	before = atomic_fetch_add_explicit((__global volatile atomic_uint *)finished, 1u,
		memory_order_acq_rel, memory_scope_device);
#else
	DEVICE_FENCE();
	before = atomic_inc(finished);
	DEVICE_FENCE();
#endif
	return before;
}

/* Folds the block's values into partial[0], which item 0 may read. */
static void fold_block(__local VALUE *partial, VALUE mine, int t)
{
	partial[t] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);

	for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
		if (t < stride)
			partial[t] = COMBINE(partial[t], partial[t + stride]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void reduce_single_pass(
	__global const VALUE *restrict A, __global VALUE *restrict B,
	__global volatile VALUE *values, __global volatile uint *finished, ulong n)
{
	__local VALUE partial[BLOCK] __attribute__((aligned(16)));
	/* An array: clang warns about a scalar that only item 0 sets. */
	__local int is_last[1] __attribute__((aligned(16)));
	int t = get_local_id(0);
	uint group = get_group_id(0);
	uint groups = get_num_groups(0);
	VALUE mine = fold_mine(A, n, group, groups, t);

	fold_block(partial, mine, t);
	if (t == 0) {
		values[group] = partial[0];
		is_last[0] = count_block(finished) == groups - 1;
	}
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* all items see the values */

	if (is_last[0]) { /* equal in all threads of the block */
		mine = IDENTITY;
		for (uint g = t; g < groups; g += BLOCK)
			mine = COMBINE(mine, values[g]);
		fold_block(partial, mine, t);
		if (t == 0) {
			B[0] = partial[0];
			*finished = 0; /* for the next launch */
		}
	}
}
