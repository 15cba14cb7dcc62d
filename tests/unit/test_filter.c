/* Programs as filters. */
#include "host/io/filter.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *const cat[] = {"cat", NULL};

static enum pmpp_status run_shell(const char *command, const char *input, double timeout_s,
	struct filter_result *ret_result, struct pmpp_error *error)
{
	const char *const arguments[] = {"sh", "-c", command, NULL};

	return filter_run(
		arguments, "PMPP_FILTER", input, strlen(input), timeout_s, ret_result, error);
}

/* 5 MB is more than the buffers of a pipe and a socket, so the filter must read and write at the
 * same time. */
static void passes_text(const void *context)
{
	static const size_t sizes[] = {0, 1, 5000000};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result;

	(void)context;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *text = calloc(sizes[i] + 1, 1);
		assert_non_null(text);
		memset(text, 'x', sizes[i]);
		test_ok(filter_run(cat, NULL, text, sizes[i], 60, &result, &error), &error);
		assert_int_equal(result.length, sizes[i]);
		assert_string_equal(result.output, text);
		assert_string_equal(result.messages, "");
		filter_result_finish(&result);
		free(text);
	}
}

static void cleans_messages(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result;

	(void)context;
	test_ok(run_shell("printf 'a\\033b' >&2; echo out", "", 60, &result, &error), &error);
	assert_string_equal(result.messages, "a\\x1bb");
	assert_string_equal(result.output, "out\n");
	filter_result_finish(&result);
}

static void sets_environment(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result;

	(void)context;
	setenv("PMPP_FILTER_X", "1", 1);
	setenv("PMPP_KEPT", "2", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	test_ok(run_shell("echo \"$PMPP_FILTER_X $PMPP_KEPT $LC_ALL\"", "", 60, &result, &error),
		&error);
	assert_string_equal(result.output, " 2 C\n");
	filter_result_finish(&result);
	unsetenv("PMPP_FILTER_X");
	unsetenv("PMPP_KEPT");
	unsetenv("LC_ALL");
}

struct failure {
	const char *name, *command;
	double timeout_s;
	enum pmpp_status status;
	const char *part;
};

static const struct failure failures[] = {
	{"an exit code", "echo bad >&2; exit 3", 60, PMPP_IO, "sh: it ended with exit code 3: bad"},
	{"a signal", "kill -9 $$", 60, PMPP_IO, "signal 9"},
	{"a program that hangs", "exec sleep 600", 0.2, PMPP_TIMEOUT, "did not end in time"},
	{"a program that closes its outputs and hangs", "exec sleep 600 >&- 2>&-", 0.2,
		PMPP_TIMEOUT, "did not end in time"},
	{"too much output", "exec yes", 60, PMPP_IO, "more than 64 MB"},
};

static void fails(const void *context)
{
	const struct failure *row = context;
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result = {0};

	test_refused(run_shell(row->command, "", row->timeout_s, &result, &error), row->status,
		&error, row->part);
	assert_null(result.output);
}

/* The program ends without reading: no SIGPIPE here. */
static void ignores_input(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result;
	char *text = calloc(5000001, 1);

	(void)context;
	assert_non_null(text);
	memset(text, 'x', 5000000);
	test_ok(run_shell("exec true", text, 60, &result, &error), &error);
	filter_result_finish(&result);
	free(text);
}

static void no_program(const void *context)
{
	static const char *const arguments[] = {"pmpp-no-such-program", NULL};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result;

	(void)context;
	test_refused(filter_run(arguments, NULL, "", 0, 60, &result, &error), PMPP_UNAVAILABLE,
		&error, "pmpp-no-such-program");
}

/* Signals that this process ignores still end the program. */
static void resets_signals(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result;

	(void)context;
	signal(SIGTERM, SIG_IGN);
	test_refused(run_shell("kill -TERM $$; echo survived", "", 60, &result, &error), PMPP_IO,
		&error, "signal 15");
	signal(SIGTERM, SIG_DFL);
}

/* A parent can start this process with SIGCHLD ignored: then there is no exit code to wait for. */
static void ignores_children(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct filter_result result;

	(void)context;
	signal(SIGCHLD, SIG_IGN);
	enum pmpp_status status = filter_run(cat, NULL, "text", 4, 60, &result, &error);
	signal(SIGCHLD, SIG_DFL);
	test_ok(status, &error);
	assert_string_equal(result.output, "text");
	filter_result_finish(&result);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, passes_text, NULL, "text in and out");
	test_add(&list, cleans_messages, NULL, "messages are clean");
	test_add(&list, sets_environment, NULL, "environment");
	test_add(&list, ignores_input, NULL, "a program that does not read");
	test_add(&list, no_program, NULL, "no such program");
	test_add(&list, resets_signals, NULL, "ignored signals");
	test_add(&list, ignores_children, NULL, "SIGCHLD is ignored");
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		test_add(&list, fails, &failures[i], "fails: %s", failures[i].name);
	return test_run(&list, argc, argv);
}
