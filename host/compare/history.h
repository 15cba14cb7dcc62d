/*
 * Stored results of one variant, sorted into series, and the changes of each series.
 */
#ifndef PMPP_HOST_COMPARE_HISTORY_H
#define PMPP_HOST_COMPARE_HISTORY_H

#include "host/record/history.h"

/* Makes an empty history. */
void history_init(struct history_document *ret_history, const char *family, const char *variant);

/* Adds the result rows of a document. Documents come in order of time. A row joins the series of
 * the same backend, device, element type, operation, data, problem, macros, math and timing
 * contract. device_identity() identifies devices, so an update of the driver does not begin a new
 * series. A row that was not built or not timed joins the first series with the same other values.
 */
enum pmpp_status history_add(struct history_document *history,
	const struct result_document *document, struct pmpp_error *error);

/* Finds the changes of all series. Only points with status ok and a median count. */
enum pmpp_status history_find_changes(struct history_document *history, struct pmpp_error *error);

#endif
