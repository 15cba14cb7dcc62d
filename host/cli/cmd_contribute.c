#include "host/cli/cmd.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/cli/command_job.h"
#include "host/cli/result_files.h"
#include "host/compare/compare.h"
#include "host/contribute/contribute.h"
#include "host/gpu/backends.h"
#include "host/io/atomic_file.h"
#include "host/record/document.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

#define DEFAULT_OUTPUT "contribution.json"

static const char *output_of(const struct cli_options *options)
{
	return options->output ? options->output : DEFAULT_OUTPUT;
}

/* Only files with this end are found in the folder of devices. */
static enum pmpp_status check_output(const struct cli_options *options, struct pmpp_error *error)
{
	const char *path = output_of(options), *end = strrchr(path, '.');

	if (strcmp(path, "-") != 0 && !(end && strcmp(end, ".json") == 0))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--output=%s: the name of a contribution ends in .json: use %s.json", path,
			path);
	return document_check_path(path, error);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void put_findings(FILE *out, const struct contribution_findings *findings, size_t bytes)
{
	const size_t *of = findings->of_class;

	fprintf(out, "%zu rows timed, %zu skipped", of[OUTCOME_CLASS_OK],
		of[OUTCOME_CLASS_SKIPPED]);
	if (of[OUTCOME_CLASS_BROKEN])
		fprintf(out, ", %zu without a result (crash, timeout or error)",
			of[OUTCOME_CLASS_BROKEN]);
	if (of[OUTCOME_CLASS_FAILED])
		fprintf(out, ", %zu with wrong results", of[OUTCOME_CLASS_FAILED]);
	fprintf(out, "; %.2f MB\n", (double)bytes / 1e6);
}

static void put_written(const struct cli_options *options, bool replaces, const char *device,
	const struct contribution_findings *findings, size_t bytes)
{
	FILE *stream = strcmp(output_of(options), "-") == 0 ? stderr : stdout;
	struct wrap wrap;

	if (options->terminal.quiet)
		return;
	FILE *out = wrap_begin(&wrap, stream, terminal_width(stream));
	fprintf(out, "%s %s: %s, ", replaces ? "replaced" : "wrote", output_of(options), device);
	put_findings(out, findings, bytes);
	fputs("how to send it: docs/contributing-results.md\n", out);
	wrap_end(&wrap);
}

/* Warns about a file that can be sent, but lacks something. before: the name of the file and ": ",
 * or "". */
static void warn_about(const struct cli_options *options, const char *before,
	const struct contribution_findings *findings)
{
	if (findings->covered < findings->families && options->argument_count)
		terminal_print(stderr,
			"warning: %s%zu of %zu families at their default sizes: run `contribute` "
			"without files\n",
			before, findings->covered, findings->families);
	if (2 * findings->flagged > findings->of_class[OUTCOME_CLASS_OK])
		terminal_print(stderr,
			"warning: %s%zu of %zu times are noisy or throttled: stop other programs and "
			"run `contribute` again\n",
			before, findings->flagged, findings->of_class[OUTCOME_CLASS_OK]);
}

static void warn_about_failed(size_t failed)
{
	if (failed)
		terminal_print(stderr,
			"warning: %zu row%s with wrong results, which have no times: please also "
			"report them as an issue\n",
			failed, failed == 1 ? "" : "s");
}

/* ---- Make ------------------------------------------------------------------------------------ */

/* Writes the contribution. */
static enum pmpp_status write_results(const struct cli_options *options,
	const struct compared_file *files, size_t count, int *ret_exit, struct pmpp_error *error)
{
	const struct result_document *first = &files[0].document;
	const struct device_record *device =
		first->results.count
			? device_list_find(&first->devices, first->results.items[0].device)
			: NULL;
	struct contribution_findings findings = {0};
	char *text = NULL;
	bool replaces = false;
	enum pmpp_status status = contribution_make(files, count, &text, &findings, error);
	if (status == PMPP_OK) {
		replaces = document_replaces(output_of(options));
		status = document_save_text(output_of(options), text, error);
	}
	if (status == PMPP_OK)
		put_written(
			options, replaces, text_or_empty(device->name), &findings, strlen(text));
	if (status == PMPP_OK) {
		warn_about(options, "", &findings);
		warn_about_failed(findings.of_class[OUTCOME_CLASS_FAILED]);
		if (findings.of_class[OUTCOME_CLASS_FAILED])
			*ret_exit = EXIT_CODE_FAILED;
	}
	text_list_finish(&findings.problems);
	free(text);
	return status;
}

static enum pmpp_status from_files(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct result_files files = {0};
	enum pmpp_status status = result_files_load(
		options->arguments, options->argument_count, false, &files, error);

	for (size_t i = 0; i < files.count && status == PMPP_OK; i++)
		if (atomic_file_same(output_of(options), files.items[i].path))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"%s is read and would be replaced: give another file with -o",
				files.items[i].path);
	if (status == PMPP_OK)
		status = write_results(options, files.items, files.count, ret_exit, error);
	result_files_finish(&files);
	return status;
}

/* ---- Run ------------------------------------------------------------------------------------- */

/* A contribution has one device, and the device has times. */
static enum pmpp_status check_query(const struct job_options *job, struct pmpp_error *error)
{
	enum gpu_backend_id id;

