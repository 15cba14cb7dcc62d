/*
 * The receiver of the events of a job (host/record/event.h): the collector, or the pipe to it.
 */
#ifndef PMPP_HOST_RUN_EVENT_SINK_H
#define PMPP_HOST_RUN_EVENT_SINK_H

#include "host/record/event.h"

struct event_sink {
	/* The caller owns the event; the function may move records out of it. */
	void (*emit)(void *context, struct event *event);
	/* Several times a second while a worker is busy. */
	void (*tick)(void *context);
	/* After each run of a repeated job, also after the last one: the groups and the merged rows
	 * of the runs so far, as emit() gets them at the end of the job. NULL = not used. */
	void (*interim)(void *context, struct event *events, size_t count);
	void *context;
};

#endif
