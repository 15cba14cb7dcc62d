/*
 * Saves the rows of a job to the store as soon as they are finished (--save). The store is open
 * only while rows are added, because workers are forked in between. A saver that is NULL or all
 * zeros saves nothing.
 */
#ifndef PMPP_HOST_RUN_SAVER_H
#define PMPP_HOST_RUN_SAVER_H

#include "host/record/store.h"
#include "host/report/terminal.h"

struct saver {
	bool active;
	char path[STORE_PATH_BYTES];
	struct store_rest rest; /* the first rows that are not in the store yet */
	bool replaces;          /* saver_interim() was called: rows of the run are replaced */
	size_t interim_rows;    /* rows that saver_interim() has saved last */
	bool warned, noted;
};

/* Checks that the store can be written, and makes it if it is missing. */
enum pmpp_status saver_init(struct saver *ret_saver, struct pmpp_error *error);

/* Saves the new rows of the document. If this fails, prints the first reason as a warning; the next
 * call tries again. Waits up to 5 s for other processes. */
void saver_add(
	struct saver *saver, const struct result_document *document, struct terminal *terminal);

/* Saves the rows of a job that is repeated: document has all rows, merged from the runs so far.
 * They replace those of the last call. Errors are as in saver_add(), which has no effect from now
 * on. */
void saver_interim(
	struct saver *saver, const struct result_document *document, struct terminal *terminal);

/* Saves the remaining rows (after saver_interim(): all rows), and waits up to STORE_WAIT_MS for
 * other processes. The error has the number of rows that are not in the store, or that have an
 * earlier state there. */
enum pmpp_status saver_end(
	struct saver *saver, const struct result_document *document, struct pmpp_error *error);

#endif
