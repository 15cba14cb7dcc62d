/*
 * Keeps the rows of a repeated job between its runs, so that a kill loses only the last runs.
 */
#ifndef PMPP_HOST_RUN_INTERIM_H
#define PMPP_HOST_RUN_INTERIM_H

#include "host/run/event_sink.h"
#include "host/run/saver.h"

/* Saves the rows of the events to the store and to the file of --json. The rows move out of the
 * events.
 *
 * head: the document; its own rows are not used. json: the file; NULL = none. It is written only if
 * it is a regular file or does not exist, because a pipe would get several documents. An error is
 * printed as a warning: the outputs are written again at the end of the job.
 *
 * After the first run, prints a warning if the file with the times of all runs will probably exceed
 * DOCUMENT_MAX_BYTES, the limit of the reader. */
void interim_save(const struct result_document *head, const struct interim_events *interim,
	struct saver *saver, const char *json, struct terminal *terminal);

/* The size of the file of --json after all runs, in bytes, estimated from the document of the first
 * run: each run adds its times to each timed row. 0 for lack of memory. The document has no
 * repetitions; the function changes it and restores it. */
double interim_expected_bytes(struct result_document *document, size_t run_count);

#endif
