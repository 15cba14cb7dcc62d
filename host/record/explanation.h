/*
 * Explanations: why a variant is fast or slow. A file of the schema pmpp-explain/1 has one entry
 * for each launch. explanation.def gives units and meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_EXPLANATION_H
#define PMPP_HOST_RECORD_EXPLANATION_H

#include "common/model/access.h"
#include "common/model/floor.h"
#include "common/model/occupancy.h"
#include "common/model/outcome.h"
#include "common/model/trace.h"
#include "host/record/result.h"

/* ---- Trace --------------------------------------------------------------------------------- */

#define RECORDS "host/record/explanation.def"
#include "common/records.inc"

/* ---- Models and measurement ---------------------------------------------------------------- */

/* The checklist: the items of PMPP 4th ed., Table 6.1, and bank conflicts. */
enum checklist_item {
	CHECK_OCCUPANCY,
	CHECK_COALESCING,
	CHECK_DIVERGENCE,
	CHECK_TILING,
	CHECK_PRIVATISATION,
	CHECK_COARSENING,
	CHECK_BANKS, /* not in the table */
	CHECKLIST_COUNT
};

enum check_state {
	CHECK_UNKNOWN, /* nothing was traced, or the kernel ended early */
	CHECK_NOT_APPLICABLE,
	CHECK_DONE,
	CHECK_OPEN,
	CHECK_STATE_COUNT
};

/* Words of enum checklist_item and enum check_state; NULL ends each list. */
extern const char *const check_item_words[CHECKLIST_COUNT + 1];
extern const char *const check_state_words[CHECK_STATE_COUNT + 1];

/* ---- Explanations -------------------------------------------------------------------------- */

/* head_only = true: marks the members that only an explained variant has as absent. A variant that
 * has not run yet has only the head. false: marks them as present. */
void explanation_record_set_head_only(struct explanation_record *record, bool head_only);

/* Makes a head a lost explanation. */
void explanation_record_end(
	struct explanation_record *record, enum outcome_status status, const char *reason);

/* Adds the failures of the variant to the counts: its defects, its status on the device, and the
 * status of a lost explanation. Counts only the classes failed and broken. */
void explanation_record_count(
	const struct explanation_record *record, size_t counts[OUTCOME_CLASS_COUNT]);

#define EXPLAIN_SCHEMA "pmpp-explain/1"

/* ---- Examples of a trace ------------------------------------------------------------------- */

/* A typical request of an access (offsets), and a divergent execution of a branch (ways): lanes that are not
 * active. Offsets count from the boundary of 128 bytes below the lowest address. */
#define LANE_INACTIVE (-1)

/* false: a kernel for CPUs. */
bool explanation_has_warps(const struct explanation_record *entry);

/* The largest floor in ns; NAN if the record has none. */
double floors_largest_ns(const struct floors_record *floors);

#endif
