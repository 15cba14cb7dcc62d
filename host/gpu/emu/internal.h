/*
 * The emulator: runs GPU kernels on the host's CPU, so that a machine without a GPU can check them.
 * Its times are never performance.
 *
 * A front end (front.h) compiles a kernel file to a shared object: host/gpu/cuda_emu with the
 * host's C++ compiler, host/gpu/opencl_emu with clang. One worker thread per CPU runs blocks. Each
 * worker has its own copy of the object, because shared memory is static in it. Inside a worker
 * every thread of a block runs on a fiber (fiber.h). A fiber runs threads one after the other, so a
 * kernel without barriers needs no switch.
 *
 * These defects end a launch with an error that has the kernel's file and line (PMPP_LAUNCH, or
 * PMPP_TIMEOUT):
 *   - A thread has returned, or waits at another barrier, while other threads wait at a barrier.
 *   - Lanes of an operation group wait for each other forever.
 *   - SIGSEGV, SIGBUS, SIGFPE, SIGILL, stack overflow.
 *   - The launch takes more than PMPP_EMU_TIMEOUT_S seconds (0.001 to 86400, default 60).
 * In the traced build (gpu_program_desc.traced) also:
 *   - an access outside its operand, or a store to an input
 *   - a data race in shared or global memory
 *   - a read of uninitialised shared memory
 *   - an access to the destination of an asynchronous copy before the wait for that copy
 *
 * A watched launch (gpu_watch) of a traced program runs the warps of selected blocks in lockstep.
 * In each step, the lanes of a warp at the lowest basic block run this block, one after the other.
 * So a warp reconverges as on hardware. The device's access model (gpu_set_model) has the number of
 * lanes that run in lockstep. It may differ from the number of lanes of a warp operation, which the
 * front end sets. The accesses of the lanes at one instruction in a step are one memory request.
 *
 * Two words for groups of lanes:
 *   warp             the model->lanes lanes that run in lockstep; all counts are of these warps
 *   operation group  the launch->operation_lanes lanes that a warp operation connects. It can be a
 *                    part of a warp, or several warps
 *
 * Not emulated: more than one launch at a time. Each front end lists what its language lacks.
 * PMPP_EMU_WORKERS sets the number of workers (1 to 16, default: one per CPU). A launch of the
 * traced build has one worker, so that its defects do not depend on this number.
 *
 * Inside the emulator. Modules, lower ones first:
 *
 *   fiber     fibers
 *   process   runs compilers and addr2line; private folders of builds; source lines of addresses
 *   symbols   symbols of an object, and those that a kernel uses
 *   program   kernel source to shared object, with a front end; objects, their private copies, entries;
 *             static shared memory of each kernel, variables, functions
 *   watch     watched launch: memory requests and branches of warps, by address of the code, and the
 *             report by line of the source
 *   checks    faults; traced build: bounds, races, uninitialised reads, asynchronous copies
 *   threads   the threads of a block as fibers: barriers, warp operations, lockstep
 *   launch    arguments, workers, blocks of a grid, signals inside a kernel, the watchdog, errors
 *   device    the device: its limits, its buffers, the settings of a launch, the test of the counts
 */
#ifndef PMPP_HOST_GPU_EMU_INTERNAL_H
#define PMPP_HOST_GPU_EMU_INTERNAL_H

#include "common/model/trace.h"
#include "host/gpu/emu/fiber.h"
#include "host/gpu/emu/front.h"
#include "host/gpu/emu/runtime/pmpp_emu.h"
#include "host/gpu/fenced_memory.h"
#include "host/gpu/program_cache.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define EMU_MAX_WORKERS 16
#define EMU_MAX_CALLS 8 /* maximum depth of calls for which lockstep keeps a basic block each */

/* ---- Objects ------------------------------------------------------------------------------- */

/* One worker's private copy of a program. */
struct emu_object {
	void *handle; /* dlopen */
	int file;     /* memfd, which addr2line reads too */
	const struct pmpp_emu_object *record;
	const char *image_begin, *image_end; /* the mapped object */
	const char *code_end;                /* end of its code */
};

struct emu_buffer {
	struct gpu_buffer base;
	struct fenced_memory memory; /* of the operand and its guards */
	char *data;                  /* byte 0 of the operand */
	bool input; /* as gpu_arg.input of the last launch that has it as an argument */
	struct emu_buffer *next;
};

/* A variable of the kernel's file in global or constant memory. */
struct emu_variable {
	const char *symbol; /* in the image */
	const char *begin;  /* in the first object */
	uint64_t bytes;
	bool constant;
};

