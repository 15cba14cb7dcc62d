/*
 * Work-item functions, barriers, fences and functions of sub-groups, in C, and functions that builtins.cl and
 * builtins_print.c call. The names in BUILTIN() are those of clang for built-in functions.
 */
#include "pmpp_emu.h"

#include <stdbool.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define BUILTIN(symbol, T, name, parameters)      \
	HIDDEN T name parameters __asm__(symbol); \
	T name parameters
#define VALUE_BUILTIN(symbol, T, name, parameters, value) \
	BUILTIN(symbol, T, name, parameters)              \
	{                                                 \
		return value;                             \
	}

extern HIDDEN struct pmpp_emu_state pmpp_emu_state;

/* Call these before and after a function of the C library that takes a lock. The fences keep the
 * function between the two calls. pc: as in ops.end. */
HIDDEN void pmpp_emu_library_begin(void)
{
	pmpp_emu_state.in_library = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

HIDDEN void pmpp_emu_library_end(const void *pc)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pmpp_emu_state.in_library = 0;
	if (pmpp_emu_state.interrupted)
		pmpp_emu_state.ops.end(pc);
}

/* Code of the compiler calls it. That of the C library would write to stderr and end the process. */
HIDDEN void __stack_chk_fail(void)
{
	pmpp_emu_state.ops.fail(__builtin_return_address(0), PMPP_EMU_STACK_DEFECT, "");
	__builtin_unreachable();
}

/* ---- Work-items ---------------------------------------------------------------------------- */

static unsigned of(const struct pmpp_emu_index *index, unsigned dimension, unsigned other)
{
	return dimension == 0   ? index->x
	       : dimension == 1 ? index->y
	       : dimension == 2 ? index->z
				: other;
}

VALUE_BUILTIN("_Z12get_local_idj", unsigned long, pmpp_local_id, (unsigned d),
	of(&pmpp_emu_state.thread, d, 0))
VALUE_BUILTIN("_Z12get_group_idj", unsigned long, pmpp_group_id, (unsigned d),
	of(&pmpp_emu_state.block, d, 0))
VALUE_BUILTIN("_Z14get_local_sizej", unsigned long, pmpp_local_size, (unsigned d),
	of(&pmpp_emu_state.block_dim, d, 1))
VALUE_BUILTIN("_Z14get_num_groupsj", unsigned long, pmpp_num_groups, (unsigned d),
	of(&pmpp_emu_state.grid_dim, d, 1))
VALUE_BUILTIN("_Z23get_enqueued_local_sizej", unsigned long, pmpp_enqueued_local_size, (unsigned d),
	pmpp_local_size(d))
VALUE_BUILTIN("_Z15get_global_sizej", unsigned long, pmpp_global_size, (unsigned d),
	pmpp_num_groups(d) * pmpp_local_size(d))
VALUE_BUILTIN("_Z13get_global_idj", unsigned long, pmpp_global_id, (unsigned d),
	pmpp_group_id(d) * pmpp_local_size(d) + pmpp_local_id(d))

BUILTIN("_Z17get_global_offsetj", unsigned long, pmpp_global_offset, (unsigned d))
{
	(void)d;
	return 0;
}

BUILTIN("_Z12get_work_dimv", unsigned, pmpp_work_dim, (void))
{
	return 3; /* as clEnqueueNDRangeKernel() gets it from the backend opencl */
}

static unsigned long linear(const struct pmpp_emu_index *at, const struct pmpp_emu_index *size)
{
	return at->x + size->x * (at->y + (unsigned long)size->y * at->z);
}

VALUE_BUILTIN("_Z19get_local_linear_idv", unsigned long, pmpp_local_linear_id, (void),
	linear(&pmpp_emu_state.thread, &pmpp_emu_state.block_dim))
VALUE_BUILTIN("_Z20get_global_linear_idv", unsigned long, pmpp_global_linear_id, (void),
	pmpp_global_id(0) + pmpp_global_size(0) * (pmpp_global_id(1) + pmpp_global_size(1) * pmpp_global_id(2)))

