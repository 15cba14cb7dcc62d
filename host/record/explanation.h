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

/* A typical request of an access, and a divergent execution of a branch (common/model/trace.h). */

/* Fill a record. Return false if there is no memory. If there are no requests or executions, the
 * record stays not present. */
bool request_record_set(
	struct request_record *record, enum trace_space space, const struct pattern_votes *typical);
bool split_record_set(struct split_record *record, const struct split_votes *votes,
	const struct access_model *model);

/* Convert a record to an example. Addresses count from the 128-byte boundary of the record. Return
 * false if the record is not present, or has impossible values: a wrong number of lanes, no active
 * lane, an offset or a width out of range, a way other than 0 and 1. model: of the trace; it must
 * stay valid as long as *ret_access. */
bool request_record_read(const struct access_record *access, const struct access_model *model,
	struct warp_access *ret_access);
bool split_record_read(const struct split_record *record, const struct access_model *model,
	uint64_t *ret_lanes, uint64_t *ret_first);

/* Fills the record unless the model is the default one. */
void access_model_record_set(struct access_model_record *record, const struct access_model *model);

/* Returns the model of an entry: the default model, or *ret_model, which has the values of the
 * record and refers to its name. NULL: the record has impossible values. */
const struct access_model *access_model_record_read(
	const struct access_model_record *record, struct access_model *ret_model);

#endif
