/*
 * The CUDA emulator: runs CUDA C kernels on the host's CPU, so that a machine without a GPU can
 * check them. Its times are never performance.
 *
 * A kernel file is compiled by the host's C++ compiler with runtime/pmpp_cuda.h in front of it into
 * a shared object. Blocks are spread over one worker thread a CPU, each with its private copy of
 * the object, because `__shared__` is `static` there. Inside a worker every CUDA thread is a fiber
 * (fiber.h), started when it is its turn: a kernel without barriers is a plain loop.
 *
 * What ends as an error with the kernel's file and line (PMPP_LAUNCH, or PMPP_TIMEOUT): a thread
 * that returned, or waits elsewhere, while others wait at a barrier; lanes of a warp that never
 * meet; SIGSEGV, SIGBUS, SIGFPE, SIGILL, stack overflow; a launch over PMPP_EMU_TIMEOUT_S seconds
 * (60). In the traced build (gpu_program_desc.traced) also: an access outside its operand, a data
 * race in shared memory between two barriers, a read of shared memory that nobody wrote.
 *
 * A watched launch (cuda_emu_watch) of a traced program runs the warps of chosen blocks in
 * lockstep: the lanes of a warp that are at the lowest basic block run it, one after the other,
 * then those at the lowest again. So a warp reconverges as hardware's does, and what the lanes ask
 * of memory between two steps is one request. It also looks for races in global memory.
 *
 * Not emulated: inline PTX, printf in kernels, dynamic parallelism, textures, more than one launch
 * at a time. PMPP_EMU_WORKERS sets the number of workers.
 */
#ifndef PMPP_HOST_GPU_CUDA_EMU_CUDA_EMU_H
#define PMPP_HOST_GPU_CUDA_EMU_CUDA_EMU_H

#include "common/model/trace.h"
#include "host/gpu/gpu.h"

/* Order in which the threads of a block, and the blocks of a grid, are started. A kernel that is
 * right gives the same answer in every order; a missing barrier often shows in another than the
 * first. */
enum cuda_emu_order {
	CUDA_EMU_FORWARD,
	CUDA_EMU_REVERSED,
	CUDA_EMU_SHUFFLED
};

/* For the launches that follow on this device, which must be of this backend. seed is that of
 * CUDA_EMU_SHUFFLED. */
void cuda_emu_set_order(struct gpu_device *device, enum cuda_emu_order order, uint64_t seed);

struct cuda_emu_watch {
	const uint64_t *blocks; /* their numbers, x fastest, at least one; NULL: all */
	size_t block_count;
	uint64_t step_limit; /* basic blocks that lanes may enter, all together */
};

/* Watches the launches that follow on this device, of programs built traced, until NULL is given.
 * Each launch writes *ret_trace anew; the caller finishes it. A defect is told there, beside the
 * launch's error. Both must live on. A block number beyond the grid: PMPP_USAGE. */
void cuda_emu_watch(
	struct gpu_device *device, const struct cuda_emu_watch *watch, struct trace *ret_trace);

/* PMPP_UNSUPPORTED, with the compiler and what it got wrong, when a known kernel is not counted as
 * it must be: nothing that a watch counts is then worth anything. The first call takes a
 * compilation; the answer is kept. */
enum pmpp_status cuda_emu_watch_test(struct gpu_device *device, struct pmpp_error *error);

#endif
