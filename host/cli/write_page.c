#include "host/cli/write_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cmd.h"
#include "host/cli/shipped_files.h"
#include "host/cli/stored.h"
#include "host/io/atomic_file.h"
#include "host/page/page.h"
#include "host/record/document.h"
#include "host/record/shipped.h"
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

/* Unless --quiet is given, stderr gets the size of the page. Errors as page_make() and
 * document_save_text(). */
static enum pmpp_status write_page(const char *output, const struct cli_options *options,
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

	bool ok = !by || strcmp(by, BY_MODEL) != 0 ||
		  compared_files_join_models(files->items, files->count);

	if (ok && compared_files_choose_runs(files->items, files->count))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
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
	return status == PMPP_OK ? result_files_load_shipped(with, files, error) : status;
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

/* ---- The page of a run (--report) ----------------------------------------------------------- */

enum pmpp_status run_page_check(
	const struct cli_options *options, const struct job *job, struct pmpp_error *error)
{
	const char *const others[] = {
		options->json, options->csv, options->markdown, job->output_path};

	if (strcmp(options->report, "-") == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--report=-: stdout has the tables: give a file, such as "
			"--report=report.html");
	enum pmpp_status status = document_check_path(options->report, error);
	if (status == PMPP_OK)
		status = stored_check_output(options->report, error);
	if (status == PMPP_OK)
		status = shipped_check_output("--report", options->report, error);
	for (size_t i = 0; i < sizeof others / sizeof *others && status == PMPP_OK; i++)
		if (others[i] && (strcmp(others[i], options->report) == 0 ||
					 atomic_file_same(others[i], options->report)))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"--report=%s is also another output: give the page a file of its own",
				options->report);
	return status;
}

static bool has_family(void *context, const void *row)
{
	const struct result_document *run = context;
	bool found = false;

	for (size_t i = 0; i < run->results.count && !found; i++)
		found = text_equal(
			run->results.items[i].family, ((const struct result_row *)row)->family);
	return found;
}

/* Sets the name of the devices with this identity (device_public_identity()). Returns false if there is no memory. */
static bool name_same(struct result_document *document, const char *identity, const char *name)
{
	bool ok = identity && name;

	for (size_t i = 0; i < document->devices.count && ok; i++) {
		struct device_record *device = &document->devices.items[i];
		char *other = device_public_identity(device, document);
		if (text_equal(other, identity))
			text_set(&device->name, name);
		ok = other && device->name;
		free(other);
	}
	return ok;
}

/* Marks the devices of the first file, and shipped files of the same GPU. The identity of a device can contain its
 * name, so those of the first file get their names last. */
static bool name_own_devices(struct result_files *files)
{
	struct result_document *own = &files->items[0].document;
	char *name = NULL;
	bool ok = true;

	for (size_t i = 0; i < own->devices.count && ok; i++) {
		char *identity = device_public_identity(&own->devices.items[i], own);
		text_format(&name, "%s (this device)", text_or_empty(own->devices.items[i].name));
		for (size_t f = 1; f < files->count && ok; f++)
			ok = name_same(&files->items[f].document, identity, name);
		free(identity);
	}
	for (size_t i = 0; i < own->devices.count && ok; i++) {
		text_format(&name, "%s (this device)", text_or_empty(own->devices.items[i].name));
		text_set(&own->devices.items[i].name, name);
		ok = own->devices.items[i].name != NULL;
	}
	free(name);
	return ok;
}

enum pmpp_status run_page_write(const struct cli_options *options, struct result_document *document,
	struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;
	struct shipped_list devices = {0};
	struct result_files files = {0};
	enum pmpp_status status = result_files_add(&files, "this run", document, error);

	if (status == PMPP_OK && shipped_find(&devices, &other) != PMPP_OK)
		shipped_put_note(&other);
	for (size_t i = 0; i < devices.names.count && status == PMPP_OK; i++)
		result_files_try_shipped(devices.names.items[i], &files);
	/* Removes the families that the run does not have. */
	for (size_t i = 1; i < files.count; i++) {
		record_list_keep(&result_row_type, &files.items[i].document.results, has_family,
			&files.items[0].document);
		files.items[i].has_lost_rows = true;
	}
	if (status == PMPP_OK && !name_own_devices(&files))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
	if (status == PMPP_OK)
		status = write_page(options->report, options, &files, error);
	result_files_finish(&files);
	shipped_finish(&devices);
	return status;
}

void run_page_put_none(const struct cli_options *options)
{
	fflush(stdout);
	terminal_print(stderr, "note: %s is not written, because the run was interrupted%s\n",
		options->report,
		options->json || options->save ? ""
					       : "; with --json=FILE the finished rows are kept");
}
