/* Exit codes: docs of --help, one table. */
#ifndef PMPP_HOST_CLI_EXIT_CODE_H
#define PMPP_HOST_CLI_EXIT_CODE_H

#include "common/status.h"

enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_USAGE = 1,
	EXIT_CODE_UNAVAILABLE = 2,
	EXIT_CODE_FAILED = 3, /* verification */
	EXIT_CODE_BROKEN = 5, /* build or launch error, timeout, crash */
	EXIT_CODE_ALL_SKIPPED = 77,
	EXIT_CODE_INTERRUPTED = 130
};

/* Of an error that ended a command. */
enum exit_code exit_code_of(enum pmpp_status status);

#endif
