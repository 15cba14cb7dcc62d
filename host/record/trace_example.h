/*
 * Records of examples from a trace: a typical request of an access, and a divergent execution of a
 * branch (common/model/typical.h). The record of the access model of a trace.
 */
#ifndef PMPP_HOST_RECORD_TRACE_EXAMPLE_H
#define PMPP_HOST_RECORD_TRACE_EXAMPLE_H

#include "common/model/trace.h"
#include "host/record/explanation.h"

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
