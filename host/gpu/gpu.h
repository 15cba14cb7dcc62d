/*
 * The GPU layer: one interface over OpenCL, CUDA, the CUDA emulator and, for tests, a fake.
 *
 * The functions below validate (ranges, limits, argument counts) and make one indirect call into
 * the backend (host/gpu/backend.h), so that errors read the same on every backend. Handles belong
 * to one device; everything made on a device is destroyed before the device is closed. A device is
 * used by one thread at a time. Work is queued in order: a launch or fill returns before it is
 * done, a write or read waits for all that was queued before it.
 */
#ifndef PMPP_HOST_GPU_GPU_H
#define PMPP_HOST_GPU_GPU_H

#include "common/arithmetic.h"
#include "common/capability.h"
#include "common/status.h"
#include "host/gpu/backends.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Backends ------------------------------------------------------------------------------ */

/* Floating-point freedom given to the compiler (--math). */
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
	const char *text;
	const char *math[GPU_MATH_COUNT];
};

/* Never NULL: the row of an unknown id has the name "unknown". */
const struct gpu_backend_row *gpu_backend_row(enum gpu_backend_id id);

/* "opencl", "cuda", "cuda-emu": the words of --backend and of result files. */
const char *gpu_backend_name(enum gpu_backend_id id);

/* false when there is no backend of that name. */
bool gpu_backend_find(const char *name, enum gpu_backend_id *ret_id);

/* The ids of the table, the preferred backend first. */
void gpu_backends_by_preference(enum gpu_backend_id ret_ids[GPU_BACKEND_COUNT]);

/* The folder and extension of the kernels this backend compiles: "cl_kernels" ".cl" or
 * "cuda_kernels" ".cu". */
const char *gpu_backend_kernel_folder(enum gpu_backend_id id);
const char *gpu_backend_kernel_extension(enum gpu_backend_id id);

/* ---- Devices ------------------------------------------------------------------------------- */

enum gpu_device_type {
	GPU_TYPE_GPU,
	GPU_TYPE_CPU,      /* an OpenCL CPU device */
	GPU_TYPE_EMULATED, /* the CUDA emulator: its times are never performance */
	GPU_TYPE_OTHER
};

const char *gpu_device_type_name(enum gpu_device_type type);

/* What executes the kernels. It decides how much work a verification may do on the device. The
 * backend sets it when it enumerates the device: nothing else compares a driver's name. */
enum gpu_engine {
	GPU_ENGINE_GPU,         /* also accelerators */
	GPU_ENGINE_CPU,         /* OpenCL on a CPU, a work-group compiled as one loop (PoCL) */
	GPU_ENGINE_SLOW_CPU,    /* other OpenCL on a CPU (rusticl) */
	GPU_ENGINE_EMULATOR,    /* the CUDA emulator */
	GPU_ENGINE_INTERPRETER, /* Oclgrind */
	GPU_ENGINE_COUNT
};

struct gpu_limits {
	uint64_t global_bytes;       /* device memory */
	uint64_t max_buffer_bytes;   /* largest single buffer */
	uint64_t max_groups[3];      /* per grid dimension */
	uint32_t max_block[3];       /* per block dimension */
	uint32_t max_block_threads;  /* threads in a block */
	uint32_t shared_bytes;       /* static shared (local) memory of a block */
	uint32_t shared_optin_bytes; /* the most that dynamic shared memory may ask for */
	uint64_t cache_bytes;        /* last-level cache, as the driver reports it; 0 = unknown */
	uint32_t compute_units;
	uint32_t warp_size;           /* 1 where the device has none */
	uint32_t clock_mhz;           /* 0 = unknown */
	uint32_t buffer_align_bytes;  /* guard_bytes of a buffer must be a multiple of this */
	uint32_t timer_resolution_ns; /* as the driver says; the suite measures its own */
};

struct gpu_device_info {
	enum gpu_backend_id backend;
	char index[16]; /* "0"; OpenCL "platform.device": "1.0" */
	char name[128];
	char vendor[128];
	char driver[128];   /* platform and driver version, one line */
	char compiler[128]; /* NVRTC, host C++ compiler, or the driver again */
	char arch[32];      /* "sm_90", PoCL's cpu name, "x86-64"; "" = unknown */
	char uuid[40];      /* 8-4-4-4-12 lower-case hex; "" = unknown */
	char pci[16];       /* "0000:0f:00.0"; "" = unknown */
	enum gpu_device_type type;
	enum gpu_engine engine;
	unsigned capabilities; /* enum pmpp_capability bits */
	bool emulated_fma;     /* fma() is a function of some hundred instructions */
	struct gpu_limits limits;
	struct arithmetic arithmetic[GPU_MATH_COUNT]; /* for each --math */
};

/* Room for short texts. */
#define GPU_TEXT_BYTES 32