/* ---- Sub-groups ---------------------------------------------------------------------------- */

static unsigned long block_threads(void)
{
	return pmpp_local_size(0) * pmpp_local_size(1) * pmpp_local_size(2);
}

VALUE_BUILTIN("_Z22get_max_sub_group_sizev", unsigned, pmpp_max_sub_group_size, (void),
	pmpp_emu_state.warp)
VALUE_BUILTIN("_Z18get_num_sub_groupsv", unsigned, pmpp_num_sub_groups, (void),
	(unsigned)((block_threads() + pmpp_emu_state.warp - 1) / pmpp_emu_state.warp))
VALUE_BUILTIN("_Z27get_enqueued_num_sub_groupsv", unsigned, pmpp_enqueued_num_sub_groups, (void),
	pmpp_num_sub_groups())
VALUE_BUILTIN("_Z16get_sub_group_idv", unsigned, pmpp_sub_group_id, (void),
	(unsigned)(pmpp_local_linear_id() / pmpp_emu_state.warp))
VALUE_BUILTIN("_Z22get_sub_group_local_idv", unsigned, pmpp_sub_group_local_id, (void),
	pmpp_emu_state.lane)

/* The last sub-group of a block may be smaller. */
BUILTIN("_Z18get_sub_group_sizev", unsigned, pmpp_sub_group_size, (void))
{
	unsigned long rest =
		block_threads() - (unsigned long)pmpp_sub_group_id() * pmpp_emu_state.warp;

	return rest < pmpp_emu_state.warp ? (unsigned)rest : pmpp_emu_state.warp;
}

/* Bits of the lanes of a whole sub-group. */
static unsigned long all_lanes(void)
{
	return pmpp_emu_state.warp == 64 ? ~0ul : (1ul << pmpp_emu_state.warp) - 1;
}

/* A place without a line in the source: the negative offset of the call in the object. pc is after
 * the call, which may be on another line. */
HIDDEN int pmpp_emu_line(const void *pc)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));

	return -(int)((const char *)pc - 1 - __ehdr_start);
}

BUILTIN("pmpp_emu_sub_group_barrier", void, pmpp_emu_sub_group_barrier, (unsigned flags))
{
	(void)flags;
	pmpp_emu_state.ops.warp(
		pmpp_emu_line(__builtin_return_address(0)), PMPP_EMU_SYNC, all_lanes(), 0, 0);
}

/* ---- Barriers and fences ------------------------------------------------------------------- */

/* cl_mem_fence_flags */
#define LOCAL_FENCE 1u  /* CLK_LOCAL_MEM_FENCE */
#define GLOBAL_FENCE 2u /* CLK_GLOBAL_MEM_FENCE */

/* line: 0 for the second barrier of a line and all others. */
BUILTIN("pmpp_emu_barrier", void, pmpp_emu_barrier, (int line, unsigned flags))
{
	pmpp_emu_state.unordered = !(flags & LOCAL_FENCE) << PMPP_EMU_SHARED |
				   !(flags & GLOBAL_FENCE) << PMPP_EMU_GLOBAL;
	pmpp_emu_state.ops.barrier(line ? line : pmpp_emu_line(__builtin_return_address(0)), 0, 0);
}

/* releases: work-items that see a later atomic operation see all earlier writes. Otherwise the fence is an
 * acquire. other_blocks: for the work-items of all blocks. */
