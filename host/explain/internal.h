/*
 * Functions that the files of this folder share. The modules are listed from low to high. Each
 * fills its part of the explanation from the parts of the modules before it:
 *
 *   resources  the hardware of the models, resources of the build, occupancy
 *   checklist  the checklist, then intensities and the limiting resource
 *   explain    source, trace, measurement, then the parts above in this order
 *   fill       the records of a complete explanation
 */
#ifndef PMPP_HOST_EXPLAIN_INTERNAL_H
#define PMPP_HOST_EXPLAIN_INTERNAL_H

#include "host/explain/explain.h"

/* ---- resources.c --------------------------------------------------------------------------- */

/* true: a variant for CPUs. The models of GPUs do not apply to it. */
bool explain_for_cpus(const struct explanation *explanation);

/* true: the measuring device is the target. */
bool explain_on_device(const struct explanation *explanation);

/* true: target.hardware has roofs of the target: measured on it, or those of the reference device
 * for its compute capability without a device. A page never has the roofs of another GPU. false for a
 * variant for CPUs, which never runs on the target. */
bool explain_has_roofs(const struct explanation *explanation);

/* Chooses the target, and reads the kernel file in the language of its compiler. The compiler reports
 * the resources without a GPU. */
enum pmpp_status explain_resources(struct explanation *explanation,
	const struct explain_options *options, struct pmpp_error *error);

/* ---- fill.c -------------------------------------------------------------------------------- */

/* Removes the lines with only braces and jumps (`else`, `return;`). Some compilers have no code for
 * them, and others add the code of a function's end to them. So the counts of all compilers have
 * the same lines. */
void explain_drop_jumps(const struct explanation *explanation, struct trace *trace);

/* ---- checklist.c --------------------------------------------------------------------------- */

/* PMPP_OUT_OF_MEMORY is the only error. */
enum pmpp_status explain_checklist(struct explanation *explanation, struct pmpp_error *error);

void explain_intensities(struct explanation *explanation);

/* Call it after explain_checklist(). limited_by is LIMITED_BY_UNKNOWN for a variant for CPUs. */
void explain_limit(struct explanation *explanation);

#endif
