/*
 * The backend for tests: buffers in host memory, C functions as kernels, a record of every call.
 * Tests can set the limits of the device and make the n-th call fail. Call fake_register() first.
 * All state is global and belongs to one thread.
 */
#ifndef PMPP_TESTS_SUPPORT_FAKE_H
#define PMPP_TESTS_SUPPORT_FAKE_H

#include "host/gpu/gpu.h"

/* ---- Kernels ------------------------------------------------------------------------------- */

/* The argument of a kernel function: one launch. */
struct fake_launch {
	const struct gpu_launch *launch;
	const struct gpu_macro *macros; /* of its program */
	size_t macro_count;
	void *shared; /* launch->shared_bytes, undefined content; NULL for 0 */
};

/* Runs all blocks, during the call of the launch: nothing is queued. */
typedef void fake_kernel_fn(const struct fake_launch *launch);

struct fake_kernel_row {
	const char *entry;
	fake_kernel_fn *run;
	int64_t static_shared_bytes; /* of gpu_kernel.resources */
};

/* Returns byte 0 of the buffer in argument `index`, with its guards before and after it. NULL for a
 * scalar. */
void *fake_arg_buffer(const struct fake_launch *launch, size_t index);

/* Kernels call this function to add to the device time of the interval, which is then the sum.
 * Without such a call, the device time is the time of the host clock between begin and end. */
void fake_spend_ns(double ns);

/* Returns the value of a macro of the program; 0 if there is no macro with this name. */
int64_t fake_macro(const struct fake_launch *launch, const char *name);

/* ---- Control ------------------------------------------------------------------------------- */

/* Slots that can fail, with their names, in the order of struct gpu_backend, and the status of a
 * failure. */
#define FAKE_SLOT_MAP(XX)                \
	XX(enumerate, OUT_OF_MEMORY)     \
	XX(open, UNAVAILABLE)            \
	XX(buffer_create, OUT_OF_MEMORY) \
	XX(buffer_write, LAUNCH)         \
	XX(buffer_read, LAUNCH)          \
	XX(buffer_fill, LAUNCH)          \
	XX(buffer_copy, LAUNCH)          \
	XX(program_create, BUILD)        \
	XX(kernel_create, BUILD)         \
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

/* Settings of tests that depend on the macros of a program. */
typedef int64_t fake_shared_fn(const struct gpu_macro *macros, size_t count);
typedef bool fake_reject_fn(const struct gpu_macro *macros, size_t count);

/* The value of a macro in a list; 0 if there is none with this name. */
int64_t fake_macro_of(const struct gpu_macro *macros, size_t count, const char *name);

/* A simulated device timer. Returns the length of the interval that ends now, in ns. clock_ns: its length
 * on the host clock. */
typedef double fake_timer_fn(const struct gpu_device *device, double clock_ns, void *context);

/* Settings of the next calls. fake_reset() sets the defaults. */
struct fake_control {
	struct gpu_device_info info; /* of each device; default: the lowest limits of CUDA 7.5 */
	size_t device_count;         /* indices "0", "1", ...; default: 1 */
	char reason[200];            /* of the backend's state, used if device_count is 0 */

	const struct fake_kernel_row *kernels; /* default: none */
	size_t kernel_count;

	uint64_t fail_at; /* the n-th call after fake_reset() fails; 0 = no call fails (default) */
	enum pmpp_status fail_status; /* status of this call; PMPP_OK = the status of the slot */

	int registers; /* of each kernel; 0 = unknown */

	fake_shared_fn *shared;    /* static shared memory of each kernel; NULL = its row's */
	fake_reject_fn *rejects;   /* whether the compiler rejects a program; NULL = never */
	uint32_t kernel_threads;   /* maximum block of each kernel; 0 = the device's */
	uint32_t launched_threads; /* launches of larger blocks fail; 0 = none */

	uint64_t free_bytes; /* reported for a device without buffers; 0 = not reported */

	bool evicts; /* result of gpu_can_evict(); default: false */

	/* PTX of programs: requests get the first text and the second text in turn. NULL: the
	 * program has no PTX. These calls are not recorded. */
	const char *ptx[2];
	uint64_t ptx_requests; /* number of requests so far */

	bool no_timer;        /* the devices have no timer */
	double timer_ns;      /* result of timer_read; 0 = time of the interval x timer_scale */
	double timer_scale;   /* default: 1 */
	fake_timer_fn *timer; /* if not NULL, timer_read returns its result */
	void *timer_context;
};

extern struct fake_control fake_control;

/* Sets the defaults, empties the record and sets the counters to 0. No fake device may be open. */
void fake_reset(void);

#define GPU_BACKEND_FAKE GPU_BACKEND_REGISTERED

/* Makes this backend GPU_BACKEND_FAKE, with the name "fake". */
void fake_register(void);

/* ---- Record of calls ----------------------------------------------------------------------- */

/* Number of calls of slots that can fail, since fake_reset(). */
uint64_t fake_call_count(void);

/* The slot of call n, counted from 1. The record has the first 65536 calls; FAKE_SLOT_COUNT for
 * other numbers. */
enum fake_slot fake_call(uint64_t n);

/* The entry of the kernel that call n launched; "" if it launched none. */
const char *fake_call_entry(uint64_t n);

/* Bytes that call n wrote, read, filled or evicted; 0 for other slots. */
uint64_t fake_call_bytes(uint64_t n);

/* Number of calls of one slot. */
uint64_t fake_slot_count(enum fake_slot slot);

/* Number of open devices, and of buffers, programs and kernels that are not destroyed. */
uint64_t fake_live_count(void);

/* The first violation of gpu.h's contract by a caller ("device closed with 2 live objects"); "" =
 * none. */
const char *fake_misuse(void);

#endif
