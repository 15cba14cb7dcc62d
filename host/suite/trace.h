/*
 * Tracing: runs a variant's launches on an emulator and records their accesses and branches.
 */
#ifndef PMPP_HOST_SUITE_TRACE_H
#define PMPP_HOST_SUITE_TRACE_H

#include "common/model/trace.h"
#include "host/suite/suite.h"

enum trace_blocks {
	TRACE_BLOCKS_AUTO, /* all blocks if the grid is small, else first, middle and last */
	TRACE_BLOCKS_ALL,
	TRACE_BLOCKS_LISTED
};

struct trace_request {
	enum trace_blocks blocks;
	const uint64_t *numbers; /* TRACE_BLOCKS_LISTED: block numbers (x varies fastest),
				  * ascending; not owned */
	size_t number_count;
	uint64_t step_limit; /* gpu_watch.step_limit; 0: the default */
};

/* The traces of a plan. The trace of a fill is empty. */
struct suite_trace {
	struct plan plan;
	struct trace traces[PMPP_MAX_STEPS]; /* by index of plan.steps */
	char reason[400]; /* why there is no trace (no CUDA twin, inline PTX); "" = traced */
};

void suite_trace_finish(struct suite_trace *trace);

/* Runs the variant's launches in the traced build of an emulator, with warps in lockstep. suite: a
 * suite on an emulator. A defect ends its launch and is part of the trace. If the emulator cannot
 * run the variant, the trace has the reason, and the function returns PMPP_OK. PMPP_BUILD: the
 * kernel does not compile. PMPP_LAUNCH or PMPP_TIMEOUT: a launch failed outside the watched blocks,
 * and a later launch depends on its data. PMPP_TOO_LARGE: the problem does not fit in memory, or a
 * listed block is not in the grid. Otherwise fails like suite_run(). */
enum pmpp_status suite_trace(struct suite *suite, const struct config *config,
	const struct problem *problem, const struct trace_request *request,
	struct suite_trace *ret_trace, struct pmpp_error *error);

#endif
