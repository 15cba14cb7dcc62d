/*
 * The GPU layer: one interface over OpenCL, CUDA, the emulators of both and, for tests, a fake.
 *
 * The functions below validate their arguments (ranges, limits, argument counts), then make one
 * indirect call into the backend (host/gpu/backend.h). So messages are the same on every backend.
 * Handles belong to one device; destroy all objects of a device before you close the device. Only
 * one thread at a time may use a device. Work is queued in order: a launch or fill returns before
 * it is done; a write or read waits for all work that was queued before it.
 */
#ifndef PMPP_HOST_GPU_GPU_H
#define PMPP_HOST_GPU_GPU_H

#include "common/arithmetic.h"
#include "common/capability.h"
#include "common/model/shape.h"
#include "common/model/trace.h"
#include "common/status.h"
#include "host/gpu/backends.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Backends ------------------------------------------------------------------------------ */

/* Floating-point optimisations that the compiler may use (--math). */
enum gpu_math {
	GPU_MATH_DEFAULT,
	GPU_MATH_STRICT,
	GPU_MATH_FAST,
	GPU_MATH_COUNT
};

/* A row of the table (host/gpu/backends.h describes the columns). */
struct gpu_backend_row {
	const char *name;
	enum gpu_language language;
	int preference;
	bool on_request;
	bool emulated;
	const char *text;
	const char *math[GPU_MATH_COUNT];
};

/* Returns the row of a backend, never NULL: the row of an unknown id has the name "unknown". */
const struct gpu_backend_row *gpu_backend_row(enum gpu_backend_id id);

/* Returns "opencl", "cuda", "cuda-emu" or "opencl-emu": the words in --backend and in files. */
const char *gpu_backend_name(enum gpu_backend_id id);

/* Finds a backend by name. Returns false if there is no backend with this name. */
bool gpu_backend_find(const char *name, enum gpu_backend_id *ret_id);

/* Finds the emulator of a language. Returns false if there is none. */
bool gpu_backend_emulator(enum gpu_language language, enum gpu_backend_id *ret_id);

/* Sets ret_ids to the ids of all backends, the preferred backend first. */
void gpu_backends_by_preference(enum gpu_backend_id ret_ids[GPU_BACKEND_COUNT]);

/* Return the folder and the extension of the backend's kernels: "cl_kernels" and ".cl", or
 * "cuda_kernels" and ".cu". */
const char *gpu_backend_kernel_folder(enum gpu_backend_id id);
const char *gpu_backend_kernel_extension(enum gpu_backend_id id);

/* Returns "default", "strict" or "fast". */
const char *gpu_math_name(enum gpu_math math);

/* Returns the options of the backend's compiler, separated by spaces; "" = none. The OpenCL backend
 * removes the option for correct rounding if the device lacks CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT.
 */
const char *gpu_math_options(enum gpu_backend_id backend, enum gpu_math math);

/* ---- Devices ------------------------------------------------------------------------------- */

enum gpu_device_type {
	GPU_TYPE_GPU,
	GPU_TYPE_CPU,      /* an OpenCL CPU device */
	GPU_TYPE_EMULATED, /* an emulator: its times are never performance */
	GPU_TYPE_OTHER
};

const char *gpu_device_type_name(enum gpu_device_type type);

/* The kind of engine that executes the kernels. The work of a verification depends on it. The
 * backend sets it when it enumerates the device: no other code compares a driver's name. */
enum gpu_engine {
	GPU_ENGINE_GPU,         /* also accelerators */
	GPU_ENGINE_CPU,         /* OpenCL on a CPU that compiles a work-group as one loop (PoCL) */
	GPU_ENGINE_SLOW_CPU,    /* any other OpenCL on a CPU (rusticl) */
	GPU_ENGINE_EMULATOR,    /* an emulator */
	GPU_ENGINE_INTERPRETER, /* Oclgrind */
	GPU_ENGINE_COUNT
};

struct gpu_limits {
	uint64_t global_bytes;      /* device memory */
	uint64_t max_buffer_bytes;  /* largest single buffer */
	uint64_t max_groups[3];     /* per grid dimension */
	uint32_t max_block[3];      /* per block dimension */
	uint32_t max_block_threads; /* threads in a block: the largest that a kernel may allow */
	/* Threads of a block that the driver promises for every kernel; 0 = max_block_threads. AMD
	 * reports 256 and allows 1024 for kernels that require it. */
	uint32_t reported_block_threads;
	uint32_t shared_bytes;       /* static shared (local) memory of a block */
	uint32_t shared_optin_bytes; /* maximum of static and dynamic shared memory together */
	uint64_t cache_bytes;        /* last-level cache, as the driver reports it; 0 = unknown */
	uint32_t compute_units;
	uint32_t warp_size; /* threads; 1 = the device has no warps, or their width is unknown */
	uint32_t clock_mhz; /* 0 = unknown, or a report that cannot be true */
	uint32_t buffer_align_bytes;  /* guard_bytes of a buffer must be a multiple of this */
	uint32_t timer_resolution_ns; /* reported by the driver; the suite measures it too */
};

