/*
 * Stored results of one variant, sorted into series, and the changes of each series.
 */
#ifndef PMPP_HOST_COMPARE_HISTORY_H
#define PMPP_HOST_COMPARE_HISTORY_H

#include "host/record/history.h"

/* Initialises an empty history. */
void history_init(struct history_document *ret_history, const char *family, const char *variant);

/* Adds the result rows of a document. Call it in the order of the documents' times. A row joins the
 * series with the same backend, device, element type, operation, data, problem, macros, math and
 * timing contract. device_identity() identifies devices, so an update of the driver does not begin
 * a new series. In a row that was not built or not timed, some of these values are unknown. It
 * joins the first series that has its known values. */
enum pmpp_status history_add(struct history_document *history,
	const struct result_document *document, struct pmpp_error *error);

/* Finds the changes of all series. Uses only points with the status ok and a median. */
enum pmpp_status history_find_changes(struct history_document *history, struct pmpp_error *error);

#endif
