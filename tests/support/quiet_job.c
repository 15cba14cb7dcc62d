#include "tests/support/quiet_job.h"

void quiet_job_begin(struct quiet_job *job, enum job_action action)
{
	static char name[] = "pmpp-run";
	static char *arguments[] = {name, NULL};

	*job = (struct quiet_job){.options.suite.math = GPU_MATH_DEFAULT,
		.job = {.action = action, .options = &job->options}};
	collector_init(&job->collector,
		&(struct collector_options){
			.job = &job->job, .argc = 1, .argv = arguments, .terminal.quiet = true});
}

void quiet_job_emit(struct quiet_job *job, struct event *event)
{
	struct event_sink sink = collector_sink(&job->collector);

	event->task = 0;
	sink.emit(sink.context, event);
	record_finish(&event_type, event);
}

void quiet_job_end(struct quiet_job *job)
{
	collector_finish(&job->collector);
}