/* base.variables: if there are any, the first object runs all blocks. */
struct emu_program {
	struct gpu_program base;
	char *name; /* of the source: "matmul/tiled.cu" */
	bool traced;
	void *image; /* bytes of the shared object */
	size_t image_bytes;
	struct emu_object objects[EMU_MAX_WORKERS]; /* one per worker, opened at its first launch */
	struct emu_buffer global; /* base.variables as a buffer. Only base.bytes and data are set */
	struct emu_variable *variables; /* traced build; owned */
	size_t variable_count, variable_capacity;
};

struct emu_kernel {
	struct gpu_kernel base;
	const struct pmpp_emu_entry *record; /* in the object of the first worker */
	/* For each byte of the object's shared memory, whether it is in a variable of this kernel;
	 * NULL: all bytes are; owned */
	bool *own_shared;
};

static inline bool emu_in_image(const struct emu_object *object, const char *address)
{
	return address >= object->image_begin && address < object->image_end;
}

/* ---- Device -------------------------------------------------------------------------------- */

struct emu_device {
	struct gpu_device base;
	const struct emu_front *front;
	struct emu_buffer *buffers; /* all buffers: the global memory that kernels may access */
	size_t worker_count;
	double timeout_s;
	bool watch_tested;
	int watch_wrong_line; /* line of the known kernel with wrong counts; 0: none */
	double timer_begin_ns, timer_end_ns;
	/* Stacks for the threads of the next launch, one list per worker, linked by `link`. To create
	 * and free a stack takes three system calls. They took 25 % of the time of the traced
	 * verification. */
	struct fiber *stacks[EMU_MAX_WORKERS];
};

/* ---- One block on one worker ----------------------------------------------------------------- */

enum emu_thread_state {
	EMU_WAITING_TO_START,
	EMU_RUNNING,
	EMU_AT_STEP, /* lockstep: at the head of a basic block */
	EMU_AT_BARRIER,
	EMU_AT_WARP,
	EMU_PAUSED, /* until no other thread can continue */
	EMU_DONE
};

/* Each barrier uses the structs of all threads. The members that a barrier uses are in one cache line. */
struct emu_thread {
	_Alignas(64) struct pmpp_emu_index index;
	enum emu_thread_state state;
	bool released;  /* parked, and can continue */
	bool predicate; /* of a barrier */
	bool has_paused;
	bool has_passed;     /* a barrier of the block */
	int line;            /* of the barrier or warp operation where it waits */
	int number;          /* of the barrier, as in emu_ops.barrier */
	struct fiber *fiber; /* valid while parked */
	const void *frame;   /* traced build, at a barrier: the frame of its call */
	uint64_t calls;      /* a hash of the calls to this barrier; 0 in the plain build */
	const void *at_pc;   /* of the barrier where it waits */
	const void *last_pc; /* traced build: of its last access; NULL: none */
	/* Of a warp operation: */
	enum pmpp_emu_warp_op op;
	int source;
	uint64_t mask;
	unsigned long long value;
	unsigned long long result;
	struct emu_copy *copies, *last_copy; /* pending copies, oldest first */
	uint64_t copy_groups; /* number of committed groups; not set back for the next block */
};

/* Where a thread is in the code, in lockstep. */
struct emu_step {
	const char *block_pc; /* the current basic block; NULL: not started */
	size_t depth;         /* bytes of the stack in use at its head */
	const char *left_pc;  /* the basic block before the current one; NULL: none */
	/* The current basic block of each active function, the kernel first. */
	struct emu_call {
		const char *block_pc;
		size_t depth;
	} calls[EMU_MAX_CALLS];
	size_t call_count;
};

/* The defect that ended a kernel. */
struct emu_fault {
	enum trace_defect_kind kind; /* TRACE_NO_DEFECT: no defect */
	int line;                    /* of the source; 0: the line of pc; negative: minus an offset
				      * in the object */
	const void *pc;              /* in the object; NULL = unknown */
	const void *other_pc;        /* the other access of a race; NULL = none */
	int other_line;              /* of the other barrier; 0: the line of other_pc */
	struct pmpp_emu_index thread, block;
	char text[320]; /* description */
};

/* One launch, shared by its workers. */
struct emu_launch {
	struct emu_program *program;
	const struct pmpp_emu_entry *entry[EMU_MAX_WORKERS]; /* in each worker's copy */
	void **arguments;
	struct pmpp_emu_index grid, block;
	size_t block_threads;
	/* Of an operation group: front->warp, else model->lanes. A power of two. */
	unsigned operation_lanes;
	const struct access_model *model;
	size_t dynamic_bytes;
	const bool *own_shared; /* of the kernel */
	uint64_t block_count;   /* number of blocks to run */
	struct emu_device *device;
	const struct gpu_watch *watch; /* NULL: none */

