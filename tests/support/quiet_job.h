/* A quiet job whose events a test makes: a collector without workers. The struct is private in its file. */
#ifndef PMPP_TESTS_SUPPORT_QUIET_JOB_H
#define PMPP_TESTS_SUPPORT_QUIET_JOB_H

#include "host/run/collector.c"

struct quiet_job {
	struct job_options options;
	struct job job;
	struct collector collector;
};

/* The caller finishes the collector with collector_finish(). */
static inline void quiet_job_begin(struct quiet_job *job, enum job_action action)
{
	static char name[] = "pmpp-run";
	static char *arguments[] = {name, NULL};

	*job = (struct quiet_job){.options.suite.math = GPU_MATH_DEFAULT,
		.job = {.action = action, .options = &job->options}};
	collector_init(&job->collector,
		&(struct collector_options){
			.job = &job->job, .argc = 1, .argv = arguments, .terminal.quiet = true});
}

/* Gives the event of one task to the collector. Finishes the event. */
static inline void quiet_job_emit(struct quiet_job *job, struct event *event)
{
	struct event_sink sink = collector_sink(&job->collector);

	event->task = 0;
	sink.emit(sink.context, event);
	record_finish(&event_type, event);
}

/* collector_finish(), for FINISHED. */
static inline void quiet_job_end(struct quiet_job *job)
{
	collector_finish(&job->collector);
}

#endif
