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
 * (0.001 to 86400, default 60). In the traced build (gpu_program_desc.traced) also: an access
 * outside its operand, a data race in shared memory between two barriers, a read of uninitialised
 * shared memory, an access to the destination of an asynchronous copy before the wait for that
 * copy.
 *
 * A watched launch (gpu_watch) of a traced program runs the warps of chosen blocks in
 * lockstep: the lanes of a warp that are at the lowest basic block run it, one after the other,
 * then those at the lowest again. So a warp reconverges as hardware's does, and what the lanes ask
 * of memory between two steps is one request. It also looks for races in global memory.
 *
 * Not emulated: inline PTX, printf in kernels, dynamic parallelism, textures, more than one launch
 * at a time. PMPP_EMU_WORKERS sets the number of workers (1 to 16, default: one per CPU).
 *
 * Inside the emulator. Modules, lower ones first:
 *
 *   fiber     stacks to switch between
 *   lines     which line of the kernel an address of its code is
 *   worker    what all of a launch share: the worker, its running thread, its fault
 *   jumps     basic blocks in the machine code, and the jumps at their ends
 *   shadow    traced build: who touched which byte last; races, uninitialised reads
 *   watch     traced build, watched launch: what warps ask of memory and which way they branch
 *   report    the same by lines of the source
 *   copies    asynchronous copies into shared memory, from the call to the wait
 *   trace     traced build: where an access goes, and whether it may
 *   threads   the threads of a block as fibers, barriers, warp operations
 *   lockstep  watched launch: the warps of a block, a basic block at a time
 *   block     one block from begin to end
 *   faults    signals inside a kernel
 *   compile   kernel source to shared object
 *   program   objects, their private copies, entries
 *   launch    workers, blocks of a grid, the watchdog
 *   selftest  a known kernel, watched: is the compiler what the watch takes it for?
 */
#ifndef PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H
#define PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H

#include "common/model/trace.h"
#include "host/gpu/backend.h"
#include "host/gpu/cuda_emu/fiber.h"
#include "host/gpu/cuda_emu/runtime/pmpp_emu.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define EMU_WARP 32
#define EMU_MAX_BLOCK 1024
#define EMU_STATIC_SHARED_BYTES (48u * 1024)
#define EMU_DYNAMIC_SHARED_BYTES (227u * 1024)
#define EMU_MAX_WORKERS 16
#define EMU_MAX_CALLS 8 /* one in another that lockstep tells apart */

/* ---- Objects ------------------------------------------------------------------------------- */

/* One worker's private copy of a program. */
struct emu_object {
	void *handle; /* dlopen */
	int file;     /* memfd: also what addr2line reads */
	const struct pmpp_emu_object *record;
	const char *image_begin, *image_end; /* where it is mapped */
	const char *code_end;                /* of its functions */
};

struct emu_program {
	struct gpu_program base;
	char *name; /* of the source: "matmul/tiled.cu" */
	bool traced;
	bool device_variables; /* has variables in global memory: one copy runs all blocks */
	void *image;           /* the shared object's bytes */
	size_t image_bytes;
	struct emu_object objects[EMU_MAX_WORKERS]; /* opened when a worker first needs one */
};

struct emu_kernel {
	struct gpu_kernel base;
	const char *parameters; /* kinds, as struct pmpp_emu_entry has them */
	uint64_t shared_bytes;  /* static */
};

/* Opens the copy of one worker, if it is not open. */
enum pmpp_status emu_object_open(
	struct emu_program *program, size_t worker, struct pmpp_error *error);

/* ---- Device -------------------------------------------------------------------------------- */

struct emu_buffer {
	struct gpu_buffer base;
	char *memory; /* the allocation, guards included */
	char *data;   /* byte 0 */
	struct emu_buffer *next;
};

struct emu_device {
	struct gpu_device base;
	struct emu_buffer *buffers; /* live ones: what a kernel may touch */
	enum gpu_order order;
	uint64_t order_seed;
	size_t worker_count;
	double timeout_s;
	const struct gpu_watch *watch; /* of the next launches; NULL: none */
	struct trace *trace;           /* what it writes to */
	bool watch_tested;
	int watch_wrong_line; /* of the known kernel; 0: it was counted right */
	uint64_t timer_begin_ns, timer_end_ns;
};

/* ---- One block on one worker ----------------------------------------------------------------- */

enum emu_thread_state {
	EMU_WAITING_TO_START,
	EMU_RUNNING,
	EMU_AT_STEP, /* lockstep: at the head of a basic block */
	EMU_AT_BARRIER,
	EMU_AT_WARP,
	EMU_DONE
};

