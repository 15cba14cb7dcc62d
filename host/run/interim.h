/*
 * Keeps the rows of a repeated job after each run, so that a kill loses only the run in progress.
 */
#ifndef PMPP_HOST_RUN_INTERIM_H
#define PMPP_HOST_RUN_INTERIM_H

#include "host/record/event.h"
#include "host/run/saver.h"

/* Saves the rows of the events (host/run/event_sink.h) to the store and to the file of --json. The
 * rows move out of the events.
 *
 * head: the document; its own rows are not used. json: the file; NULL = none. It is written only if
 * it is a regular file or does not exist, because a pipe would get several documents. An error is
 * printed as a warning: the outputs are written again at the end of the job. */
void interim_save(const struct result_document *head, struct event *events, size_t count,
	struct saver *saver, const char *json, struct terminal *terminal);

#endif
