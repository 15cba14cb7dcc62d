/*
 * --require: the conditions of `try` and `explain` (common/require.h). They are read before anything runs, and
 * decided from the explanations and times of the jobs of the command.
 */
#ifndef PMPP_HOST_CLI_REQUIREMENTS_H
#define PMPP_HOST_CLI_REQUIREMENTS_H

#include "common/require.h"
#include "host/cli/command_job.h"

struct requirements {
	struct require_list list;
	struct explain_document rungs; /* of floor(RUNG); owned */
};

/* What is judged. Nothing is owned. */
struct judged_kernel {
	const struct explain_document *explained;
	const struct result_document *rows; /* of `verify` and `run`; NULL = none */
	enum record_truth correct;
	const struct mistake *mistake; /* of a wrong kernel; NULL = unknown */
	const char *variant;           /* try: name of the kernel; NULL = explain */
	const char *not_timed;         /* the reason if there are no times */
};

/* Reads the conditions of --require, and of the comments of a source (NULL: none). PMPP_USAGE: require_add(), or a
 * file that cannot be read. requirements_finish() in all cases. */
enum pmpp_status requirements_begin(const struct cli_options *options, const struct family *family,
	const char *source, struct requirements *ret_requirements, struct pmpp_error *error);

/* Explains the variants of floor(RUNG) with these options, decides and prints the conditions. *exit_code becomes
 * the worse code: 3 if `correct` or `no defects` fails, 4 if another condition fails. */
enum pmpp_status requirements_end(struct requirements *requirements,
	const struct judged_kernel *judged, const struct cli_options *options,
	const struct family *family, int *exit_code, struct pmpp_error *error);
/* The conditions of --require on a kernel file that cannot be read: prints that none holds, and why. *exit_code becomes
 * that of a kernel that does not compile. Does nothing if there are none, or if they cannot be read. */
void requirements_refuse(const struct cli_options *options, const char *reason, int *exit_code);
/* Also after a failure of requirements_begin(), and for a struct that is 0. */
void requirements_finish(struct requirements *requirements);

#endif