struct emu_thread {
	struct pmpp_emu_index index;
	enum emu_thread_state state;
	bool released;       /* parked, and may go on */
	int line;            /* of the barrier or warp operation it is at */
	struct fiber *fiber; /* while parked */
	int predicate;       /* at a barrier */
	unsigned mask;       /* at a warp operation ... */
	enum pmpp_emu_warp_op op;
	unsigned long long value;
	int source;
	unsigned long long result;
	const char *block_pc; /* lockstep: of the basic block it is in */
	size_t depth;         /* lockstep: bytes of its stack in use there */
	const char *left_pc;  /* lockstep: of the basic block it left for this one; NULL: none */
	/* Lockstep: the basic block that each function it is in is at, the kernel's first. */
	struct emu_call {
		const char *block_pc;
		size_t depth;
	} calls[EMU_MAX_CALLS];
	size_t call_count;
	struct emu_copy *copies, *last_copy; /* pending copies, oldest first */
	uint64_t copy_groups;                /* number of committed groups */
};

/* How a kernel ended, when it did not end well. */
struct emu_fault {
	enum trace_defect_kind kind; /* TRACE_NO_DEFECT: it ended well */
	int line;                    /* of the source; 0 = where pc is */
	const void *pc;              /* in the object; NULL = unknown */
	const void *other_pc;        /* the other side of a race; NULL = none */
	int other_line;              /* that of a barrier; 0: where other_pc is */
	struct pmpp_emu_index thread, block;
	char text[320]; /* what happened */
};

/* One launch, shared by its workers. */
struct emu_launch {
	struct emu_program *program;
	const struct pmpp_emu_entry *entry[EMU_MAX_WORKERS]; /* in each worker's copy */
	void **arguments;
	struct pmpp_emu_index grid, block;
	size_t block_threads;
	size_t dynamic_bytes;
	uint64_t block_count; /* that are run */
	const struct emu_device *device;
	const struct gpu_watch *watch; /* NULL: none */

	atomic_uint_fast64_t next_block;
	atomic_uint_fast64_t blocks_done; /* blocks whose threads have all returned */
	atomic_bool stop;                 /* a worker failed, or the time limit is reached */
	atomic_bool timed_out;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t ended;
	size_t running;            /* workers that are not through */
	struct emu_worker *failed; /* the first that failed */
};

struct emu_worker {
	size_t index;
	pthread_t id;
	struct emu_launch *launch;
	struct emu_object *object;
	struct pmpp_emu_state *state; /* of object */

	struct fiber main_fiber;
	struct fiber *fibers;       /* all of them, by `link` */
	struct fiber *free_fibers;  /* those not in use, by `next` */
	struct fiber *running;      /* fiber of the running thread */
	struct emu_thread *threads; /* of the current block, in order of x, y, z */
	size_t *order;              /* in which they are started */
	size_t started, done, at_barrier;
	size_t start_end;  /* threads below it may be started */
	bool any_released; /* a thread was released after the last search for released threads */
	struct emu_thread *current;
	int barrier_count;                              /* predicates of the barrier last passed */
	uint32_t block_ordinal;                         /* from 1: of the blocks it ran */
	unsigned epoch;                                 /* barriers passed by the block */
	unsigned warp_epochs[EMU_MAX_BLOCK / EMU_WARP]; /* operations each warp passed */
	char *dynamic_shared;
	struct emu_copy *free_copies;
	struct shadow *shadow; /* traced build */
	struct watch *watch;   /* watched launch */
	const void *last_pc;   /* traced build: of the last access */

	void *signal_stack;
	volatile sig_atomic_t in_kernel;
	unsigned interrupts; /* signals of the watchdog that came at a bad time */
	struct emu_fault fault;
};

/* The worker of the calling thread; NULL outside launches. */
extern _Thread_local struct emu_worker *emu_worker_current;

/* What kernels call. */
extern const struct pmpp_emu_ops emu_ops;

/* Runs all threads of the block. Returns false if not all threads returned: the kernel failed
 * (worker->fault), or the launch was stopped. */
bool emu_block_run(struct emu_worker *worker, struct pmpp_emu_index block);