/* "opencl:0.1". Returns text. */
const char *gpu_device_text(const struct gpu_device_info *info, char text[GPU_TEXT_BYTES]);

/* What became of one backend, for `devices`, `doctor` and error messages. */
struct gpu_backend_state {
	enum gpu_backend_id id;
	bool usable;       /* at least one device */
	char reason[300];  /* why not, and what to do; "" when usable */
	char library[200]; /* what was loaded: "libnvrtc.so.13", "" = nothing */
};

/* Finds the devices of one backend. An absent driver is no error: *ret_count is 0 and state says
 * why. *ret_infos is owned by the caller (free), NULL when there are none. Fails only for lack of
 * memory. */
enum pmpp_status gpu_enumerate(enum gpu_backend_id id, struct gpu_device_info **ret_infos,
	size_t *ret_count, struct gpu_backend_state *ret_state, struct pmpp_error *error);

struct gpu_device {
	struct gpu_device_info info;
	const struct gpu_backend *backend;
	uint64_t allocated_bytes; /* by live buffers, guards included */
};

/* Opens the device that info (from gpu_enumerate) names. */
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

/* ---- Buffers ------------------------------------------------------------------------------- */

struct gpu_buffer {
	struct gpu_device *device;
	uint64_t bytes;       /* what a kernel may touch */
	uint64_t guard_bytes; /* lies before and behind, touched by the host only */
};

/* bytes >= 1. Kernels get the address of byte 0; it is aligned to 256 bytes. guard_bytes must be a
 * multiple of limits.buffer_align_bytes (0 is). PMPP_OUT_OF_MEMORY if the memory does not suffice;
 * the message has the needed and the free bytes. */
enum pmpp_status gpu_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error);

/* NULL is allowed; sets *buffer to NULL. */
void gpu_buffer_destroy(struct gpu_buffer **buffer);

/* offset counts from byte 0 and may reach into the guards: -guard_bytes <= offset, and
 * offset + bytes <= buffer->bytes + guard_bytes. Write and read wait until they are done. */
enum pmpp_status gpu_buffer_write(struct gpu_buffer *buffer, int64_t offset, const void *source,
	uint64_t bytes, struct pmpp_error *error);
enum pmpp_status gpu_buffer_read(struct gpu_buffer *buffer, int64_t offset, void *target,
	uint64_t bytes, struct pmpp_error *error);

/* Queues the 32-bit pattern over the range; offset and bytes are multiples of 4. Counts as part of
 * a timed interval. */
enum pmpp_status gpu_buffer_fill(struct gpu_buffer *buffer, int64_t offset, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error);

/* ---- Programs and kernels ------------------------------------------------------------------ */

struct gpu_macro {
	const char *name; /* at least four letters: short names break vendors' headers */
	int64_t value;
};

/* Content of uninitialised local variables. Only emulators can set it (gpu_can_fill). */
enum gpu_fill {
	GPU_FILL_PATTERN, /* bytes that cause wrong answers: NaN, or a huge number */
	GPU_FILL_ZERO,
	GPU_FILL_COUNT
};

struct gpu_program_desc {
	const char *name;   /* "matmul/tiled.cu": what compiler logs show */
	const char *source; /* zero-terminated */
	const struct gpu_macro *macros;
	size_t macro_count;
	enum gpu_math math;
	/* OpenCL: compile in a version of the language with atomic functions of device scope, if
	 * the device has one, else in 1.2; other backends ignore it */
	bool device_scope;
	bool traced;        /* cuda-emu: the build with exact bounds checks; others ignore it */
	enum gpu_fill fill; /* cuda-emu; others ignore it */
};

enum gpu_cache_outcome {
	GPU_CACHE_NONE, /* this backend keeps its own, or none */
	GPU_CACHE_HIT,
	GPU_CACHE_MISS,
	GPU_CACHE_REBUILT /* the entry was damaged or not trusted */
};

const char *gpu_cache_outcome_name(enum gpu_cache_outcome outcome);

struct gpu_program {
	struct gpu_device *device;
	double compile_ms;            /* host time of gpu_program_create */
	enum gpu_cache_outcome cache; /* of pmpp's own cache on disk */
	char *options;                /* as given to the compiler; owned by the program */
	char *log;                    /* compiler log, "" when it said nothing; owned */
};

/* Compiles, or takes the binary from the cache. PMPP_BUILD carries the compiler's log in
 * error->log, with file and line as desc->name has them. */
enum pmpp_status gpu_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error);
void gpu_program_destroy(struct gpu_program **program);

struct gpu_kernel {
	struct gpu_program *program;
	char entry[64];
};

/* PMPP_BUILD when the program has no such entry. Destroy kernels before their program. */
enum pmpp_status gpu_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error);
void gpu_kernel_destroy(struct gpu_kernel **kernel);

