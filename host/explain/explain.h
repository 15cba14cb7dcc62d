/*
 * explain: why a variant is fast or slow, from the kernel itself.
 *
 * Four sources, each of which may be missing, and then says why:
 *   trace      the CUDA kernel on the emulator, warps in lockstep (common/model/trace.h)
 *   resources  registers and the like of the real build: the device's, or NVRTC's without a device
 *   models     pure functions (common/model): occupancy, roofline
 *   measured   the suite's outcome on a device, with its roofs
 * From them follow the limit and the chapter's checklist of six (PMPP 4th ed., Table 6.1).
 */
#ifndef PMPP_HOST_EXPLAIN_EXPLAIN_H
#define PMPP_HOST_EXPLAIN_EXPLAIN_H

#include "common/model/occupancy.h"
#include "common/model/roofline.h"
#include "common/model/trace.h"
#include "host/record/explanation.h"
#include "host/suite/kernel_file.h"
#include "host/suite/trace.h"

/* ---- Parts --------------------------------------------------------------------------------- */

/* One launch of the variant's plan (fills are left out). */
struct launch_explanation {
	size_t step;                       /* index in explanation.plan */
	const struct plan_launch *planned; /* the launch of that step */
	struct trace trace;                /* owned; empty where explanation.no_trace says why */

	struct gpu_kernel_resources resources; /* of the target; -1 = unknown */
	struct occupancy occupancy;            /* on the target; without explanation.no_resources */
	bool occupancy_known;
	char no_occupancy[160]; /* why not */
};

/*
 * The hardware that the models are asked for: the device that measures, where it is a GPU and --cc
 * does not name another; else a compute capability (that of --cc, or 9.0) with the roofs of the
 * reference device. A CPU is never the target: the models are of GPUs.
 */
struct explain_target {
	const struct multiprocessor
		*sm;    /* NULL: not in the table; occupancy is then of what the device tells */
	char name[160]; /* "NVIDIA H200", "compute capability 9.0" */
	char arch[16];  /* "sm_90"; "" without sm */
	struct roofline_device hardware; /* its name is of the roofs' device */
	bool roofs_measured;             /* false: the reference device's */
};

/* ---- Explanation --------------------------------------------------------------------------- */

/* Points into itself: do not copy. */
struct explanation {
	struct config config;
	struct problem problem; /* traced */
	struct plan plan;
	struct launch_explanation launches[PMPP_MAX_STEPS];
	size_t launch_count;
	char no_trace[400];        /* why there is none; "" = there is */
	char no_resources[200];    /* the same of registers: no limit by them is known then */
	char resources_source[64]; /* "cuda:0", "NVRTC sm_90"; "" = none */

	struct explain_target target;
	struct intensity_record intensity;
	/* On the target: as measured there, else by the model at the size that `run` takes on a
	 * GPU, else unknown (a form for CPUs). */
	enum limited_by limited_by;
	char limit_text[200];                           /* by which figures */
	struct check_record checklist[CHECKLIST_COUNT]; /* owned; by item */

	bool measured;
	struct outcome outcome;           /* owned; of `measured` */
	struct problem measured_problem;  /* the device's size, not the traced one */
	struct gpu_device_info device;    /* that measured */
	struct roofs_record device_roofs; /* NaN: unknown; owns nothing */
	char no_measurement[200];         /* why there is none, or no time in it; "" = there is */

	char *source;                      /* the CUDA file's text; owned; NULL = none */
	char file[KERNEL_NAME_BYTES + 16]; /* "cuda_kernels/transpose/naive.cu"; "" = none */
};

/* What is wrong with the variant itself stays in *ret_explanation, with PMPP_OK. */
struct explain_options {
	struct trace_request trace;
	const struct multiprocessor *sm; /* of --cc; NULL: the device's, else 9.0 */
	const char *no_emulator;         /* why emulator is NULL */
	const char *no_device;           /* why device is NULL */
	const char *kernel_dir;          /* as suite_options */
	enum gpu_math math;
};

/* emulator: a suite on cuda-emu, NULL without a C++ compiler. device: a suite that measures at
 * measured_problem, or NULL for none. Fails as suite_run and suite_trace, PMPP_USAGE also for an
 * infeasible config; the caller finishes *ret_explanation either way. */
enum pmpp_status explain_variant(struct suite *emulator, struct suite *device,
	const struct config *config, const struct problem *problem,
	const struct problem *measured_problem, const struct explain_options *options,
	struct explanation *ret_explanation, struct pmpp_error *error);
void explanation_finish(struct explanation *explanation);

/* ---- Records ------------------------------------------------------------------------------- */

/* What is known of a variant before it runs; the rest is absent. label: variant and values of a
 * sweep, or NULL. *ret_record is initialised here. */
void explain_fill_head(const struct config *config, const struct problem *problem,
	const char *label, struct explanation_record *ret_record);

/* Appends one record for each launch. Fails for lack of memory only; the caller finishes the list
 * with the record that holds it either way. */
enum pmpp_status explain_fill(const struct explanation *explanation, struct explanation_list *list,
	struct pmpp_error *error);

#endif
