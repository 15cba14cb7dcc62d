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

/* A job of a command. */
struct command_work {
	enum job_action action;
	size_t repetitions;
	job_results_fn *use; /* NULL: the tables show the results */
};

static enum pmpp_status run_work(const struct command_work *work, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	struct job_options job_options = options->job;
	struct job job = {0};
	struct saver saver = {0};
	struct collector_options collecting = {.job = &job,
		.argc = options->argc,
		.argv = options->argv,
		.terminal = options->terminal,
		.outputs = {options->json, options->csv, options->markdown},
		.label = options->label,
		.saver = &saver};
	struct collector collector;

	job_options.words = options->arguments;
	job_options.word_count = options->argument_count;
	job_options.cc = options->model.cc;
	job_options.repetitions = work->repetitions;
	collecting.terminal.no_tables = work->use != NULL;
	collecting.terminal.stdout_taken =
		is_stdout(options->json) || is_stdout(options->csv) || is_stdout(options->markdown);
	enum pmpp_status status = job_prepare(work->action, &job_options, &job, error);
	if (status == PMPP_OK)
		status = collector_check_outputs(&collecting.outputs, job.output_path, error);
	if (status == PMPP_OK && options->save)
		status = saver_init(&saver, error);
	if (status != PMPP_OK) {
		job_finish(&job);
		return status;
	}
	collector_init(&collector, &collecting);
	const struct event_sink sink = collector_sink(&collector);
	stop_begin();
	status = repeat_run(&job, &sink, error);
	collector_close(&collector);
	if (status == PMPP_OK && work->use)
		status = work->use(options, &collector.document, error);
	status = keep_results(&collector, status, ret_exit, error);
	stop_end();
	collector_finish(&collector);
	job_finish(&job);
	return status;
}

enum pmpp_status command_job(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	const struct command_work work = {
		.action = action, .repetitions = options->job.repetitions};

	return run_work(&work, options, ret_exit, error);
}

enum pmpp_status command_job_repeated(size_t repetitions, job_results_fn *use,
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const struct command_work work = {
		.action = JOB_RUN, .repetitions = repetitions, .use = use};

	return run_work(&work, options, ret_exit, error);
}
