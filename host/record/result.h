/*
 * Results: one row for each variant that ran, one row for each variant that was compared on two
 * backends, and their file (schema pmpp-result/1). result.def gives units and meanings;
 * docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_RESULT_H
#define PMPP_HOST_RECORD_RESULT_H

#include "common/model/claim.h"
#include "common/model/floor.h"
#include "common/model/mistake.h"
#include "common/model/outcome.h"
#include "common/model/parity.h"
#include "common/model/trace.h"
#include "common/operations.h"
#include "host/record/measurement.h"

#include <stdio.h>

/* ---- Parts of a row ------------------------------------------------------------------------ */

#define RECORDS "host/record/result.def"
#include "common/records.inc"

/* Convert between struct pmpp_error and its record. All members are kept. The record becomes
 * present. An older error in ret_error is replaced. */
void error_record_set(struct error_record *record, const struct pmpp_error *error);
void error_record_get(const struct error_record *record, struct pmpp_error *ret_error);

/* Returns the verdict; CLAIM_NOT_APPLICABLE for a word of a newer version. */
enum claim_verdict claim_record_verdict(const struct claim_record *claim);

/* Returns the peer with the smallest ratio: the fastest. NULL if no ratio is known. */
const struct peer_record *peer_list_fastest(const struct peer_list *list);

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Ends a row whose variant has no result: sets the status and the reason, and marks the keys of a
 * variant that ran (launches, build, ... peer, derived) as absent. */
void result_row_end(struct result_row *row, enum outcome_status status, const char *reason);

/* Comparisons with other rows: step, step_ci95, step_paired, total, claim and peers.
 * result_row_drop_comparisons() makes them unknown and marks their keys as absent.
 * result_row_keep_comparisons() marks the keys as part of the row. */
void result_row_drop_comparisons(struct result_row *row);
void result_row_keep_comparisons(struct result_row *row);

/* Writes the name of a row, such as "vecadd/fine (cuda, n=5)", and a text after it. */
void result_row_put_name(const struct result_row *row, FILE *out, const char *after);

/* Returns true if the problem does not fit in memory (PMPP_TOO_LARGE). */
bool result_row_is_too_large(const struct result_row *row);

/* The next five functions accept the rows of any file that record_read() reads. Impossible figures
 * are unknown: a time of 0 or less, a descending interval, a negative width. If `primary` is a word
 * of a newer version, all figures of the row are unknown. */

/* Returns the median of the primary samples in ns, finite and above 0; NaN: unknown, or no
 * samples. */
double result_row_median_ns(const struct result_row *row);

/* Class of the row's status; OUTCOME_CLASS_UNVERIFIED for an unknown status. */
enum outcome_class result_row_class(const struct result_row *row);

/* Returns the bits of enum timing_flag of a row; 0: it has no time. Without `throttled` if other programs
 * used the CPU: nearly all rows would have it, and device_state_load_text() says why. */
unsigned result_row_flags(const struct result_row *row);

/* Gets the medians of all runs (--repeat), or of the only run, in ns. Each is finite and above 0.
 * Returns their number: 0 if the row is not timed or if there is no memory. *ret_medians is
 * malloc'ed; NULL if the number is 0. */
size_t result_row_medians(const struct result_row *row, double **ret_medians);

/* Gets the 95 % interval in ns of the median, or of the time over several runs. The ends are
 * ascending, finite and above 0; both NaN: unknown. */
void result_row_interval_ns(const struct result_row *row, double ret_interval[2]);

/* Returns the half-width of this interval / median. For a row without an interval it is the notch. Finite
 * and at least 0; NaN: unknown. */
double result_row_half_width(const struct result_row *row);

/* Returns the half-width of one run: of the middle run, if there are several. NaN: unknown. */
double result_row_run_half_width(const struct result_row *row);

/* ---- Files --------------------------------------------------------------------------------- */

#define RESULT_SCHEMA "pmpp-result/1"

/* Adds a copy of the device. If the document has the device already (same key), adds its views. */
enum pmpp_status result_document_add_device(struct result_document *document,
	const struct device_record *device, struct pmpp_error *error);

/* Returns the result row of a side of a parity row, 0 or 1; NULL: the file does not have it. */
const struct result_row *parity_side_row(
	const struct result_document *document, const struct parity_row *parity, size_t side);

#endif
