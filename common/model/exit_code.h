/*
 * Exit codes of the program, as --help lists them.
 */
#ifndef PMPP_COMMON_MODEL_EXIT_CODE_H
#define PMPP_COMMON_MODEL_EXIT_CODE_H

#include "common/model/outcome.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_USAGE = 1,
	EXIT_CODE_UNAVAILABLE = 2,
	EXIT_CODE_FAILED = 3,     /* verification */
	EXIT_CODE_REGRESSION = 4, /* confirmed, with --fail-on; a straggler, with --fleet */
	EXIT_CODE_BROKEN = 5,     /* build or launch error, timeout, crash */
	EXIT_CODE_ALL_SKIPPED = 77,
	EXIT_CODE_INTERRUPTED = 130,
	EXIT_CODE_CLOSED_PIPE = 141 /* 128 + SIGPIPE, as in a shell */
};

/* The findings of a command that was not interrupted. */
struct exit_counts {
	size_t of_class[OUTCOME_CLASS_COUNT]; /* rows, or findings of `explain` */
	size_t misfits;                       /* sizes that fitted on no device */
	bool needs_rows;                      /* at least one variant must be verified */
	size_t lost_devices;                  /* devices that the job continued without */
};

/* The first that applies: 3 for a failed row, 5 for a broken row or a lost device, 1 for a size
 * that fits on no device, 77 if a variant must be verified and none was verified; else 0. */
enum exit_code exit_code_of_counts(const struct exit_counts *counts);

/* Returns the exit code of a command that ends with an error after findings with the code `found`.
 * Errors do not hide a `found` of 3 or 5, except PMPP_INTERRUPTED (130). Otherwise the code is that
 * of the error. */
enum exit_code exit_code_with_error(enum exit_code found, enum pmpp_status status);

/* The worse of the exit codes of two commands. The order, worst first: 130, 141, 3, 5, 4, 2, 1, 0,
 * 77. Therefore the result is 77 only if both commands skipped everything. An unknown code counts
 * as 5. */
enum exit_code exit_code_worst(enum exit_code a, enum exit_code b);

#endif