struct gpu_device_info {
	enum gpu_backend_id backend;
	char index[16]; /* "0"; OpenCL "platform.device": "1.0" */
	char name[128];
	char vendor[128];
	char platform[64];  /* of OpenCL, "Intel(R) OpenCL" or "PoCL"; "" in other backends */
	char driver[128];   /* platform and driver version, one line */
	char compiler[128]; /* NVRTC, the host C++ compiler, or a copy of `driver` */
	char arch[32];      /* "sm_90", PoCL's cpu name, "x86-64"; "" = unknown */
	char uuid[40];      /* 8-4-4-4-12 lower-case hex; "" = unknown */
	char pci[16];       /* "0000:0f:00.0"; "" = unknown */
	enum gpu_device_type type;
	enum gpu_engine engine;
	unsigned capabilities; /* enum pmpp_capability bits */
	bool emulated_fma;     /* fma() is a function with some hundred instructions */
	struct gpu_limits limits;
	struct device_shape shape; /* what kernels and models depend on, with its sources */
	struct arithmetic arithmetic[GPU_MATH_COUNT]; /* for each --math */
};

/* Size of short texts, in bytes. */
#define GPU_TEXT_BYTES 32

/* Writes "opencl:0.1". Returns text. */
const char *gpu_device_text(const struct gpu_device_info *info, char text[GPU_TEXT_BYTES]);

/* The result of enumerating one backend, for `devices`, `doctor` and error messages. */
struct gpu_backend_state {
	enum gpu_backend_id id;
	bool usable;       /* at least one device */
	char reason[700];  /* why it is not usable, and what to do; "" = usable */
	char library[600]; /* loaded libraries, "libnvrtc.so.13"; "" = none */
	char detail[600];  /* where parts of it were found, one line; "" = nothing to add */
	char advice[500];  /* what is missing although it is usable, and what to do; "" = nothing */
};

/* Finds the devices of one backend. A missing driver is not an error: *ret_count is 0, and
 * ret_state->reason has the reason. The caller frees *ret_infos, which is NULL if there is no
 * device. The only error is PMPP_OUT_OF_MEMORY. */
enum pmpp_status gpu_enumerate(enum gpu_backend_id id, struct gpu_device_info **ret_infos,
	size_t *ret_count, struct gpu_backend_state *ret_state, struct pmpp_error *error);

/* Order in which the threads of a block, and the blocks of a grid, are started. A correct kernel
 * gives the same result in every order. A missing barrier often changes the result in only one
 * order. */
enum gpu_order {
	GPU_ORDER_FORWARD, /* the default of a device */
	GPU_ORDER_REVERSED,
	GPU_ORDER_SHUFFLED
};

/* State of the timed interval. */
enum gpu_timer {
	GPU_TIMER_IDLE,
	GPU_TIMER_OPEN,
	GPU_TIMER_ENDED
};

struct trace;        /* common/model/trace.h */
struct access_model; /* common/model/access_model.h */

struct gpu_device {
	struct gpu_device_info info;
	const struct gpu_backend *backend;
	uint64_t allocated_bytes; /* size of all buffers, including their guards */
	bool no_timer; /* the driver measures no times; set by the backend when it opens the device */
	enum gpu_timer timer;
	uint64_t timed_commands; /* launches, fills and products in the timed interval */
	bool fenced;             /* set by gpu_fence_buffers() */
	/* Of an emulator: gpu_set_model(), gpu_set_order(), gpu_watch(). */
	const struct access_model *model;
	enum gpu_order order;
	uint64_t order_seed;
	const struct gpu_watch *watch; /* NULL: none */
	struct trace *trace;
	/* A note about the last launch that is not a defect. The reader clears it. A watched launch has its
	 * notes in the trace. */
	char note[200];
	/* Of an emulator: the defect that ended the last launch; TRACE_NO_DEFECT: none. */
	struct trace_defect defect;
};

/* Opens a device of gpu_enumerate(). */
enum pmpp_status gpu_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error);

