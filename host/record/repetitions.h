/*
 * Rows of several runs (--repeat) merged into one.
 */
#ifndef PMPP_HOST_RECORD_REPETITIONS_H
#define PMPP_HOST_RECORD_REPETITIONS_H

#include "host/record/result.h"

/* rows: of one variant and problem, one for each run, in order; count >= 1. *ret_row is overwritten
 * and owns what the function moves out of the rows; the caller finishes the rows.
 *
 * Skipped runs are left out, unless all are skipped. If another run is not ok, *ret_row is the row
 * of the worst run, without times. Else it is the row of the run with the middle median (the lower
 * one for an even count), and:
 *   repetitions       the times of all runs, and their interval
 *   timing.flags      the warnings of all runs; `noisy` is about the interval over the runs
 *   step, claim       geometric means over the runs, if all runs timed them in turn
 *
 * device: for the floor of noise; NULL = unknown. */
enum pmpp_status repetitions_merge(struct result_row *rows, size_t count,
	const struct device_record *device, struct result_row *ret_row, struct pmpp_error *error);

#endif
