/*
 * The suite: verifies a variant on a device, and times it only if it passed.
 *
 * A suite is a session on one open device. Its variants share the compiled programs, the inputs and
 * references of the current problem, the device's calibration and its roofs.
 */
#ifndef PMPP_HOST_SUITE_SUITE_H
#define PMPP_HOST_SUITE_SUITE_H

#include "common/model/trace.h"
#include "host/suite/device.h"
#include "host/suite/session.h"

/* ---- Running ------------------------------------------------------------------------------- */

enum suite_action {
	SUITE_VERIFY,
	SUITE_TIME /* verify; a variant that passed is also timed */
};

/*
 * Verifies and, if requested, times one variant. Errors of the variant or its problem (it does not
 * build, fails, crashes the emulator, cannot run on this device) are in *ret_outcome, and the
 * function returns PMPP_OK. A problem that does not fit in memory is OUTCOME_UNSUPPORTED with the
 * error PMPP_TOO_LARGE; the message has the needed and the free memory. If memory runs out later,
 * the status is OUTCOME_LAUNCH_ERROR with PMPP_OUT_OF_MEMORY, and the memory of the variant is
 * freed. The function fails only for errors of the device: PMPP_UNAVAILABLE if the device is lost.
 * The caller finishes ret_outcome in all cases.
 */
enum pmpp_status suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, enum suite_action action, struct outcome *ret_outcome,
	struct pmpp_error *error);

/* Output of the last verified run, by rows, in the type of the output operand. Valid until the next
 * call; NULL if there is none. */
const void *suite_output(struct suite *suite, int64_t *ret_rows, int64_t *ret_columns);

/* ---- Roofs and calibration ----------------------------------------------------------------- */

/* Returns the roofs, which are measured once per device and driver and kept in the cache directory.
 * force: measures them again. All figures are NaN for emulated devices. *ret_roofs is valid as long
 * as the suite; a call with force changes its contents. */
enum pmpp_status suite_roofs(struct suite *suite, bool force, const struct roofs_record **ret_roofs,
	struct pmpp_error *error);

/* Owned by the caller, who calls parity_result_finish(). */
struct parity_result {
	struct outcome a, b;   /* OpenCL, CUDA */
	struct parity_row row; /* the ratios are time of a / time of b */
};

void parity_result_finish(struct parity_result *result);

/* Verifies the variant on both suites and compares the output bits. If the variant is a kernel of the user, the second
 * suite runs its twin. If both suites use the same
 * physical device (suite_same_device()), it times them in turn: A B, B A, A B. tolerance: for the
 * verdict; NAN: calculated from the noise of the samples (parity_judge()). If the verdict is
 * not SAME, the row has the PTX instructions of both kernels, or the reason why they are unknown.
 * Fails like suite_run(). */
enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error);

enum trace_blocks {
	TRACE_BLOCKS_AUTO, /* all blocks if the grid is small, else first, middle and last */
	TRACE_BLOCKS_ALL,
	TRACE_BLOCKS_LISTED,
	TRACE_BLOCKS_SPREAD /* traced_work_blocks() */
};

struct trace_request {
	enum trace_blocks blocks;
	const uint64_t *numbers; /* TRACE_BLOCKS_LISTED: block numbers (x varies fastest),
				  * ascending; not owned */
	size_t number_count;
	uint64_t step_limit;  /* gpu_watch.step_limit; 0: the default */
	uint64_t cache_bytes; /* as in struct gpu_watch */
	bool repeated;        /* operands_upload_repeated(); the outputs are not poisoned, and
			       * a launch is not run to its end for the next one */
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
