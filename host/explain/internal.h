/*
 * Inside explain. Modules, lower ones first; each fills its part of the explanation from those
 * before it:
 *
 *   launches   what all ask of the launches and their traces
 *   resources  target, resources of the build, occupancy
 *   checklist  the chapter's six
 *   limit      intensities, and what limits
 *   fill       the records, from all of the above
 *   explain    source, trace, measurement, and all of the above in their order
 */
#ifndef PMPP_HOST_EXPLAIN_INTERNAL_H
#define PMPP_HOST_EXPLAIN_INTERNAL_H

#include "host/explain/explain.h"

/* ---- launches.c ---------------------------------------------------------------------------- */

/* The launch with the most threads: it stands for the variant where one must. There is at least one
 * launch. */
const struct launch_explanation *explain_main_launch(const struct explanation *explanation);

/* Threads of all blocks. */
double explain_launch_threads(const struct plan_launch *launch);

/* Threads of the plan's largest launch. */
double explain_most_threads(const struct plan *plan);

/* A form for CPUs: what the models know of GPUs says nothing of it. */
bool explain_for_cpus(const struct explanation *explanation);

/* NULL where every launch was traced to its end. Else why the traces cannot be judged: valid as
 * long as the explanation. */
const char *explain_no_trace(const struct explanation *explanation);

/* A count of every launch, of one kind of accesses or all, added up for whole launches. */
typedef uint64_t trace_count_fn(const struct trace *trace);
double explain_sum(const struct explanation *explanation, trace_count_fn *count);

/* ---- resources.c --------------------------------------------------------------------------- */

/* empty_launch_ns: of the device that measured; NAN without. */
void explain_choose_target(struct explanation *explanation, const struct explain_options *options,
	double empty_launch_ns);

/* true: the device that measures is the target. */
bool explain_on_device(const struct explanation *explanation);

/* file: NULL where there is no CUDA file. Fails for lack of memory only. */
enum pmpp_status explain_resources(struct explanation *explanation, const struct kernel_file *file,
	enum gpu_math math, struct pmpp_error *error);

/* ---- limit.c ------------------------------------------------------------------------------- */

void explain_intensities(struct explanation *explanation);

/* limited_by is LIMITED_BY_UNKNOWN for a form for CPUs. The checklist is there already. */
void explain_limit(struct explanation *explanation);

/* ---- fill_trace.c -------------------------------------------------------------------------- */

/* Fills what the record has of the launch's trace. false for lack of memory. */
bool explain_fill_trace(const struct explanation *explanation,
	const struct launch_explanation *launch, struct explanation_record *record);

/* ---- checklist.c --------------------------------------------------------------------------- */

void explain_checklist(struct explanation *explanation);

#endif
