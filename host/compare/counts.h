/*
 * Comparison of two explain files: the counts that differ, exactly. A count belongs to a launch, or to a place of its
 * source: an access, a branch, a barrier, a line, a defect. Places of both files belong together if their source
 * lines have the same text; the others by their order. So an inserted comment changes nothing.
 */
#ifndef PMPP_HOST_COMPARE_COUNTS_H
#define PMPP_HOST_COMPARE_COUNTS_H

#include "host/record/comparison.h"
#include "host/record/explanation.h"

/* Compares the launches of both files. Sets all members of *ret_document except `tool`, `base` and `other`. PMPP_USAGE
 * with the reason: the files have no launch in common, or a launch has another problem, another model or other traced
 * blocks, so that its counts cannot be compared. Call record_finish() in all cases. */
enum pmpp_status counts_compare(const struct explain_document *before,
	const struct explain_document *after, struct count_document *ret_document,
	struct pmpp_error *error);

#endif