/* Waits for queued work, closes, and sets *device to NULL. NULL is allowed. */
void gpu_close(struct gpu_device **device);

/* Returns the device memory that can be allocated now, in bytes: the free memory that the driver
 * reports (host memory for devices that share it), at most limits.global_bytes - allocated_bytes.
 * Other programs may change it at any time. If the driver reports no free memory, the result is
 * this maximum. */
uint64_t gpu_free_bytes(struct gpu_device *device);

/* Whether the device's buffers are in host memory. */
bool gpu_shares_host_memory(const struct gpu_device_info *info);

/* Puts later buffers between unmapped pages: an access far outside of a buffer raises a signal.
 * Only for verification, because the speed of such buffers can differ. Returns false, without an
 * effect, if kernels do not use the host's memory directly. Buffers of emulators always lie between
 * such pages. */
bool gpu_fence_buffers(struct gpu_device *device);

/* ---- Buffers ------------------------------------------------------------------------------- */

struct gpu_buffer {
	struct gpu_device *device;
	uint64_t bytes;       /* size of the part that kernels may access */
	uint64_t guard_bytes; /* size of each guard, before and after it; only the host uses them */
	/* The content is a poison of the host: a kernel must not read a byte before a kernel has written
	 * it. Set by the host after its fill; cleared by the next fill, and by each launch that has the
	 * buffer as an argument. */
	bool unset;
};

/* Allocates a buffer. bytes >= 1. Kernels get the address of byte 0, which is aligned to 256 bytes.
 * guard_bytes: 0 or a multiple of limits.buffer_align_bytes. PMPP_OUT_OF_MEMORY: there is not
 * enough memory; the message has the needed and the free bytes. */
enum pmpp_status gpu_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error);

/* NULL is allowed; sets *buffer to NULL. */
void gpu_buffer_destroy(struct gpu_buffer **buffer);

/* Copy bytes to or from the buffer, and wait for the end of the copy. offset is relative to byte 0.
 * The range may include the guards: -guard_bytes <= offset, and
 * offset + bytes <= buffer->bytes + guard_bytes. */
enum pmpp_status gpu_buffer_write(struct gpu_buffer *buffer, int64_t offset, const void *source,
	uint64_t bytes, struct pmpp_error *error);
enum pmpp_status gpu_buffer_read(struct gpu_buffer *buffer, int64_t offset, void *target,
	uint64_t bytes, struct pmpp_error *error);

/* Queues a fill of the range with the 32-bit pattern. offset and bytes are multiples of 4. A fill
 * is part of a timed interval. */
enum pmpp_status gpu_buffer_fill(struct gpu_buffer *buffer, int64_t offset, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error);

/* Queues a copy of the buffer without its guards. Both have as many bytes, on one device. A copy is part of a timed
 * interval. */
enum pmpp_status gpu_buffer_copy(
	struct gpu_buffer *target, const struct gpu_buffer *source, struct pmpp_error *error);

/* ---- Programs and kernels ------------------------------------------------------------------ */

struct gpu_macro {
	const char *name; /* at least four letters: shorter names break the headers of vendors */
	int64_t value;
};

/* Content of uninitialised local variables. Only emulators can set it (gpu_can_fill). */
enum gpu_fill {
	GPU_FILL_PATTERN, /* bytes that cause wrong answers: NaN, or a huge number */
	GPU_FILL_ZERO,
	GPU_FILL_COUNT
};

struct gpu_program_desc {
	const char *name;   /* "matmul/tiled.cu": the name of the file in compiler logs */
	const char *source; /* zero-terminated */
	const struct gpu_macro *macros;
	size_t macro_count;
	enum gpu_math math;
	/* OpenCL: compile in a version of the language with atomic functions of device scope, if
	 * the device has one, else in 1.2; other backends ignore it */
	bool device_scope;
	bool newest;     /* OpenCL: the newest version of OpenCL C that the device has */
	bool sub_groups; /* the same for a version with sub-groups */
	/* OpenCL: maximum number of registers per work-item; 0: no limit. Used if the device has the
	 * extension cl_nv_compiler_options: then the macro MAX_REGISTERS is defined. Other backends
	 * ignore it: CUDA has __launch_bounds__. */
	unsigned max_registers;
	/* CUDA: compile for the exact architecture, with its own instructions ("sm_90a") */
	bool arch_specific;
	bool traced;        /* emulators: the build with exact bounds checks; others ignore it */
	enum gpu_fill fill; /* emulators; others ignore it */
};

