/*
 * Included before every kernel. clang itself declares the built-in functions of OpenCL C, except
 * some of those of sub-groups (pmpp_subgroups.h). Barriers are macros, because the line of the call
 * identifies them.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#include "pmpp_subgroups.h"

__attribute__((convergent)) void pmpp_emu_barrier(int line, uint flags);
__attribute__((convergent)) void pmpp_emu_sub_group_barrier(uint flags);

void pmpp_emu_barrier_fence(uint flags, int scope);

/* A barrier orders all work-items that it waits for. If its scope has other blocks, it is also a fence. */
#define PMPP_FIRST(flags, ...) (flags)
#define PMPP_BARRIER_FENCE(flags, scope, ...) pmpp_emu_barrier_fence((flags), (int)(scope))
#define barrier(flags) pmpp_emu_barrier(__LINE__, (flags))
#define work_group_barrier(...)                                                  \
	(PMPP_BARRIER_FENCE(__VA_ARGS__, __OPENCL_MEMORY_SCOPE_WORK_GROUP, 0),   \
		pmpp_emu_barrier(__LINE__, PMPP_FIRST(__VA_ARGS__, 0)),          \
		PMPP_BARRIER_FENCE(__VA_ARGS__, __OPENCL_MEMORY_SCOPE_WORK_GROUP, 0))
#define sub_group_barrier(...)                                                   \
	(PMPP_BARRIER_FENCE(__VA_ARGS__, __OPENCL_MEMORY_SCOPE_WORK_GROUP, 0),   \
		pmpp_emu_sub_group_barrier(PMPP_FIRST(__VA_ARGS__, 0)),          \
		PMPP_BARRIER_FENCE(__VA_ARGS__, __OPENCL_MEMORY_SCOPE_WORK_GROUP, 0))
