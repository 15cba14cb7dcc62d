/*
 * Stragglers: ranks of a fleet that are slower than the others. Each rank reports its times. Then
 * the reports of all ranks are judged.
 */
#ifndef PMPP_HOST_COMPARE_STRAGGLERS_H
#define PMPP_HOST_COMPARE_STRAGGLERS_H

#include "common/model/repetition.h"
#include "host/record/fleet.h"

/* Appends the times of the document's timed rows to report->times. The key of a time is the
 * identity of its row, with the model of the device in place of its UUID. PMPP_OUT_OF_MEMORY. */
enum pmpp_status stragglers_add_times(const struct result_document *document,
	struct fleet_report *report, struct pmpp_error *error);

struct straggler {
	const struct fleet_report *report;
	const struct fleet_time *time;
	struct repetition_ratio ratio; /* its time / the time of the median rank */
};

/* Zero-initialised: empty. */
struct straggler_list {
	struct straggler *items; /* owned: free() */
	size_t count;
};

/* Judges the times with equal keys (common/model/fleet.h). The result is in the order of the
 * reports. It points into the reports. PMPP_OUT_OF_MEMORY. */
enum pmpp_status stragglers_find(const struct fleet_report_list *reports,
	struct straggler_list *ret_list, struct pmpp_error *error);

#endif