enum gpu_cache_outcome {
	GPU_CACHE_NONE, /* the backend does not use the cache of pmpp */
	GPU_CACHE_HIT,
	GPU_CACHE_MISS,
	GPU_CACHE_REBUILT /* the entry was damaged or not trusted */
};

const char *gpu_cache_outcome_name(enum gpu_cache_outcome outcome);

/* The variables of a program in global memory: `__device__` in CUDA, program scope in OpenCL C 2.0. */
struct gpu_variables {
	void *now;           /* in host memory; valid as long as the program */
	const void *initial; /* their bytes before the first launch */
	uint64_t bytes;      /* 0: there are none, or the device is not an emulator */
};

struct gpu_program {
	struct gpu_device *device;
	double compile_ms;            /* host time of gpu_program_create */
	enum gpu_cache_outcome cache; /* of pmpp's own cache on disk */
	char *options;                /* options of the compiler; owned */
	char *log;                    /* log of the compiler, "" if it is empty; owned */
	char kernels[200];            /* the names of its kernels: "fine, coarse" */
	struct gpu_variables variables;
};

/* Whether several threads may call gpu_program_create() at the same time, and gain time by this. */
bool gpu_builds_in_threads(const struct gpu_device *device);

/* Compiles the source, or loads the binary from the cache. PMPP_BUILD: error->log has the log of
 * the compiler, with desc->name as the name of the file. */
enum pmpp_status gpu_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error);
void gpu_program_destroy(struct gpu_program **program);

/* -1 = unknown. */
struct gpu_kernel_resources {
	int registers;         /* per thread */
	int64_t shared_bytes;  /* static, per block */
	int64_t spill_bytes;   /* per thread (local memory) */
	int max_block_threads; /* maximum block of this kernel on this device, in threads */

	/* AMD: registers per wave, AccVGPRs per thread; 0 = none, or unknown. `registers` are the
	 * VGPRs without them. */
	int scalar_registers, acc_registers;
};

struct gpu_kernel {
	struct gpu_program *program;
	char entry[64];
	struct gpu_kernel_resources resources;
};

/* PMPP_BUILD: the program has no such entry. Destroy kernels before their program. */
enum pmpp_status gpu_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error);
void gpu_kernel_destroy(struct gpu_kernel **kernel);

/* ---- Launches ------------------------------------------------------------------------------ */

enum gpu_arg_kind {
	GPU_ARG_BUFFER,
	GPU_ARG_INT,
	GPU_ARG_UINT,
	GPU_ARG_ULONG,
	GPU_ARG_FLOAT,
	GPU_ARG_TILE_MAP /* only on devices with gpu_can_map_tiles() */
};

/* A matrix in a buffer and the tile of a copy, in the driver's format. */
struct gpu_tile_map {
	uint64_t word[16];
};

struct gpu_arg {
	enum gpu_arg_kind kind;
	union {
		struct gpu_buffer *buffer;
		int32_t i;
		uint32_t u;
		uint64_t ul;
		float f;
		const struct gpu_tile_map *tile_map; /* not owned */
	} as;
	const char *name; /* for messages, "A"; NULL = none; not owned */
	bool input;       /* a buffer that the kernel must not write; traced programs check it */
};

#define GPU_MAX_ARGS 16

struct gpu_launch {
	uint64_t groups[3];    /* number of blocks, each >= 1; never a number of threads */
	uint32_t block[3];     /* threads of a block, each >= 1 */
	uint32_t shared_bytes; /* dynamic shared memory: extern __shared__ in CUDA, in OpenCL a
				* __local pointer after the arguments. 0 = none */
	const struct gpu_arg *args;
	size_t arg_count;
};

/* Queues one kernel. PMPP_UNSUPPORTED: the launch exceeds a limit of the device; the message has
 * both numbers. PMPP_LAUNCH: the arguments do not match the parameters of the kernel. */
enum pmpp_status gpu_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error);

/* Waits for all queued work. May return errors of earlier launches. */
enum pmpp_status gpu_finish(struct gpu_device *device, struct pmpp_error *error);

/* ---- Device timer -------------------------------------------------------------------------- */

/* Measures the time of the launches and fills that are queued between begin and end (at least one).
 * CUDA: a pair of events. OpenCL: from START of the first command to END of the last. Emulators:
 * the host clock; its times are never shown as performance. gpu_timer_read() waits for the work.
 * Only one interval may be open. Not for devices with no_timer. */
