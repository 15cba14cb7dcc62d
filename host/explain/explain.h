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

#include "host/explain/parts.h"

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
