/*
 * explain: reports why a variant is fast or slow.
 *
 * There are four sources. If one of them is missing, the explanation has the reason.
 *   trace      a kernel on its emulator, warps in lockstep (common/model/trace.h)
 *   resources  registers and memory of the compiled kernel: from the device, else from a compiler
 *   models     pure functions (common/model): occupancy, roofline
 *   measured   the suite's outcome on a device, with the device's roofs
 * The limit and the checklist (PMPP 4th ed., Table 6.1, and bank conflicts) are derived from these
 * sources.
 */
#ifndef PMPP_HOST_EXPLAIN_EXPLAIN_H
#define PMPP_HOST_EXPLAIN_EXPLAIN_H

#include "common/model/floor.h"
#include "common/model/occupancy.h"
#include "common/model/trace.h"
#include "host/record/explanation.h"
#include "host/suite/kernel_file.h"
#include "host/suite/suite.h"

/* ---- Parts --------------------------------------------------------------------------------- */

/* One launch of the variant's plan. Fills have no entry. */
struct launch_explanation {
	size_t step;                       /* index in explanation.plan */
	const struct plan_launch *planned; /* the launch of that step */
	struct trace trace;                /* owned; empty if record.no_trace is set */

	struct gpu_kernel_resources resources; /* on the target; -1 = unknown */
	struct occupancy occupancy;            /* on the target; if occupancy_known */
	bool occupancy_known;
	char *no_occupancy; /* owned: why the occupancy is unknown */
};

/*
 * The hardware of the models. It is the measuring device if this device is a GPU and neither --cc
 * nor --model names another GPU. Otherwise it is the GPU of --cc or --model, else compute capability
 * 9.0. A CPU is never the target: the models describe GPUs.
 */
struct explain_target {
	/* has_unit false: no model. The occupancy of a device is then computed from its limits. */
	struct occupancy_unit unit;
	bool has_unit;
	char name[160];                  /* "NVIDIA H200", "compute capability 9.0", "gfx942" */
	struct roofline_device hardware; /* name: the device of the roofs */
	bool roofs_measured;             /* false: roofs of the reference device, used if
					  * has_roofs() */
};

/* ---- Explanation --------------------------------------------------------------------------- */

/* Points into itself: do not copy. */
struct explanation {
	struct config config;
	const struct access_model *model; /* of the trace; never NULL */
	enum gpu_backend_id traced;       /* the emulator */
	struct problem problem;           /* of the trace */
	bool own_kernel; /* the traced, compiled or measured file is the user's: the project has no
			  * work model of it, no claim about it and no next rung */
	struct plan plan;
	struct launch_explanation launches[PMPP_MAX_STEPS];
	size_t launch_count;
	/* Owned. What the entries of all launches have in common. resources: only their source. */
	struct explanation_record record;

	struct explain_target target;
	bool measured;
	struct outcome outcome;          /* owned; if measured */
	struct problem measured_problem; /* its size suits the device; not the traced size */
	struct gpu_device_info device;   /* the measuring device */
	struct floor_rates device_rates; /* for cold samples; all 0: unknown */

	/* The work of the floors, from the formulas of the row. For a kernel of the user: from a trace. */
	bool has_work;
	struct problem floor_problem; /* its size */
	struct floor_work work;
	char *no_work; /* owned: why there is none; NULL = not known */
	/* At floor_problem on the target. For a measured row of the project: those of the outcome. */
	struct floors floors;
	bool has_floors; /* and at least one of them is known */

	char *source; /* the kernel file's text; owned; NULL = none */
};

struct explain_options {
	struct trace_request trace;
	const struct occupancy_unit *sm;  /* --cc; NULL: not given */
	const struct access_model *model; /* of the emulator; NULL: the default */
	enum gpu_backend_id traced;       /* the emulator: decides which kernel file is explained */
	const char *no_emulator;          /* why there is no emulator */
	const char *no_device;            /* why there is no device */
	const char *kernel_dir;           /* as in struct suite_options */
	enum gpu_math math;
};

/* emulator: a suite on options->traced; NULL if there is no compiler for it. device: a suite that
 * measures measured_problem; NULL: nothing is measured. Defects and failures of the variant itself
 * are part of *ret_explanation, and the function returns PMPP_OK. Fails like suite_run() and
 * suite_trace(), and with PMPP_USAGE for an infeasible config. The caller always finishes
 * *ret_explanation. */
enum pmpp_status explain_variant(struct suite *emulator, struct suite *device,
	const struct config *config, const struct problem *problem,
	const struct problem *measured_problem, const struct explain_options *options,
	struct explanation *ret_explanation, struct pmpp_error *error);
void explanation_finish(struct explanation *explanation);

/* ---- Records ------------------------------------------------------------------------------- */

/* Initialises *ret_record with the members that are known before the variant runs; all other
 * members are absent. label: variant and values of a sweep, or NULL. own_kernel: the kernel is the
 * user's. */
void explain_fill_head(const struct config *config, const struct problem *problem,
	const char *label, bool own_kernel, struct explanation_record *ret_record);

/* Appends one record for each launch, and moves the traces into the records. Fails only if there is no
 * memory. The caller always finishes the record that contains the list. */
enum pmpp_status explain_fill(
	struct explanation *explanation, struct explanation_list *list, struct pmpp_error *error);

#endif