static void fence(bool releases, bool other_blocks, const void *pc)
{
#ifdef PMPP_EMU_TRACED
	enum pmpp_emu_access all = releases ? PMPP_EMU_FENCE : PMPP_EMU_ACQUIRE;

	if (releases || other_blocks)
		pmpp_emu_state.ops.access(0, 0, other_blocks ? all : PMPP_EMU_BLOCK_FENCE, pc);
#else
	(void)releases, (void)other_blocks, (void)pc;
#endif
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

BUILTIN("_Z9mem_fencej", void, pmpp_mem_fence, (unsigned flags))
{
	fence(true, flags & GLOBAL_FENCE, __builtin_return_address(0));
}

BUILTIN("_Z14read_mem_fencej", void, pmpp_read_mem_fence, (unsigned flags))
{
	fence(false, flags & GLOBAL_FENCE, __builtin_return_address(0));
}

BUILTIN("_Z15write_mem_fencej", void, pmpp_write_mem_fence, (unsigned flags))
{
	fence(true, flags & GLOBAL_FENCE, __builtin_return_address(0));
}

/* clang defines the scopes also in C. */
static bool has_other_blocks(int scope)
{
	return scope == __OPENCL_MEMORY_SCOPE_DEVICE ||
	       scope == __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES;
}

/* Called before and after a barrier. */
HIDDEN void pmpp_emu_barrier_fence(unsigned flags, int scope)
{
	if ((flags & GLOBAL_FENCE) && has_other_blocks(scope))
		fence(true, true, __builtin_return_address(0));
}

/* order: a value such as __ATOMIC_RELEASE */
BUILTIN("_Z22atomic_work_item_fencej12memory_order12memory_scope", void, pmpp_work_item_fence,
	(unsigned flags, int order, int scope))
{
	bool releases =
		order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;

	fence(releases,
		(flags & GLOBAL_FENCE) && has_other_blocks(scope) && order != __ATOMIC_RELAXED,
		__builtin_return_address(0));
}

/* ---- For builtins.cl ----------------------------------------------------------------------- */

HIDDEN void pmpp_emu_access(const void *address, unsigned long bytes, int kind, const void *pc)
{
#ifdef PMPP_EMU_TRACED
	pmpp_emu_state.ops.access(address, bytes, (enum pmpp_emu_access)kind, pc);
#else
	(void)address, (void)bytes, (void)kind, (void)pc;
#endif
}

HIDDEN void pmpp_emu_settle(const void *address, unsigned long bytes)
{
#ifdef PMPP_EMU_TRACED
	pmpp_emu_state.ops.settle(address, bytes);
#else
	(void)address, (void)bytes;
#endif
}

HIDDEN void *pmpp_emu_allocate(unsigned long bytes, const void *pc)
{
	pmpp_emu_library_begin();
	void *memory = __builtin_malloc(bytes);
	if (pmpp_emu_state.interrupted) { /* the thread ends, and nobody would release it */
		__builtin_free(memory);
		memory = 0;
	}
	pmpp_emu_library_end(pc);
	return memory;
}

HIDDEN void pmpp_emu_release(void *memory, const void *pc)
{
	pmpp_emu_library_begin();
	__builtin_free(memory);
	pmpp_emu_library_end(pc);
}

HIDDEN unsigned long pmpp_emu_warp(
	int line, int op, unsigned long mask, unsigned long value, int source)
{
	return pmpp_emu_state.ops.warp(line, (enum pmpp_emu_warp_op)op, mask, value, source);
}

HIDDEN void pmpp_emu_copy(int line, void *to, const void *from, unsigned long bytes,
	unsigned long zeroed, unsigned long low, unsigned long high)
{
	pmpp_emu_state.ops.copy(line, to, from, bytes, zeroed, low, high);
}

HIDDEN unsigned long pmpp_emu_copy_commit(void)
{
	return pmpp_emu_state.ops.copy_commit();
}

HIDDEN void pmpp_emu_copy_wait_group(unsigned long group)
{
	pmpp_emu_state.ops.copy_wait_group(group);
}

#ifdef PMPP_EMU_TRACED
HIDDEN void pmpp_emu_step(void)
{
	if (pmpp_emu_state.ops.step)
		pmpp_emu_state.ops.step(__builtin_return_address(0), __builtin_frame_address(0));
}
#endif
