/*
 * The backend for tests: host memory, kernels that are C functions, every call recorded, the n-th
 * one failing on request, limits at will. Not part of the library: tests link it and register it
 * (fake_register). All state is global and belongs to one thread.
 */
#ifndef PMPP_HOST_GPU_FAKE_FAKE_H
#define PMPP_HOST_GPU_FAKE_FAKE_H

#include "host/gpu/gpu.h"

/* ---- Kernels ------------------------------------------------------------------------------- */

/* One launch, as a kernel function sees it. */
struct fake_launch {
	const struct gpu_launch *launch;
	const struct gpu_macro *macros; /* of its program */
	size_t macro_count;
	void *shared; /* launch->shared_bytes, undefined content; NULL for 0 */
};

/* Runs all blocks. Work is done at the launch, not queued. */
typedef void fake_kernel_fn(const struct fake_launch *launch);

struct fake_kernel_row {
	const char *entry;
	fake_kernel_fn *run;
	int64_t static_shared_bytes; /* as kernel_resources answers */
};

/* Byte 0 of the buffer that argument `index` is; its guards lie around. NULL for a scalar. */
void *fake_arg_buffer(const struct fake_launch *launch, size_t index);

/* Called by kernels: adds to the device time of the interval. The device time of an interval with
 * such kernels is the sum. The device time of any other interval is what the host clock shows
 * between begin and end. */
void fake_spend_ns(double ns);

/* Value of a macro of the program; 0 when it has none of that name. */
int64_t fake_macro(const struct fake_launch *launch, const char *name);

/* ---- Control ------------------------------------------------------------------------------- */

/* Slots that can fail, in the order of struct gpu_backend: the name is the slot's. */
#define FAKE_SLOT_MAP(XX)                \
	XX(enumerate, OUT_OF_MEMORY)     \
	XX(open, UNAVAILABLE)            \
	XX(buffer_create, OUT_OF_MEMORY) \
	XX(buffer_write, LAUNCH)         \
	XX(buffer_read, LAUNCH)          \
	XX(buffer_fill, LAUNCH)          \
	XX(program_create, BUILD)        \
	XX(kernel_create, BUILD)         \
	XX(kernel_resources, INTERNAL)   \
	XX(launch, LAUNCH)               \
	XX(finish, LAUNCH)               \
	XX(timer_begin, LAUNCH)          \
	XX(timer_end, LAUNCH)            \
	XX(timer_read, LAUNCH)           \
	XX(buffer_evict, LAUNCH)

enum fake_slot {
#define XX(name, status) FAKE_SLOT_##name,
	FAKE_SLOT_MAP(XX)
#undef XX
	FAKE_SLOT_COUNT
};

/* "buffer_create" */
const char *fake_slot_name(enum fake_slot slot);

/* A simulated device timer: the interval that ends now, in ns. */
typedef double fake_timer_fn(const struct gpu_device *device, void *context);

/* What the next calls see. fake_reset() gives the defaults named here. */
struct fake_control {
	struct gpu_device_info info; /* of each device; a GPU with the least limits of CUDA 7.5 */
	size_t device_count;         /* 1; their index is "0", "1", ... */
	char reason[200];            /* of the backend's state, shown when device_count is 0 */

	const struct fake_kernel_row *kernels; /* none */
	size_t kernel_count;

	uint64_t fail_at; /* 0: none. n: the n-th call from fake_reset() on fails, ... */
	enum pmpp_status fail_status; /* ... with this status; PMPP_OK: the slot's own */

	int registers; /* of each kernel; 0: it cannot tell */

	uint64_t free_bytes; /* reported for a device without buffers; 0: not reported */

	bool evicts; /* gpu_can_evict(); false */

	/* PTX of programs, in the order in which callers request it: the first text, the second,
	 * the first, ...; NULL: the program has no PTX. These calls are not recorded. */
	const char *ptx[2];
	uint64_t ptx_requests; /* number of requests so far */

	double timer_ns;      /* what timer_read answers; 0: the time of the interval, ... */
	double timer_scale;   /* ... x this; 1 */
	fake_timer_fn *timer; /* NULL, or answers in its place */
	void *timer_context;
};

extern struct fake_control fake_control;

/* Defaults, an empty record, counters at 0. No fake device may be open. */
void fake_reset(void);

#define GPU_BACKEND_FAKE GPU_BACKEND_REGISTERED

/* Makes this backend GPU_BACKEND_FAKE, with the name "fake". */
void fake_register(void);

/* ---- What happened ------------------------------------------------------------------------- */

/* Calls of slots that can fail, since fake_reset(). */
uint64_t fake_call_count(void);

/* The slot of call n, counted from 1; the record holds the first 65536. FAKE_SLOT_COUNT beyond. */
enum fake_slot fake_call(uint64_t n);

/* The entry of the kernel that call n launched; "" if it launched none. */
const char *fake_call_entry(uint64_t n);

/* Bytes that call n wrote, read, filled or evicted; 0 for other slots. */
uint64_t fake_call_bytes(uint64_t n);

/* Calls of one slot. */
uint64_t fake_slot_count(enum fake_slot slot);

/* Devices, buffers, programs and kernels that are alive: 0 after everything was destroyed. */
uint64_t fake_live_count(void);

/* The first breach of gpu.h's contract by a caller ("device closed with 2 live objects"); "" for
 * none. */
const char *fake_misuse(void);

#endif
