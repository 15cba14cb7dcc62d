/*
 * Tracing: a variant's launches, watched on the emulator.
 */
#ifndef PMPP_HOST_SUITE_TRACE_H
#define PMPP_HOST_SUITE_TRACE_H

#include "common/model/trace.h"
#include "host/suite/suite.h"

enum trace_blocks {
	TRACE_BLOCKS_AUTO, /* all where that is quick, else first, middle and last */
	TRACE_BLOCKS_ALL,
	TRACE_BLOCKS_LISTED
};

struct trace_request {
	enum trace_blocks blocks;
	const uint64_t *numbers; /* TRACE_BLOCKS_LISTED: x fastest; ascending; not owned */
	size_t number_count;
	uint64_t step_limit; /* basic blocks that the lanes of a launch may enter; 0: the default */
};

/* Beside plan.steps; fills have an empty trace. */
struct suite_trace {
	struct plan plan;
	struct trace traces[PMPP_MAX_STEPS];
	char reason[400]; /* why there is no trace: one-sided, inline PTX; "" = there is */
};

void suite_trace_finish(struct suite_trace *trace);

/* Runs the variant's launches on the emulator's traced build, the warps in lockstep. suite is one
 * on cuda-emu. A defect ends its launch and is part of the trace. If the emulator cannot run the
 * variant, the trace has the reason, with PMPP_OK. PMPP_BUILD: the kernel does not compile.
 * PMPP_LAUNCH or PMPP_TIMEOUT: a launch whose data the next one needs failed outside of the watched
 * blocks. Else fails as suite_run; PMPP_TOO_LARGE also for a problem that does not fit in memory
 * and for a block that is not in the grid. */
enum pmpp_status suite_trace(struct suite *suite, const struct config *config,
	const struct problem *problem, const struct trace_request *request,
	struct suite_trace *ret_trace, struct pmpp_error *error);

#endif
