/*
 * A program as a filter: a text on its stdin, the text of its stdout. No shell, no temporary files.
 */
#ifndef PMPP_HOST_IO_FILTER_H
#define PMPP_HOST_IO_FILTER_H

#include "common/status.h"

#include <stddef.h>

/* Limit of a program's stdout, and of its stderr, in bytes. */
#define FILTER_MAX_BYTES 64000000

struct filter_result {
	char *output; /* stdout, ended by a zero */
	size_t length;
	char *messages; /* stderr, clean (common/clean_text.h), ended by a zero */
};

/* Runs arguments[0], found in PATH, with the environment of this process in the C locale. Variables
 * whose name begins with `without` (NULL: none) are removed. Waits until the program ends.
 *
 * PMPP_UNAVAILABLE: the program is not in PATH. PMPP_TIMEOUT: it ran longer than timeout_s, and was
 * killed. PMPP_IO: it has an exit code other than 0, was ended by a signal, or wrote more than
 * FILTER_MAX_BYTES; the message has the first line of its stderr. PMPP_OUT_OF_MEMORY.
 * If this process ignores SIGCHLD, exit codes are unknown and count as 0: check the output. */
enum pmpp_status filter_run(const char *const arguments[], const char *without, const char *input,
	size_t length, double timeout_s, struct filter_result *ret_result,
	struct pmpp_error *error);

void filter_result_finish(struct filter_result *result);

#endif
