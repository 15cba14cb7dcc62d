/* What an explanation consists of (explain.h). */
#ifndef PMPP_HOST_EXPLAIN_PARTS_H
#define PMPP_HOST_EXPLAIN_PARTS_H

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

	/* The work of the floors: of the formulas of the row, or for a kernel of the user of a trace. */
	bool has_work;
	struct problem floor_problem; /* its size */
	struct floor_work work;
	char *no_work; /* owned: why there is none; NULL = not known */
	/* At floor_problem on the target; of a measured row of the project those of the outcome. */
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

#endif
