/*
 * A command that runs a job: prepares it, runs it, shows it, writes its files.
 */
#ifndef PMPP_HOST_CLI_COMMAND_JOB_H
#define PMPP_HOST_CLI_COMMAND_JOB_H

#include "host/cli/cli_options.h"
#include "host/cli/own_files.h"
#include "host/run/collector.h"

/* A task must not be moved. command_task_finish() is called in all cases. */
struct command_task {
	const struct cli_options *command_line; /* not owned */
	struct job_options options;
	struct like_list like; /* of --like */
	struct own_files files;
	const char *words[CLI_MAX_WORDS];                /* the arguments that are not files */
	const struct own_kernel *kernels[CLI_MAX_WORDS]; /* of the files */
	struct job job;
	struct collector_options collecting;
};

enum pmpp_status command_task_prepare(enum job_action action, const struct cli_options *options,
	struct command_task *task, struct pmpp_error *error);

/* ret_document: an initialised record for the results, or NULL. */
enum pmpp_status command_task_run(struct command_task *task, struct result_document *ret_document,
	int *ret_exit, struct pmpp_error *error);

struct result_files;

/* PMPP_USAGE if the file of --report cannot be written, or is another output. */
enum pmpp_status command_check_page(
	const struct cli_options *options, const struct job *job, struct pmpp_error *error);

/* Writes the page of --report: explanations, and rows unless they are NULL. Both are moved. name: of the rows. */
enum pmpp_status command_write_explained(const struct cli_options *options,
	struct explain_document *explained, const char *name, struct result_document *rows,
	struct pmpp_error *error);

void command_task_finish(struct command_task *task);

#endif
