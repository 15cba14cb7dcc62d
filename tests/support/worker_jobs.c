#include "tests/support/worker_jobs.h"

#include "tests/support/test.h"

void worker_job_begin(struct worker_job *job, enum job_action action, const char *size,
	const struct job_options *options)
{
	*job = (struct worker_job){.options = *options, .may_skip = !options->backend};
	if (job->may_skip)
		job->options.backend = "cuda-emu";
	if (options->timeout_s <= 0)
		job->options.timeout_s = 120;
	job->options.shard_index = job->options.shard_count = 1;
	if (size)
		test_ok(sizes_parse(size, &job->sizes, &test_error));
	job->options.sizes = job->sizes;
	test_ok(job_prepare(action, &job->options, &job->job, &test_error));
	job->engine = *job->job.engine;
	job->job.engine = &job->engine;
}

static void tick(void *context)
{
	(void)context;
}

enum pmpp_status worker_job_run(
	struct worker_job *job, void (*emit)(void *context, struct event *event), void *context)
{
	const struct event_sink sink = {.emit = emit, .tick = tick, .context = context};
	enum pmpp_status status = worker_run(&job->job, &sink, &test_error);

	job_finish(&job->job);
	sizes_finish(&job->sizes);
	if (status == PMPP_UNAVAILABLE && job->may_skip)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, test_error.message);
	return status;
}
