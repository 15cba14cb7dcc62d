/*
 * The receiver of the events of a job (host/record/event.h): the collector, or the pipe to it.
 */
#ifndef PMPP_HOST_RUN_EVENT_SINK_H
#define PMPP_HOST_RUN_EVENT_SINK_H

#include "host/record/event.h"

/* The groups and the merged rows of a repeated job after a run. The events have the same form as
 * those that emit() gets at the end of the job. */
struct interim_events {
	struct event *events;
	size_t count;
};

struct event_sink {
	/* The caller owns the event; the function may move records out of it. */
	void (*emit)(void *context, struct event *event);
	/* Called several times per second while a worker is busy. */
	void (*tick)(void *context);
	/* Called after the first run of a repeated job, and after later runs if interim_is_due()
	 * (repeat.c). Not called after the last run. The function may move records out of
	 * the events. NULL = not used. */
	void (*interim)(void *context, const struct interim_events *interim);
	void *context;
};

/* Returns an initialised event of a kind. task: its number; -1: the event has no task. */
struct event event_new(enum event_kind kind, int64_t task, const char *label);

/* Sends an event, and finishes it. */
void event_emit(const struct event_sink *sink, struct event *event);

#endif
