/*
 * Records of examples from a trace: a typical request of an access, and a divergent execution of a
 * branch (common/model/typical.h).
 */
#ifndef PMPP_HOST_RECORD_TRACE_EXAMPLE_H
#define PMPP_HOST_RECORD_TRACE_EXAMPLE_H

#include "common/model/trace.h"
#include "host/record/explanation.h"

/* Fill a record. Return false if there is no memory. If there are no requests or executions, the
 * record stays not present. */
bool request_record_set(
	struct request_record *record, enum trace_space space, const struct pattern_votes *typical);
bool split_record_set(struct split_record *record, const struct split_votes *votes);

/* Convert a record to an example. Addresses count from the 128-byte boundary of the record. Return
 * false if the record is not present, or has impossible values: a wrong number of lanes, no active
 * lane, an offset or a width out of range, a way other than 0 and 1. */
bool request_record_read(const struct access_record *access, struct warp_access *ret_access);
bool split_record_read(const struct split_record *record, uint32_t *ret_lanes, uint32_t *ret_first);

#endif
