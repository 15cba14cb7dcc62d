/*
 * Functions that the files of this folder share. The modules are listed from low to high. Each
 * fills its part of the explanation from the parts of the modules before it:
 *
 *   launches    sums over the launches and their traces
 *   target      the hardware of the models
 *   resources   resources of the build, occupancy
 *   checklist   the checklist
 *   limit       intensities, and the limiting resource
 *   explain     source, trace, measurement, then the parts above in this order
 *   fill_trace  the trace as part of a record
 *   fill        the records of a complete explanation
 */
#ifndef PMPP_HOST_EXPLAIN_INTERNAL_H
#define PMPP_HOST_EXPLAIN_INTERNAL_H

#include "host/explain/explain.h"

/* ---- launches.c ---------------------------------------------------------------------------- */

/* The launch with the most threads: it represents the variant. There is at least one launch. */
const struct launch_explanation *explain_main_launch(const struct explanation *explanation);

/* Threads of all blocks. */
double explain_launch_threads(const struct plan_launch *launch);

/* Threads of the plan's largest launch. */
double explain_max_threads(const struct plan *plan);

/* true: a variant for CPUs. The models of GPUs do not apply to it. */
bool explain_for_cpus(const struct explanation *explanation);

/* Returns NULL if every launch was traced to its end, else the reason, which is valid as long as
 * the explanation. */
const char *explain_no_trace(const struct explanation *explanation);

/* trace_sum() over all launches, each scaled from the traced blocks to the whole launch. */
double explain_sum(const struct explanation *explanation, size_t count, enum trace_space space,
	unsigned kinds);

/* ---- target.c ------------------------------------------------------------------------------ */

void explain_choose_target(struct explanation *explanation, const struct explain_options *options);

/* true: the measuring device is the target. */
bool explain_on_device(const struct explanation *explanation);

/* true: target.hardware has roofs of the target: measured on it, or those of the reference device
 * for its compute capability without a device. A page never has the roofs of another GPU. false for a
 * variant for CPUs, which never runs on the target. */
bool explain_has_roofs(const struct explanation *explanation);

/* ---- resources.c --------------------------------------------------------------------------- */

/* The language of the kernel file that explain_resources() compiles for the target. */
enum gpu_language explain_resources_language(const struct explanation *explanation);

/* file: NULL if there is no file in this language. Fails only if there is no memory. */
enum pmpp_status explain_resources(struct explanation *explanation, const struct kernel_file *file,
	enum gpu_math math, struct pmpp_error *error);

/* ---- limit.c ------------------------------------------------------------------------------- */

void explain_intensities(struct explanation *explanation);

/* Call it after explain_checklist(). limited_by is LIMITED_BY_UNKNOWN for a variant for CPUs. */
void explain_limit(struct explanation *explanation);

/* ---- fill_trace.c -------------------------------------------------------------------------- */

/* Removes the lines with only braces and jumps (`else`, `return;`). Some compilers have no code for
 * them, and others add the code of a function's end to them. So the counts of all compilers have
 * the same lines. */
void explain_drop_jumps(const struct explanation *explanation, struct trace *trace);

/* Fills the members that depend on the launch's trace, and moves its arrays into the record. Returns
 * false if there is no memory. */
bool explain_fill_trace(const struct explanation *explanation, struct launch_explanation *launch,
	struct explanation_record *record);

/* ---- checklist.c --------------------------------------------------------------------------- */

/* PMPP_OUT_OF_MEMORY is the only error. */
enum pmpp_status explain_checklist(struct explanation *explanation, struct pmpp_error *error);

#endif