/* -1 = the backend cannot tell. */
struct gpu_kernel_resources {
	int registers;         /* per thread */
	int64_t shared_bytes;  /* static, per block */
	int64_t spill_bytes;   /* per thread (local memory) */
	int max_block_threads; /* of this kernel on this device */
};

enum pmpp_status gpu_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error);

/* ---- Launches ------------------------------------------------------------------------------ */

enum gpu_arg_kind {
	GPU_ARG_BUFFER,
	GPU_ARG_INT,
	GPU_ARG_UINT,
	GPU_ARG_ULONG,
	GPU_ARG_FLOAT
};

struct gpu_arg {
	enum gpu_arg_kind kind;
	union {
		struct gpu_buffer *buffer;
		int32_t i;
		uint32_t u;
		uint64_t ul;
		float f;
	} as;
	const char *name; /* for messages, "A"; NULL = none; not owned */
};

#define GPU_MAX_ARGS 16

struct gpu_launch {
	uint64_t groups[3];    /* blocks, each >= 1: never a count of threads */
	uint32_t block[3];     /* threads of a block, each >= 1 */
	uint32_t shared_bytes; /* dynamic shared memory: CUDA's extern __shared__; in OpenCL the
				  __local pointer that follows the arguments. 0 = none */
	const struct gpu_arg *args;
	size_t arg_count;
};

/* Queues one kernel. Beyond a limit of the device: PMPP_UNSUPPORTED with both numbers. A kernel
 * whose parameters are known to take other arguments: PMPP_LAUNCH. */
enum pmpp_status gpu_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error);

/* Waits for everything queued. Errors of earlier launches may surface here. */
enum pmpp_status gpu_finish(struct gpu_device *device, struct pmpp_error *error);

/* ---- Device timer -------------------------------------------------------------------------- */

/* The device's interval around what is queued between begin and end (launches and fills only; at
 * least one). CUDA: an event pair. OpenCL: START of the first to END of the last. cuda-emu: host
 * clock (never shown as performance). Read waits for the work. One interval at a time. */
enum pmpp_status gpu_timer_begin(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status gpu_timer_end(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status gpu_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error);

/* ---- Optional operations ------------------------------------------------------------------- */

/* Not every device has these operations. gpu_can_... says whether a device has one; the operation
 * may be called only then. */

/* Order in which the threads of a block, and the blocks of a grid, are started. A correct kernel
 * gives the same result in every order. A missing barrier often shows only in one of them. */
enum gpu_order {
	GPU_ORDER_FORWARD, /* the default of a device */
	GPU_ORDER_REVERSED,
	GPU_ORDER_SHUFFLED
};

bool gpu_can_order(const struct gpu_device *device);

/* Sets the order of all later launches on this device. seed is for GPU_ORDER_SHUFFLED only. */
void gpu_set_order(struct gpu_device *device, enum gpu_order order, uint64_t seed);

/* Whether this device can fill local variables before a kernel runs. On other devices
 * GPU_FILL_PATTERN leaves the variables undefined, and GPU_FILL_ZERO returns PMPP_UNSUPPORTED. */
bool gpu_can_fill(const struct gpu_device *device, enum gpu_fill fill);

/* Whether gpu_buffer_evict() exists: the device's buffers are in host memory, and the CPU has an
 * instruction that evicts cache lines. */
bool gpu_can_evict(const struct gpu_device *device);

/* Queues the eviction of the buffer's lines, guards included, from all caches of the CPU. Modified
 * lines are written to memory. The contents stay the same. Do not call it between gpu_timer_begin()
 * and gpu_timer_end(). */
enum pmpp_status gpu_buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error);

struct gpu_watch {
	const uint64_t *blocks; /* block numbers, x fastest, at least one; NULL: all */
	size_t block_count;
	uint64_t step_limit; /* basic blocks that lanes may enter, summed over all threads */
};

struct trace; /* common/model/trace.h */

/* Whether gpu_program_desc.traced has an effect, and gpu_watch exists. */
bool gpu_can_trace(const struct gpu_device *device);

/* Watches all later launches on this device, until watch is NULL. The programs must be traced.
 * Each launch writes *ret_trace anew; the caller finishes it. A defect of the kernel is recorded in
 * the trace and is also the error of the launch. Both objects must stay alive. A launch returns
 * PMPP_TOO_LARGE for a block number beyond its grid. */
void gpu_watch(struct gpu_device *device, const struct gpu_watch *watch, struct trace *ret_trace);

/* Checks the counts of a known kernel. PMPP_UNSUPPORTED, with the compiler and the wrong line, when
 * a count is wrong: then no watched launch can be trusted. Also PMPP_UNSUPPORTED on a device that
 * cannot trace. The first call compiles; later calls return the same result. */
enum pmpp_status gpu_watch_test(struct gpu_device *device, struct pmpp_error *error);

#endif
