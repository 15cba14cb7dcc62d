/*
 * A command that runs a job: prepares it, runs it, shows it, writes its files.
 */
#ifndef PMPP_HOST_CLI_COMMAND_JOB_H
#define PMPP_HOST_CLI_COMMAND_JOB_H

#include "host/cli/cli_options.h"
#include "host/run/job.h"

enum pmpp_status command_job(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error);

/* Uses the results of a job before they are written. */
typedef enum pmpp_status job_results_fn(const struct cli_options *options,
	struct result_document *document, struct pmpp_error *error);

/* The same for JOB_RUN with a number of repetitions of its own, without tables. If the job is
 * complete, `use` gets its results. */
enum pmpp_status command_job_repeated(size_t repetitions, job_results_fn *use,
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error);

#endif
