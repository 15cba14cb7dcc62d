#include "host/cli/command_job.h"

#include <string.h>

#include "host/run/collector.h"
#include "host/run/repeat.h"
#include "host/run/stop.h"

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Finished rows are kept even if the job ended early. */
static enum pmpp_status keep_results(struct collector *collector, enum pmpp_status status,
	int *ret_exit, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;

	*ret_exit = collector_exit_code(collector);
	if (status == PMPP_OK)
		return collector_write_outputs(collector, error);
	if (status == PMPP_INTERRUPTED || collector_has_results(collector)) {
		enum pmpp_status written = collector_write_outputs(collector, &other);
		if (status == PMPP_INTERRUPTED && written != PMPP_OK) {
			pmpp_error_move(error, &other);
			status = written;
		} else if (written != PMPP_OK) {
			terminal_warn(&collector->console.terminal, other.message);
		}
	}
	pmpp_error_clear(&other);
	return status;
}

enum pmpp_status command_job(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	struct job_options job_options = options->job;
	struct job job = {0};
	struct collector_options collecting = {.job = &job,
		.argc = options->argc,
		.argv = options->argv,
		.terminal = options->terminal,
		.outputs = {options->json, options->csv, options->markdown}};
	struct collector collector;

	job_options.words = options->arguments;
	job_options.word_count = options->argument_count;
	job_options.cc = options->model.cc;
	collecting.terminal.stdout_taken =
		is_stdout(options->json) || is_stdout(options->csv) || is_stdout(options->markdown);
	enum pmpp_status status = job_prepare(action, &job_options, &job, error);
	if (status == PMPP_OK)
		status = collector_check_outputs(&collecting.outputs, job.output_path, error);
	if (status != PMPP_OK) {
		job_finish(&job);
		return status;
	}
	collector_init(&collector, &collecting);
	const struct event_sink sink = collector_sink(&collector);
	stop_begin();
	status = repeat_run(&job, &sink, error);
	collector_close(&collector);
	status = keep_results(&collector, status, ret_exit, error);
	stop_end();
	collector_finish(&collector);
	job_finish(&job);
	return status;
}
