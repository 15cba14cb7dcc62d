/*
 * Asynchronous copies: the hardware copies tiles from global to local memory without registers.
 * STAGES - 1 copies are in flight while the work-items work on another tile: enough bytes to hide
 * the latency, even with little work and few work-items. On NVIDIA GPUs the copies are PTX: each
 * work-item waits for its own copies, and the barrier after the wait makes them visible to all
 * work-items. Elsewhere async_work_group_copy() copies a tile, and the device may do this without
 * registers or not. The barrier then separates the reads of a buffer from its next copy.
 *
 * B[i] is A[i] after `trips` times x = x * SCALE + SHIFT.
 *
 * Block: BLOCK work-items. Groups: any number from 1. Operands begin on 16-byte boundaries. STAGES
 * is at least 2.
 * Limited by: memory and arithmetic.
 * Book: PMPP 1st ed., 6.4 (data prefetching), taken further.
 */
#pragma OPENCL FP_CONTRACT OFF

#define SHIFT (1.0f / SHIFT_DIVISOR)
#define SCALE (1.0f - SHIFT)

/* The work on one element: `trips` dependent fused multiply-adds. */
static float apply(float x, int trips)
{
	int k = 0;

	for (; k + 8 <= trips; k += 8)
#pragma unroll
		for (int u = 0; u < 8; u++)
			x = fma(x, SCALE, SHIFT);
	for (; k < trips; k++)
		x = fma(x, SCALE, SHIFT);
	return x;
}

#ifdef __NV_CL_C_VERSION
/* The PTX of CUDA's __pipeline_memcpy_async(), __pipeline_commit() and __pipeline_wait_prior(). */
#define COPY_16(to, from)                                                     \
	asm volatile("{\n\t.reg .u32 address;\n\t"                             \
		     "cvt.u32.u64 address, %0;\n\t"                           \
		     "cp.async.cg.shared.global [address], [%1], 16;\n\t}"    \
		     :                                                        \
		     : "l"(to), "l"(from)                                     \
		     : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)
#define WAIT_PRIOR(groups) asm volatile("cp.async.wait_group " TEXT(groups) ";" ::: "memory")

typedef int COPY; /* unused */

/* Begins this work-item's share of the copy of a tile: a quarter of them copy 16 bytes each. Every
 * work-item commits a group for every tile, so that all wait for the same number of groups. */
static COPY copy_ahead(
	__local float *buffer, __global const float *restrict A, ulong n, ulong tile, int t)
{
	ulong begin = tile + 4 * t;

	if (t < BLOCK / 4) {
		if (begin + 4 <= n)
			COPY_16(buffer + 4 * t, A + begin);
		else
			for (int k = 0; begin + k < n; k++)
				buffer[4 * t + k] = A[begin + k];
	}
	COMMIT();
	return 0;
}

static void wait_for(COPY *copy)
{
	WAIT_PRIOR(STAGES - 2); /* all copies but the newest STAGES - 2 are complete */
}
#else
typedef event_t COPY;

/* Begins the copy of a tile, which all work-items begin together. */
static COPY copy_ahead(
	__local float *buffer, __global const float *restrict A, ulong n, ulong tile, int t)
{
	ulong begin = min(tile, n); /* a tile past the end has no elements */

	return async_work_group_copy(buffer, A + begin, (size_t)min(n - begin, (ulong)BLOCK), 0);
}

static void wait_for(COPY *copy)
{
	wait_group_events(1, copy);
}
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void prefetch_async_copy(
	__global const float *restrict A, __global float *restrict B, ulong n, ulong trips)
{
	__local float buffer[STAGES][BLOCK] __attribute__((aligned(16)));
	COPY copies[STAGES];
	int t = get_local_id(0);
	int count = (int)trips; /* at most 4096 */
	int which = 0;		/* the buffer of this tile */
	int free = STAGES - 1;	/* the buffer to fill next */
	ulong step = (ulong)get_num_groups(0) * BLOCK;
	ulong tile = (ulong)get_group_id(0) * BLOCK;

#pragma unroll
	for (int s = 0; s < STAGES - 1; s++)
		copies[s] = copy_ahead(buffer[s], A, n, tile + s * step, t);
	for (; tile < n; tile += step) {
		wait_for(&copies[which]);
		barrier(CLK_LOCAL_MEM_FENCE);
		copies[free] = copy_ahead(buffer[free], A, n, tile + (STAGES - 1) * step, t);
		if (tile + t < n)
			B[tile + t] = apply(buffer[which][t], count);
		free = which;
		which = which + 1 < STAGES ? which + 1 : 0;
	}
#ifndef __NV_CL_C_VERSION
	/* A kernel must wait for all of its copies. Those that are left have no elements. */
	for (int s = 0; s < STAGES - 1; s++) {
		wait_for(&copies[which]);
		which = which + 1 < STAGES ? which + 1 : 0;
	}
#endif
}
