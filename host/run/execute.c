#include "host/run/execute.h"

#include <stdlib.h>

#include "host/run/explain_job.h"
#include "host/run/ladders.h"
#include "host/run/selftest_job.h"

/* Before the first driver call: drivers read these variables when they create devices. */
static void set_environment(const struct job *job)
{
	if (job->engine->set_environment)
		job->engine->set_environment(job->engine_state, job->options->shard_count > 1);
	/* Programs with a mistake must not fill the user's caches. */
	if (job->action == JOB_SELFTEST && getenv("TMPDIR"))
		setenv("XDG_CACHE_HOME", getenv("TMPDIR"), 1);
	suite_set_environment();
}

static enum pmpp_status (*const actions[])(struct runner *runner) = {
	[JOB_RUN] = ladders_on_devices,
	[JOB_VERIFY] = ladders_on_devices,
	[JOB_PARITY] = ladders_on_pair,
	[JOB_ROOFLINE] = ladders_on_devices,
	[JOB_EXPLAIN] = explain_job,
	[JOB_SELFTEST] = selftest_job,
};

enum pmpp_status job_execute(const struct job *job, const struct job_progress *progress,
	const struct event_sink *sink, struct pmpp_error *error)
{
	struct runner runner = {.job = job, .sink = sink, .error = error, .progress = progress};
	unsigned backends = 0;
	enum pmpp_status status;

	set_environment(job);
	runner_begin_kernel_text(&runner);
	runner_emit_progress(&runner, "looking for devices");
	status = device_query_backends(&job->query, &backends, error);
	if (job->action == JOB_PARITY) /* --backend names one of the two sides */
		backends = EVERY_BACKEND;
	if (status == PMPP_OK)
		status = inventory_take(backends, &runner.inventory, error);
	if (status == PMPP_OK)
		status = actions[job->action](&runner);
	inventory_finish(&runner.inventory);
	if (status == PMPP_OK) {
		struct event done = runner_event(EVENT_DONE, -1, NULL);
		runner_emit(&runner, &done);
	}
	runner_end_kernel_text(&runner);
	return status;
}
