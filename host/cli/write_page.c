#include "host/cli/write_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cmd.h"
#include "host/cli/result_files.h"
#include "host/cli/stored.h"
#include "host/io/atomic_file.h"
#include "host/page/page.h"
#include "host/record/document.h"
#include "host/report/terminal.h"

#define DEFAULT_OUTPUT "report.html"
#define BY_MODEL "model"

static void put_written(const char *output, bool replaces, size_t length)
{
	const char *verb = replaces ? "replaced " : "wrote ";
	bool to_stdout = strcmp(output, "-") == 0;

	terminal_print(stderr, "%s%s: %.2f MB\n", to_stdout ? "" : verb,
		to_stdout ? "stdout" : output, (double)length / 1e6);
}

enum pmpp_status write_page(const char *output, const struct cli_options *options,
	const struct result_files *files, struct pmpp_error *error)
{
	char *text = NULL;
	size_t length = 0;
	bool replaces = false;
	enum pmpp_status status = page_make(files, &text, &length, error);

	if (status == PMPP_OK) {
		replaces = document_replaces(output);
		status = document_save_text(output, text, error);
	}
	fflush(stdout);
	if (status == PMPP_OK && !options->terminal.quiet)
		put_written(output, replaces, length);
	free(text);
	return status;
}

/* ---- The command `report` -------------------------------------------------------------------- */

static enum pmpp_status check_input(const char *output, const char *input, struct pmpp_error *error)
{
	if (strcmp(output, "-") == 0 || !atomic_file_same(output, input))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s is an input and would be replaced: give another --output", output);
}

/* The page must not replace a file that it shows, or the store. */
static enum pmpp_status check_output(
	const char *output, const struct cli_options *options, struct pmpp_error *error)
{
	enum pmpp_status status = document_check_path(output, error);

	if (status == PMPP_OK && strcmp(output, "-") != 0)
		status = stored_check_output(output, error);
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++)
		status = check_input(output, options->arguments[i], error);
	return status;
}

/* --by: NULL, "device" or "model". */
static enum pmpp_status check_by(const char *by, struct pmpp_error *error)
{
	if (!by || strcmp(by, "device") == 0 || strcmp(by, BY_MODEL) == 0)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"--by=%s is not possible: give --by=device or --by=" BY_MODEL, by);
}

static enum pmpp_status join_rows(
	const struct cli_options *options, struct result_files *files, struct pmpp_error *error)
{
	const char *by = options->comparing.by;

	if (compared_files_choose_runs(files->items, files->count, by && strcmp(by, BY_MODEL) == 0))
		return PMPP_OK;
	return PMPP_NO_MEMORY(error, "the devices");
}

static enum pmpp_status load_files(
	const struct cli_options *options, struct result_files *files, struct pmpp_error *error)
{
	const char *with = options->comparing.with;
	enum pmpp_status status = PMPP_OK;

	if (options->argument_count == 0 && !with)
		return PMPP_FAIL(error, PMPP_USAGE,
			"report needs a file of `run --json`, or --with=NAME for a device that ships "
			"with pmpp");
	if (options->argument_count > 0)
		status = result_files_load(
			options->arguments, options->argument_count, true, files, error);
	return status == PMPP_OK ? result_files_load_shipped("--with", with, files, error) : status;
}

/* A shipped file may lie in a folder of the user (PMPP_DEVICES_DIR). */
static enum pmpp_status check_shipped(
	const char *output, const struct result_files *files, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < files->shipped.count && status == PMPP_OK; i++)
		status = check_input(output, files->shipped.items[i], error);
	return status;
}

enum pmpp_status cmd_report(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const char *output = options->output ? options->output : DEFAULT_OUTPUT;
	struct result_files files = {0};
	enum pmpp_status status = check_output(output, options, error);

	(void)ret_exit;
	if (status == PMPP_OK)
		status = check_by(options->comparing.by, error);
	if (status == PMPP_OK)
		status = load_files(options, &files, error);
	if (status == PMPP_OK)
		status = join_rows(options, &files, error);
	if (status == PMPP_OK)
		status = check_shipped(output, &files, error);
	if (status == PMPP_OK)
		status = write_page(output, options, &files, error);
	result_files_finish(&files);
	return status;
}
