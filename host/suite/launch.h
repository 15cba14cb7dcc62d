/*
 * A plan bound to kernels and operands: one run, and time intervals around runs.
 */
#ifndef PMPP_HOST_SUITE_LAUNCH_H
#define PMPP_HOST_SUITE_LAUNCH_H

#include "host/gpu/library.h"
#include "host/suite/programs.h"

/* A launch with its kernel and arguments. Points into itself: do not copy. */
struct bound_launch {
	struct gpu_kernel *kernel;
	struct gpu_launch launch; /* its args are the array below */
	struct gpu_arg args[PMPP_MAX_ARGS];
	struct gpu_tile_map tile_maps[PMPP_MAX_TILE_MAPS]; /* those of args */
};

struct bound_fill {
	struct gpu_buffer *buffer;
	uint32_t pattern;
};

struct bound_product {
	struct gpu_library *library;
	struct gpu_product product;
};

struct bound_step {
	enum plan_step_kind kind;
	union {
		struct bound_launch launch;
		struct bound_fill fill;
		struct bound_product product;
	} as;
};

/* A plan with kernels and operands. Points into itself: do not copy. */
struct bound_run {
	size_t step_count;
	struct bound_step steps[PMPP_MAX_STEPS]; /* in the order of the plan's steps */
};

/* Binds the plan to kernels of the program and to buffers. buffers: in the order of the family's
 * operands; scratch buffers from PMPP_MAX_OPERANDS on. */
enum pmpp_status launch_bind(struct program_entry *entry, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error);

/* Binds the plan of a peer. Its steps are products. buffers: as in launch_bind(). */
void launch_bind_library(struct gpu_library *library, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run);

/* Queues one step. */
enum pmpp_status launch_step(const struct bound_step *step, struct pmpp_error *error);

/* Queues the run's steps. */
enum pmpp_status launch_run(const struct bound_run *run, struct pmpp_error *error);

struct interval_request {
	size_t batch;      /* runs inside the interval */
	bool settled;      /* wait for earlier work first, and also read the host clock. Otherwise
			    * earlier queued work hides the time to submit the runs. */
	bool device_timer; /* false: use the host clock; the interval is then settled */
};

struct interval {
	double device_ns; /* all runs of the batch; by the host clock if device_timer is false */
	double host_ns;   /* NAN if not settled */
};

/* Before the interval, wakes the library of a run that consists of products. */
enum pmpp_status launch_interval(struct gpu_device *device, const struct bound_run *run,
	const struct interval_request *request, struct interval *ret_interval,
	struct pmpp_error *error);

/* Least time of the wake-up before an interval of the run, in ns; 0: there is none. */
double launch_wake_up_ns(const struct bound_run *run);

#endif