/* Records how the kernel ended; the first record stays. */
void emu_fault_set(struct emu_worker *worker, enum trace_defect_kind kind, int line, const void *pc,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Leaves the running fiber for good: the scheduler finds worker->fault set. It does not return, but
 * is not declared so: AddressSanitizer would tidy up what it takes for the thread's stack. */
void emu_fault_leave(struct emu_worker *worker);

/* Whether all bytes are in the block's shared memory. *ret_offset counts from the start of its
 * static part. */
bool emu_shared_find(
	const struct emu_worker *worker, const char *address, size_t bytes, size_t *ret_offset);

/* The address in shared memory. The static part begins at address 0, the dynamic part at bank 0.
 * The host's addresses would begin at any bank. */
uint64_t emu_shared_address(const struct emu_worker *worker, size_t offset);

/* Makes thread the one that the kernel's code sees. */
void emu_thread_enter(struct emu_worker *worker, struct emu_thread *thread);

/* Starts the next thread that waits for it, on a fiber of its own; it comes back when all those
 * below start_end are parked or through. Without memory for a stack: a fault. */
void emu_fiber_start(struct emu_worker *worker);

/* Nothing of the block can go on: a barrier is complete, or a rule is broken (a fault). */
void emu_standstill(struct emu_worker *worker);

/* Runs the threads of a block that was begun until all are through or a fault. */
void emu_threads_run(struct emu_worker *worker);

/* ---- lockstep.c ---------------------------------------------------------------------------- */

/* Runs the threads of a block that was begun, warp by warp, until all are through or a fault. */
void lockstep_run(struct emu_worker *worker);

/* A kernel's thread is at the head of a basic block (emu_ops.step of a watched launch). */
void lockstep_step(const void *pc, const void *frame);

/* ---- copies.c ------------------------------------------------------------------------------ */

/* The running thread begins a copy (emu_ops.copy), commits the copies since its last commit as a
 * group, or waits for all its groups except the last `prior`. A broken rule is a fault. */
void emu_copy_begin(int line, void *to, const void *from, unsigned long bytes, unsigned long zeroed,
	unsigned long long low, unsigned long long high);
void emu_copy_commit(void);
void emu_copy_wait(unsigned long prior);

/* Reports an access of the running thread to the destination of a pending copy: a fault. */
void emu_copy_touched(struct emu_worker *worker, const char *address, size_t bytes,
	enum pmpp_emu_access kind, const void *pc);

/* Removes the copies without a wait at the end of a block. */
void emu_copies_drop(struct emu_worker *worker);

/* Frees the memory of the worker's copies. */
void emu_copies_finish(struct emu_worker *worker);

/* ---- trace.c ------------------------------------------------------------------------------- */

/* An access of the running thread (emu_ops.access). */
void trace_access(
	const void *address, unsigned long bytes, enum pmpp_emu_access kind, const void *pc);

/* ---- shadow.c ------------------------------------------------------------------------------ */

/* For shared memory of bytes, and for operands where global is set; NULL on lack of memory. */
struct shadow *shadow_create(size_t static_bytes, size_t dynamic_bytes, bool global);
void shadow_destroy(struct shadow *shadow);

/* Judges and remembers an access to shared memory; offset counts from its static part on. What is
 * wrong is a fault, from which it does not come back. */
void shadow_shared(struct emu_worker *worker, size_t offset, const char *address,
	unsigned long bytes, enum pmpp_emu_access kind, const void *pc);

/* Whether one of these bytes of shared memory is the destination of a pending asynchronous copy. */
bool shadow_pending(const struct shadow *shadow, size_t offset, size_t bytes);
void shadow_pending_set(struct shadow *shadow, size_t offset, size_t bytes, bool pending);

/* To be called when the running thread stops or ends: judges its last write. */
void shadow_settle(struct emu_worker *worker);

/* All threads are at a barrier, or the block has ended, well or not: a read of shared memory that
 * nobody wrote is a fault now. It takes the place of any other but a race, which may follow from
 * it. */
void shadow_interval_end(struct emu_worker *worker);

/* As shadow_shared, of an operand; nothing where the shadow was made without. */
void shadow_global(struct emu_worker *worker, const struct emu_buffer *buffer, const char *address,
	unsigned long bytes, enum pmpp_emu_access kind, const void *pc);

void shadow_fence(struct emu_worker *worker);

/* Bytes of operands that blocks loaded and stored, each block's counted once. */
void shadow_block_bytes(const struct shadow *shadow, uint64_t *ret_loaded, uint64_t *ret_stored);

/* ---- watch.c ------------------------------------------------------------------------------- */

/* One for a launch, used by one worker; NULL on lack of memory. */
struct watch *watch_create(const struct emu_object *object);
void watch_destroy(struct watch *watch);

/* Sets the warp of the next groups. */
void watch_warp_enter(struct watch *watch, const struct warp_place *place);

/* A group of lanes of one warp goes on together: accesses of the same place in their code are one
 * request. entering: they enter a basic block, which lies at pc. */
void watch_group_begin(struct watch *watch, uint32_t lanes, bool entering, const char *pc);

/* An access of a lane of the group; argument: of the kernel, from 1; 0: shared memory; -1: its own
 * stack. */
void watch_access(struct watch *watch, unsigned lane, int argument, uint64_t address,
	uint32_t bytes, enum pmpp_emu_access kind, const char *pc);

/* The lanes of the group that left the basic block at pc went to the heads next[lane], NULL: the
 * end of the kernel. Counts the requests, and whether the lanes went different ways. */
void watch_group_end(
	struct watch *watch, const char *pc, uint32_t left, const char *const next[EMU_WARP]);

/* No lane of the warp can go on: true when it diverged since the last call. */
bool watch_warp_leave(struct watch *watch);

/* Counts a warp that is through. */
void watch_warp(struct watch *watch, bool diverged);

uint64_t watch_steps(const struct watch *watch);

/* ---- report.c ------------------------------------------------------------------------------ */

/* Turns the counts into lines of the source; PMPP_UNSUPPORTED when the lanes of a warp did not do
 * the same in one basic block. */
enum pmpp_status watch_report(const struct watch *watch, const struct emu_program *program,
	struct trace *ret_trace, struct pmpp_error *error);

/* ---- jumps.c ------------------------------------------------------------------------------- */

/* Where the basic block at pc ends: behind its last instruction. */
const char *emu_block_end(const struct emu_object *object, const char *pc);

/* The conditional jump at the end of a basic block, if it leads to one of the heads; NULL where
 * none is found, as on hosts other than x86-64. */
const char *emu_jump_find(const struct emu_object *object, const char *pc, const char *const *heads,
	size_t head_count);

/* ---- lines.c ------------------------------------------------------------------------------- */

/* A line of the kernel's file; 0: none. */
struct emu_place {
	int line;
	uint32_t inlined_at; /* tells places apart where the line's function is inlined; 0: none */
};

/* Places of addresses of its object. An inlined function of another file counts as the line that
 * calls it. */
void emu_places(const struct emu_program *program, const struct emu_object *object,
	const char *const *pcs, size_t count, struct emu_place *ret_places);

/* ---- faults.c ------------------------------------------------------------------------------ */

/* Handlers for the time of a launch; the process's own are put back by the second. */
void emu_faults_install(void);
void emu_faults_restore(void);

/* Ends the kernel that the worker runs, from another thread (the watchdog). */
void emu_faults_interrupt(struct emu_worker *worker);

/* ---- source.c ------------------------------------------------------------------------------ */

/* The text for the C++ compiler, malloc'ed: the kernel file with its lines where they were, then
 * the records of its entries (extern "C" definitions that are no templates). NULL on lack of
 * memory. */
char *emu_source_prepare(
	const struct gpu_program_desc *desc, bool *ret_device_variables, bool *ret_inline_ptx);

/* ---- symbols.c ----------------------------------------------------------------------------- */

/* Static shared memory of one kernel: all of the file's but that of other kernels. */
uint64_t emu_symbols_shared_bytes(const struct emu_program *program, const char *entry);

/* ---- compile.c ----------------------------------------------------------------------------- */

/* The kernel's file in the folder it is built in. */
#define EMU_SOURCE_FILE "pmpp_kernel.cu"

/* The host's C++ compiler and its version: false when there is none. */
bool emu_compiler_find(char *ret_path, size_t path_size, char *ret_version, size_t version_size);

/* Returns the flags that make the compiler fill uninitialised local variables, separated by spaces;
 * NULL: the compiler has none. The first call for a compiler runs it to try the flags. */
const char *emu_compiler_fill(enum gpu_fill fill, bool traced);

/* Runs a program (arguments end with NULL) in a folder (NULL: here) and returns what it printed, on
 * either stream; the caller frees. NULL when it cannot be run. */
char *emu_run_command(char *const arguments[], const char *folder, int *ret_exit);

/* Compiles, or takes the object from the cache. *ret_image is malloc'ed. */
enum pmpp_status emu_compile(const struct gpu_program_desc *desc, const char *source,
	const char *options, const char *compiler_version, void **ret_image, size_t *ret_bytes,
	char **ret_log, enum gpu_cache_outcome *ret_cache, struct pmpp_error *error);

/* ---- Slots of the backend -------------------------------------------------------------------- */

void emu_set_order(struct gpu_device *device, enum gpu_order order, uint64_t seed);
bool emu_can_fill(const struct gpu_device *device, enum gpu_fill fill);
void emu_watch(struct gpu_device *device, const struct gpu_watch *watch, struct trace *ret_trace);
enum pmpp_status emu_watch_test(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status emu_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error);
enum pmpp_status emu_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error);
void emu_close(struct gpu_device *device);
enum pmpp_status emu_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error);
void emu_buffer_destroy(struct gpu_buffer *buffer);
enum pmpp_status emu_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error);
enum pmpp_status emu_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error);
enum pmpp_status emu_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error);
enum pmpp_status emu_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error);
void emu_program_destroy(struct gpu_program *program);
enum pmpp_status emu_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error);
void emu_kernel_destroy(struct gpu_kernel *kernel);
enum pmpp_status emu_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error);
enum pmpp_status emu_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error);
enum pmpp_status emu_finish(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status emu_timer_begin(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status emu_timer_end(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status emu_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error);

#endif