	atomic_uint_fast64_t next_block;
	atomic_uint_fast64_t blocks_done; /* blocks whose threads have all returned */
	atomic_bool stop;                 /* a worker failed, or the time limit is reached */
	atomic_bool timed_out;
	/* The watch has taken half of the time limit: it ends at the next step. */
	atomic_bool watch_over;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t ended;
	/* First line where threads waited after others had returned; 0: none. Only with front->exited_count. */
	int exit_line;
	size_t running;            /* number of workers that have not ended */
	struct emu_worker *failed; /* the first worker that failed */
};

#define EMU_KNOWN_BUFFERS 3
#define EMU_KNOWN_EXITS 8

struct emu_worker {
	size_t index;
	pthread_t id;
	struct emu_launch *launch;
	struct emu_object *object;
	struct pmpp_emu_state *state; /* of object */

	struct fiber main_fiber;
	struct fiber *fibers;             /* all fibers, linked by `link` */
	struct fiber *free_fibers;        /* unused fibers, linked by `next` */
	struct fiber *running;            /* fiber of the running thread */
	struct emu_thread *threads;       /* of the current block, in order of x, y, z */
	struct emu_step *steps;           /* of the threads in lockstep; NULL: they run freely */
	size_t *order;                    /* order in which threads start: indices into threads */
	size_t started, done, at_barrier; /* numbers of threads */
	const struct emu_thread *first_at_barrier;
	bool barriers_may_differ; /* of the threads at_barrier; true: first_elsewhere() decides */
	size_t start_end;         /* only threads before this number may start */
	size_t search_from;       /* of the next search for released threads: index into order */
	bool any_released; /* a thread was released after the last search for released threads */
	struct emu_thread *current;
	int barrier_count;      /* number of true predicates at the last barrier */
	uint32_t block_ordinal; /* number of the block among those of this worker, from 1 */
	/* Number of barriers of the block that ordered each memory. */
	unsigned epochs[PMPP_EMU_MEMORY_COUNT];
	/* Number of warp operations that each operation group has completed. */
	unsigned warp_epochs[PMPP_EMU_MAX_BLOCK / MIN_LANES];
	uint64_t equal_calls[2]; /* hashes of different calls with equal lines */
	struct fenced_memory dynamic_shared;
	struct emu_copy *free_copies;
	size_t pending_copies; /* of all threads */
	struct shadow *shadow; /* traced build */
	/* Lets all other threads of the block run as far as they can, once per thread. */
	void (*pause)(struct emu_worker *worker);
	struct watch *watch; /* watched launch */
	bool unwatched;      /* the step limit is reached: the rest of the block is not watched */
	uint64_t unwatched_steps; /* basic blocks of the rest, over all threads */
	const void *last_pc;      /* traced build: of the last access */
	/* Whether accesses of returned threads are behind a barrier where other threads wait. */
	struct emu_exit {
		const void *pc, *at_pc;
		bool behind;
	} exits[EMU_KNOWN_EXITS];
	size_t next_exit;
	/* Traced build: the last buffers with an access; NULL: none. */
	const struct emu_variable *known_variable; /* of the last access; NULL: none */
	const struct emu_buffer *known_buffers[EMU_KNOWN_BUFFERS];
	size_t next_known;

	void *signal_stack;
	volatile sig_atomic_t in_kernel;
	unsigned interrupts; /* watchdog signals that did not end the thread */
	struct emu_fault fault;
};

/* The worker of the calling thread; NULL outside launches. */
extern _Thread_local struct emu_worker *emu_worker_current;

/* ---- process.c ----------------------------------------------------------------------------- */

/* A line of the kernel's file; 0: none. */
struct emu_place {
	int line;
	uint32_t inlined_at; /* the place where the line's function is inlined; 0: none */
	int part; /* of the line, for example a side of a branch; 0: the first one, or unknown */
};

/* Finds the places of addresses of an object. A function of another file that is inlined counts as
 * the line of the call. */
void emu_places(const struct emu_program *program, const struct emu_object *object,
	const char *const *pcs, size_t count, struct emu_place *ret_places);

/* ---- program.c ----------------------------------------------------------------------------- */

