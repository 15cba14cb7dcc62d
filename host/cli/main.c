/* pmpp-run: the only place that ends the process. */
#include "common/clean_text.h"
#include "common/family.h"
#include "common/model/exit_code.h"
#include "host/cli/help.h"
#include "host/io/cache_file.h"
#include "host/record/provenance.h"
#include "host/report/terminal.h"
#include "host/run/stop.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Keeps the numbers of a closed stdin, stdout or stderr in use, so that reads and writes fail.
 * Otherwise the first opened files get these numbers, and messages go into these files. */
static void hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* The reader of stdout or stderr closed the pipe. A job replaces this handler (stop_begin()), because
 * it first writes its finished rows. */
static void end_with_pipe(int number)
{
	(void)number;
	_exit(EXIT_CODE_CLOSED_PIPE);
}

/* Drivers, compilers and threads overflow a stack of 128 KiB. */
#define MIN_STACK_BYTES ((rlim_t)512 << 10)

static enum pmpp_status check_stack(struct pmpp_error *error)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= MIN_STACK_BYTES)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"the stack limit is %llu KiB, but at least %llu KiB are needed: run ulimit -s 8192",
		(unsigned long long)limit.rlim_cur >> 10,
		(unsigned long long)MIN_STACK_BYTES >> 10);
}

static void print_error(const struct pmpp_error *error, bool verbose)
{
	char details[PMPP_ERROR_DETAILS_BYTES];

	fflush(stdout);
	terminal_print(stderr, "pmpp-run: %s\n", error->message);
	if (verbose)
		terminal_print(stderr, "    %s\n", pmpp_error_details(error, details));
	char *log =
		error->log ? clean_text_copy(error->log, strlen(error->log), CLEAN_LINES) : NULL;
	if (log)
		fprintf(stderr, "%s\n", log);
	free(log);
}

static enum pmpp_status check_families(struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t f = 0; f < family_count && status == PMPP_OK; f++)
		status = family_check(families[f], error);
	return status;
}

int main(int argc, char **argv)
{
	struct cli_options options;
	char problem[CACHE_TEXT_BYTES];
	struct pmpp_error error = PMPP_ERROR_INIT;
	int exit_code = EXIT_CODE_OK;

	hold_standard_descriptors();
	/* A write beyond the limit on file sizes (ulimit -f) is an error; it must not end the
	 * process. */
	signal(SIGXFSZ, SIG_IGN);
	/* Also if the caller ignores SIGPIPE: the exit code does not depend on the caller. */
	signal(SIGPIPE, end_with_pipe);
	enum pmpp_status status = cli_options_parse(argc, argv, &options, &error);
	if (status == PMPP_OK && options.help)
		cli_help(&options, stdout);
	else if (status == PMPP_OK && options.version)
		puts(tool_version_text());
	else if (status == PMPP_OK)
		status = check_families(&error);
	if (status == PMPP_OK && !options.help && !options.version)
		status = check_stack(&error);
	if (status == PMPP_OK && !options.help && !options.version)
		status = options.command->run(&options, &exit_code, &error);
	/* Commands without a worker use the cache in this process. */
	if (!options.terminal.quiet && cache_file_problem(problem))
		terminal_print(stderr, "note: the cache is not used: %s\n", problem);
	if (status != PMPP_OK) {
		/* A closed pipe is the reader's choice: no message. */
		if (status != PMPP_INTERRUPTED || stop_signal != SIGPIPE)
			print_error(&error, options.terminal.verbose);
		exit_code = exit_code_with_error((enum exit_code)exit_code, status);
	}
	bool is_lost = fflush(stdout) != 0 || ferror(stdout);
	if (stop_signal == SIGPIPE) {
		exit_code = EXIT_CODE_CLOSED_PIPE;
	} else if (is_lost && !stop_signal) { /* Ctrl-C also ends the reader of the pipe */
		fputs("pmpp-run: stdout cannot be written\n", stderr);
		exit_code = exit_code_worst((enum exit_code)exit_code, EXIT_CODE_BROKEN);
	}
	pmpp_error_clear(&error);
	sizes_finish(&options.job.sizes);
	return exit_code;
}
