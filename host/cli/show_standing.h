/*
 * The place of a device among the shipped devices, printed after the tables of `run`.
 */
#ifndef PMPP_HOST_CLI_SHOW_STANDING_H
#define PMPP_HOST_CLI_SHOW_STANDING_H

#include "host/cli/cli_options.h"
#include "host/record/result.h"

/* A job_results_fn (command_job.h) that never fails: a file that cannot be used is a note on
 * stderr. Prints nothing if quiet, if data go to stdout, or if no shipped device has one of the
 * problems. */
enum pmpp_status show_standing(const struct cli_options *options, struct result_document *document,
	struct pmpp_error *error);

#endif
