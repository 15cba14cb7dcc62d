/*
 * Inside the emulator. Modules, lower ones first:
 *
 *   fiber     stacks to switch between
 *   trace     traced build: bounds, races, uninitialised reads
 *   block     one block: its threads as fibers, barriers, warp operations
 *   faults    signals inside a kernel, and which line of it they hit
 *   compile   kernel source to shared object
 *   program   objects, their private copies, entries
 *   launch    workers, blocks of a grid, the watchdog
 */
#ifndef PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H
#define PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H

#include "host/gpu/backend.h"
#include "host/gpu/cuda_emu/cuda_emu.h"
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

/* ---- Objects ------------------------------------------------------------------------------- */

/* One worker's private copy of a program. */
struct emu_object {
	void *handle; /* dlopen */
	int file;     /* memfd: also what addr2line reads */
	const struct pmpp_emu_object *record;
	const char *image_begin, *image_end; /* where it is mapped */
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
	enum cuda_emu_order order;
	uint64_t order_seed;
	size_t worker_count;
	double timeout_s;
	uint64_t timer_begin_ns, timer_end_ns;
};

/* ---- One block on one worker ----------------------------------------------------------------- */

enum emu_thread_state {
	EMU_WAITING_TO_START,
	EMU_RUNNING,
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
};

/* How a kernel ended, when it did not end well. */
enum emu_fault_kind {
	EMU_NO_FAULT,
	EMU_FAULT,
	EMU_FAULT_TIMEOUT
};

struct emu_fault {
	enum emu_fault_kind kind;
	int line;             /* of the source; 0 = where pc is */
	const void *pc;       /* in the object; NULL = unknown */
	const void *other_pc; /* the other side of a race; NULL = none */
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
	uint64_t block_count;
	const struct emu_device *device;

	atomic_uint_fast64_t next_block;
	atomic_bool stop; /* a worker failed, or time is up */
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
	struct emu_thread *current;
	int barrier_count;                              /* predicates of the barrier last passed */
	unsigned epoch;                                 /* barriers passed by the block */
	unsigned warp_epochs[EMU_MAX_BLOCK / EMU_WARP]; /* operations each warp passed */
	char *dynamic_shared;
	struct trace_shadow *shadow; /* traced build */
	const void *last_pc;         /* traced build: of the last access */

	void *signal_stack;
	volatile sig_atomic_t in_kernel;
	unsigned interrupts; /* signals of the watchdog that came at a bad time */
	struct emu_fault fault;
};

/* The worker of the calling thread; NULL outside launches. */
extern _Thread_local struct emu_worker *emu_worker_current;

/* What kernels call. */
extern const struct pmpp_emu_ops emu_ops;

/* Runs all threads of the block; false when it went wrong (worker->fault). */
bool emu_block_run(struct emu_worker *worker, struct pmpp_emu_index block);

/* Records how the kernel ended; the first record stays. */
void emu_fault_set(struct emu_worker *worker, enum emu_fault_kind kind, int line, const void *pc,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Leaves the running fiber for good: the scheduler finds worker->fault set. It does not return, but
 * is not declared so: AddressSanitizer would tidy up what it takes for the thread's stack. */
void emu_fault_leave(struct emu_worker *worker);

/* ---- trace.c ------------------------------------------------------------------------------- */

/* For shared memory of bytes; NULL on lack of memory. */
struct trace_shadow *trace_shadow_create(size_t static_bytes, size_t dynamic_bytes);
void trace_shadow_destroy(struct trace_shadow *shadow);
void trace_block_begin(struct emu_worker *worker);

/* To be called when the running thread stops or ends: judges its last write. */
void trace_settle(struct emu_worker *worker);
void trace_access(
	const void *address, unsigned long bytes, enum pmpp_emu_access kind, const void *pc);

/* ---- faults.c ------------------------------------------------------------------------------ */

/* Handlers for the time of a launch; the process's own are put back by the second. */
void emu_faults_install(void);
void emu_faults_restore(void);

/* Ends the kernel that the worker runs, from another thread (the watchdog). */
void emu_faults_interrupt(struct emu_worker *worker);

/* "matmul/tiled.cu:42" of an address in the object; "matmul/tiled.cu" when unknown. */
void emu_faults_line(const struct emu_program *program, const struct emu_object *object,
	const void *pc, char *ret_text, size_t size);

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

/* Runs a program (arguments end with NULL) in a folder (NULL: here) and returns what it printed, on
 * either stream; the caller frees. NULL when it cannot be run. */
char *emu_run_command(char *const arguments[], const char *folder, int *ret_exit);

/* Compiles, or takes the object from the cache. *ret_image is malloc'ed. */
enum pmpp_status emu_compile(const struct gpu_program_desc *desc, const char *source,
	const char *options, const char *compiler_version, void **ret_image, size_t *ret_bytes,
	char **ret_log, enum gpu_cache_outcome *ret_cache, struct pmpp_error *error);

/* ---- launch.c ------------------------------------------------------------------------------ */

uint64_t emu_clock_ns(void);

/* ---- Slots of the backend -------------------------------------------------------------------- */

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
