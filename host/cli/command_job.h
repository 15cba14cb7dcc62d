/*
 * A command that runs a job: prepares it, runs it, shows it, writes its files.
 */
#ifndef PMPP_HOST_CLI_COMMAND_JOB_H
#define PMPP_HOST_CLI_COMMAND_JOB_H

#include "host/cli/cli_options.h"
#include "host/run/collector.h"

/* Uses the results of a job before they are written. */
typedef enum pmpp_status job_results_fn(const struct cli_options *options,
	struct result_document *document, struct pmpp_error *error);

/* A task must not be moved. command_task_finish() is called in all cases. */
struct command_task {
	const struct cli_options *command_line; /* not owned */
	struct job_options options;
	struct like_list like; /* of --like */
	struct job job;
	struct saver saver; /* of --save */
	struct collector_options collecting;
	job_results_fn *use; /* of a complete job; NULL: only the tables show the results */
};

enum pmpp_status command_task_prepare(enum job_action action, const struct cli_options *options,
	struct command_task *task, struct pmpp_error *error);

/* ret_document: an initialised record for the results, or NULL. */
enum pmpp_status command_task_run(struct command_task *task, struct result_document *ret_document,
	int *ret_exit, struct pmpp_error *error);

void command_task_finish(struct command_task *task);

#endif