enum pmpp_status gpu_timer_begin(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status gpu_timer_end(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status gpu_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error);

/* ---- Optional operations ------------------------------------------------------------------- */

/* Not every device has these operations. Call an operation only if its gpu_can_... function returns
 * true for the device, or, for operations of emulators, gpu_is_emulator(). */

/* Whether the device is an emulator. Only emulators have gpu_set_order(), gpu_set_model(), gpu_watch(),
 * gpu_buffer_repeat() and the effect of gpu_program_desc.traced. */
bool gpu_is_emulator(const struct gpu_device *device);

/* Returns whether kernels can copy tiles of matrices with tile maps. */
bool gpu_can_map_tiles(const struct gpu_device *device);

struct gpu_tile_map_desc {
	struct gpu_buffer *buffer;
	uint32_t element_bytes;           /* 2 or 4 */
	uint64_t rows, columns;           /* of the matrix, in elements; each >= 1 */
	uint64_t pitch_bytes;             /* from one row to the next; a multiple of 16 */
	uint32_t tile_rows, tile_columns; /* 1 to 256; a line of the tile has a multiple of 16
					    * bytes, and at most 128 if it is swizzled */
	bool swizzled;                    /* in lines of 128 bytes */
};

/* Makes a tile map. The map is valid as long as the buffer. */
enum pmpp_status gpu_tile_map_make(const struct gpu_tile_map_desc *desc,
	struct gpu_tile_map *ret_map, struct pmpp_error *error);

/* Sets the order of all later launches on this device. seed is for GPU_ORDER_SHUFFLED only. */
void gpu_set_order(struct gpu_device *device, enum gpu_order order, uint64_t seed);

/* Whether this device can fill local variables before a kernel runs. On other devices
 * GPU_FILL_PATTERN leaves the variables undefined, and GPU_FILL_ZERO returns PMPP_UNSUPPORTED. */
bool gpu_can_fill(const struct gpu_device *device, enum gpu_fill fill);

/* Whether gpu_buffer_evict() may be called: the device's buffers are in host memory, and the CPU
 * has an instruction that evicts cache lines. */
bool gpu_can_evict(const struct gpu_device *device);

/* Queues the eviction of the buffer's lines, guards included, from all caches of the CPU. Modified
 * lines are written to memory. The contents stay the same. Do not call it between gpu_timer_begin()
 * and gpu_timer_end(). */
enum pmpp_status gpu_buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error);

/* Writes copies of `source` one after the other into the whole buffer; its guards become undefined. Only
 * the parts that are accessed take time and memory. bytes: a multiple of GPU_REPEAT_UNIT. */
enum pmpp_status gpu_buffer_repeat(
	struct gpu_buffer *buffer, const void *source, uint64_t bytes, struct pmpp_error *error);
#define GPU_REPEAT_UNIT 65536 /* a multiple of every size of a page */

struct gpu_watch {
	const uint64_t *blocks; /* block numbers, x fastest, at least one; NULL: all */
	size_t block_count;
	/* Basic blocks that are watched, summed over all threads. At the limit the watch ends: the rest of
	 * the running block runs unwatched, and no other block begins. */
	uint64_t step_limit;
	/* Of a first-level cache: the trace gets the counts of traffic (common/model/block_traffic.h). 0:
	 * they are not counted. */
	uint64_t cache_bytes;
};

/* Sets the access model of all later launches on this device: the number of lanes that run in
 * lockstep in watched launches, and the sectors, lines and banks that the watch counts. Also sets
 * info.limits.warp_size and these figures of info.shape. The default is access_model_default(). The
 * model must stay valid. limits: also lowers the limits of a block to those of the model's GPU: threads and shared
 * memory, as far as they are known. On NVIDIA GPUs only dynamic shared memory of CUDA may be larger than 48 KiB. */
void gpu_set_model(struct gpu_device *device, const struct access_model *model, bool limits);

/* Watches all later launches on this device, until a call with watch = NULL. The programs must be
 * traced. Each launch writes a new *ret_trace; the caller finishes it. A defect of the kernel is
 * recorded in the trace and is also the error of the launch. Both objects must stay valid. A launch
 * returns PMPP_TOO_LARGE for a block number beyond its grid. */
void gpu_watch(struct gpu_device *device, const struct gpu_watch *watch, struct trace *ret_trace);

/* Checks the counts of a known kernel. PMPP_UNSUPPORTED: a count is wrong (the message has the
 * compiler and the line), so no watched launch can be trusted; or the device cannot trace. The
 * first call compiles the kernel; later calls return the same result. */
enum pmpp_status gpu_watch_test(struct gpu_device *device, struct pmpp_error *error);

#endif