	if (device_word_is_all(job->device))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s=all: a contribution has one device: name it (pmpp-run devices lists "
			"the devices)",
			job->device_from);
	if (device_word_is_all(job->backend))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s=all: contribute runs every backend of its device: leave it out",
			job->backend_from);
	if (job->backend && gpu_backend_find(job->backend, &id) && id < GPU_BACKEND_COUNT &&
		gpu_backend_row(id)->on_request)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s=%s is an emulator: its times are not those of a device",
			job->backend_from, job->backend);
	return PMPP_OK;
}

#define JSON_END ".json"
#define RAW_END "-not-sent"

/* Sets *ret_path to "mine-not-sent.json" of "mine.json". If this file exists, to
 * "mine-not-sent-2.json", and so on: results of earlier runs are kept. NULL for lack of memory. */
static void raw_path(const char *output, char **ret_path)
{
	int length = (int)(strlen(output) - strlen(JSON_END));

	text_format(ret_path, "%.*s" RAW_END JSON_END, length, output);
	for (int number = 2; *ret_path && document_replaces(*ret_path); number++)
		text_format(ret_path, "%.*s" RAW_END "-%d" JSON_END, length, output, number);
}

/* The run took minutes, so results that cannot be sent, or that are not complete, are saved beside the
 * output. */
static void keep_results(const struct cli_options *options, const struct result_document *document)
{
	const char *output = output_of(options);
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *path = NULL, *text = NULL;

	raw_path(strcmp(output, "-") == 0 ? DEFAULT_OUTPUT : output, &path);
	if (path && document->results.count &&
		record_write(&result_document_type, document, RECORD_ROWS, &text, &ignored) ==
			PMPP_OK &&
		document_save_text(path, text, &ignored) == PMPP_OK)
		terminal_print(stderr, "the results of the run are in %s\n", path);
	pmpp_error_clear(&ignored);
	free(text);
	free(path);
}

static enum pmpp_status from_run(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct cli_options all = *options;
	struct compared_file file = {.path = "the run"};
	struct command_task task;
	enum pmpp_status status = check_query(&options->job, error);

	if (status != PMPP_OK)
		return status;
	all.arguments[0] = "all";
	all.argument_count = 1;
	all.job.every_view = true;
	record_init(&result_document_type, &file.document);
	status = command_task_prepare(JOB_RUN, &all, &task, error);
	task.collecting.terminal.stdout_taken = strcmp(output_of(options), "-") == 0;
	if (status == PMPP_OK)
		status = command_task_run(&task, &file.document, ret_exit, error);
	command_task_finish(&task);
	if (status == PMPP_OK)
		status = write_results(options, &file, 1, ret_exit, error);
	if (status != PMPP_OK)
		keep_results(options, &file.document);
	record_finish(&result_document_type, &file.document);
	return status;
}

/* ---- Check ----------------------------------------------------------------------------------- */

static void put_check(const struct cli_options *options, const char *path,
	const struct result_document *document, const struct contribution_findings *findings,
	size_t bytes)
{
	char *before = NULL;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, terminal_width(stdout));

	for (size_t i = 0; i < findings->problems.count; i++)
		fprintf(out, "%s: %s\n", path, findings->problems.items[i]);
	if (findings->more)
		fprintf(out, "%s: %zu more problems\n", path, findings->more);
	if (!findings->problems.count) {
		fprintf(out, "%s: ok: %s, ", path, document->devices.items[0].name);
		put_findings(out, findings, bytes);
	}
	wrap_end(&wrap);
	if (findings->problems.count)
		return;
	fflush(stdout);
	text_format(&before, "%s: ", path);
	warn_about(options, text_or_empty(before), findings);
	free(before);
}

static enum pmpp_status check_file(const struct cli_options *options, const char *path,
	struct contribution_findings *ret_findings, struct pmpp_error *error)
{
	struct result_document document;
	const struct document_kind kind = {&result_document_type, RESULT_SCHEMA, &document};
	size_t bytes = 0, ignored;
	enum pmpp_status status = document_load(&kind, 1, path, &ignored, &bytes, error);

	if (status != PMPP_OK)
		return status;
	status = contribution_check(&document, bytes, ret_findings, error);
	if (status == PMPP_OK && !options->terminal.quiet)
		put_check(options, path, &document, ret_findings, bytes);
	record_finish(&result_document_type, &document);
	return status;
}

static enum pmpp_status check_files(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	size_t bad = 0;

	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++) {
		struct contribution_findings findings = {0};
		status = check_file(options, options->arguments[i], &findings, error);
		/* A file that cannot be read is a bad file. The error of a single file is the error of
		 * the command. */
		if (status == PMPP_USAGE && options->argument_count > 1) {
			if (!options->terminal.quiet)
				terminal_print(stdout, "%s\n", error->message);
			pmpp_error_clear(error);
			status = PMPP_OK;
			bad++;
		}
		bad += findings.problems.count > 0;
		if (findings.unverified)
			*ret_exit = EXIT_CODE_FAILED;
		text_list_finish(&findings.problems);
	}
	if (status == PMPP_OK && bad)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%zu of %zu files cannot be accepted: see docs/contributing-results.md",
			bad, options->argument_count);
	return status;
}

/* ---- Command --------------------------------------------------------------------------------- */

enum pmpp_status cmd_contribute(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	if (options->check)
		return check_files(options, ret_exit, error);
	enum pmpp_status status = check_output(options, error);
	if (status != PMPP_OK)
		return status;
	return options->argument_count ? from_files(options, ret_exit, error)
				       : from_run(options, ret_exit, error);
}