/* Opens the copy of one worker, if it is not open. */
enum pmpp_status emu_object_open(
	struct emu_program *program, size_t worker, struct pmpp_error *error);

/* Whether two addresses of the object are in one function. */
bool emu_same_function(const struct emu_program *program, const struct emu_object *object,
	const void *a, const void *b);

/* ---- watch.c ------------------------------------------------------------------------------- */

/* Makes the watch of a launch, which has one worker. cache_bytes: as in struct gpu_watch. NULL for lack of
 * memory. */
struct watch *watch_create(
	const struct emu_object *object, const struct access_model *model, uint64_t cache_bytes);
void watch_destroy(struct watch *watch);

/* A group of lanes of one warp runs together from now on: their accesses at one instruction are one
 * request. entering: the lanes enter the basic block at pc. */
void watch_group_begin(struct watch *watch, const struct warp_place *place, uint64_t lanes,
	bool entering, const char *pc);

#define WATCH_OWN_STACK (-1)

/* Records an access of a lane of the group. argument: number of the kernel's argument, from 1; 0:
 * shared memory; WATCH_OWN_STACK: the stack of the thread; the address is then not used. */
void watch_access(struct watch *watch, unsigned lane, int argument, uint64_t address,
	uint32_t bytes, enum pmpp_emu_access kind, const char *pc);

/* Ends a group: counts its requests, and whether its lanes took different ways. left: the lanes
 * that left the basic block at pc. next[lane]: the head of a lane's next basic block; NULL: the end
 * of the kernel. */
void watch_group_end(
	struct watch *watch, const char *pc, uint64_t left, const char *const next[MAX_LANES]);

/* Counts the current split of the lanes, if there is one: the warp has diverged. Call it also when no lane of the
 * warp can continue. */
void watch_split_end(struct watch *watch);

/* Call it when each warp of the block has run as far as it can. */
void watch_round_end(struct watch *watch);

/* Counts the warps of a block that has ended. */
void watch_block_end(struct watch *watch, size_t warps);

/* All threads of a block pass the barrier at a line. */
void watch_barrier(struct watch *watch, int line);

/* Returns the number of basic blocks that lanes have entered, summed over all threads. */
uint64_t watch_steps(const struct watch *watch);

/* Converts the counts by address to counts by line of the source. PMPP_UNSUPPORTED: the lanes of a
 * warp made different accesses in one basic block, so the counts are wrong. */
enum pmpp_status watch_report(const struct watch *watch, const struct emu_program *program,
	struct trace *ret_trace, struct pmpp_error *error);

/* ---- checks.c ------------------------------------------------------------------------------ */

#define EMU_TIME_LIMIT "the time limit is reached" /* text of a fault */

/* Records the defect that ended the kernel. Later calls have no effect. */
void emu_fault_set(struct emu_worker *worker, enum trace_defect_kind kind, int line, const void *pc,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Switches to the scheduler, which ends the block because worker->fault is set. The function does
 * not return, but is not declared _Noreturn: AddressSanitizer would then unpoison the wrong stack.
 */
void emu_fault_leave(struct emu_worker *worker);

/* The functions for kernels, except barrier, warp and step. A violated rule is a fault. */
extern const struct pmpp_emu_ops checks_ops;

/* Makes what the checks need for a launch. Returns false for lack of memory. */
bool checks_begin(struct emu_worker *worker);
void checks_end(struct emu_worker *worker);

/* Checks the last write of the running thread. Call it when the thread parks or returns. */
void checks_last_write(struct emu_worker *worker);

/* Call it when all threads are at a barrier. A read of shared memory that no thread wrote is then a
 * fault. It replaces any other fault except a race: the other fault may be caused by this read. */
void checks_interval_end(struct emu_worker *worker);

/* The same when the block has ended, with or without a fault. Removes the copies without a wait. */
void checks_block_end(struct emu_worker *worker);

/* Describes the place of an access that is not in any memory of the kernel, for a message. Returns false if
 * it is not near any of them: the text is then the address. */
bool checks_place_text(const struct emu_worker *worker, const char *address, unsigned long bytes,
	char *ret_text, size_t size);

/* Sets the members of the trace that the checks count: the bytes of operands that blocks loaded and stored,
 * each once per block, and the line of a guess. */
void checks_report(const struct emu_worker *worker, struct trace *trace);

/* ---- threads.c ----------------------------------------------------------------------------- */

/* Runs all threads of the block. Returns false if not all threads returned: the kernel failed
 * (worker->fault), or the launch was stopped. */
bool emu_block_run(struct emu_worker *worker, struct pmpp_emu_index block);

#endif
