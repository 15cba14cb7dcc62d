#include "host/cli/command_job.h"

#include <stdlib.h>
#include <string.h>

#include "host/cli/result_files.h"
#include "host/cli/stored.h"

/* Sets the problems of --like, of the chosen families. */
static enum pmpp_status load_like(
	const struct cli_options *options, struct command_task *task, struct pmpp_error *error)
{
	struct result_files files = {0};
	enum pmpp_status status = PMPP_OK;

	if (options->job.sizes.count || options->job.in.count ||
		options->job.choices.of[CHOICE_DTYPE] || options->job.choices.of[CHOICE_OP] ||
		options->job.choices.of[CHOICE_DATA])
		return PMPP_FAIL(error, PMPP_USAGE,
			"--like has the sizes and types of its file: leave out --size, --dtype, --op, "
			"--data and --in");
	status = result_files_load_like(options->like, &files, error);
	for (size_t i = 0; i < files.count && status == PMPP_OK; i++)
		if (!like_add(&task->like, &files.items[i].document.results))
			status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for --like");
	result_files_finish(&files);
	task->options.like = &task->like;
	return status;
}

/* The file of --like must have a chosen family. */
static enum pmpp_status check_like(
	const char *like, const struct job *job, struct pmpp_error *error)
{
	for (size_t t = 0; t < job->targets.count; t++)
		if (like_of(job->options->like, job->targets.items[t].family, 0))
			return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"--like=%s has no timed row of the chosen families: choose others", like);
}

enum pmpp_status command_task_prepare(enum job_action action, const struct cli_options *options,
	struct command_task *task, struct pmpp_error *error)
{
	*task = (struct command_task){.command_line = options,
		.options = options->job,
		.collecting = {.job = &task->job,
			.argc = options->argc,
			.argv = options->argv,
			.terminal = options->terminal,
			.outputs = {options->json, options->csv, options->markdown},
			.label = options->label,
			.saver = &task->saver}};
	task->options.words = options->arguments;
	task->options.word_count = options->argument_count;
	task->options.cc = options->model.cc;
	enum pmpp_status status = options->like ? load_like(options, task, error) : PMPP_OK;
	if (status == PMPP_OK)
		status = job_prepare(action, &task->options, &task->job, error);
	if (status == PMPP_OK && options->like)
		status = check_like(options->like, &task->job, error);
	return status;
}

void command_task_finish(struct command_task *task)
{
	job_finish(&task->job);
	free(task->like.items);
}

enum pmpp_status command_task_run(struct command_task *task, struct result_document *ret_document,
	int *ret_exit, struct pmpp_error *error)
{
	const struct output_paths *outputs = &task->collecting.outputs;
	enum pmpp_status status = collector_check_outputs(outputs, task->job.output_path, error);

	for (size_t i = 0; i < 3 && status == PMPP_OK && task->command_line->save; i++)
		status = stored_check_output(
			(const char *const[]){outputs->json, outputs->csv, outputs->markdown}[i],
			error);
	if (status == PMPP_OK && task->command_line->save)
		status = saver_init(&task->saver, error);
	if (status != PMPP_OK)
		return status;
	return collector_run(&task->collecting, ret_document, ret_exit, error);
}
