/* The commands that run a job for the user, also with a page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cmd.h"
#include "host/cli/command_job.h"
#include "host/cli/fleet.h"
#include "host/cli/result_files.h"
#include "host/cli/stored.h"
#include "host/cli/write_page.h"
#include "host/io/atomic_file.h"
#include "host/record/document.h"
#include "host/record/shipped.h"
#include "host/report/terminal.h"

/* ---- The page of a run (--report) ----------------------------------------------------------- */

/* PMPP_USAGE: `output`, the value of --report, is the file of a shipped device and would be
 * replaced; or PMPP_DEVICES_DIR is set and names no folder. */
static enum pmpp_status check_shipped(const char *output, struct pmpp_error *error)
{
	const char *named = getenv(SHIPPED_VARIABLE);
	struct shipped_list devices = {0};
	enum pmpp_status status = shipped_find(&devices, error);

	/* The program may be used without its installed files. */
	if (status != PMPP_OK && (!named || !*named)) {
		pmpp_error_clear(error);
		status = PMPP_OK;
	}
	for (size_t i = 0; i < devices.names.count && status == PMPP_OK; i++) {
		char *path = shipped_path(&devices, devices.names.items[i]);
		if (!path)
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for the shipped devices");
		else if (strcmp(path, output) == 0 || atomic_file_same(path, output))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"--report=%s is the file of a device that ships with pmpp, and would be "
				"replaced: give another file",
				output);
		free(path);
	}
	shipped_finish(&devices);
	return status;
}

/* PMPP_USAGE if the file of --report cannot be written, or is another output. */
static enum pmpp_status run_page_check(
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
		status = check_shipped(options->report, error);
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

/* Prints an error as a note, and clears it. */
static void put_note(struct pmpp_error *error)
{
	fflush(stdout);
	terminal_print(stderr, "note: %s\n", error->message);
	pmpp_error_clear(error);
}

/* If the file of the device cannot be used, stderr gets a note, and the function appends nothing. */
static void try_shipped(const char *name, struct result_files *files)
{
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (result_files_load_shipped(name, files, &error) != PMPP_OK)
		put_note(&error);
}

/* Writes the page of a run, whose rows move out of the document. The page is written even if the file of
 * a shipped device cannot be used, because the run may have taken hours. */
static enum pmpp_status run_page_write(const struct cli_options *options,
	struct result_document *document, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;
	struct shipped_list devices = {0};
	struct result_files files = {0};
	enum pmpp_status status = result_files_add(&files, "this run", document, error);

	if (status == PMPP_OK && shipped_find(&devices, &other) != PMPP_OK)
		put_note(&other);
	for (size_t i = 0; i < devices.names.count && status == PMPP_OK; i++)
		try_shipped(devices.names.items[i], &files);
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

/* Prints that there is no page, because the run was interrupted: the page would compare few rows with
 * many. */
static void run_page_put_none(const struct cli_options *options)
{
	fflush(stdout);
	terminal_print(stderr, "note: %s is not written, because the run was interrupted%s\n",
		options->report,
		options->json || options->save ? ""
					       : "; with --json=FILE the finished rows are kept");
}

/* ---- The command ----------------------------------------------------------------------------- */

enum pmpp_status cmd_job(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	enum job_action action = options->command->action;
	struct result_document document;
	struct command_task task;

	if (options->fleet)
		return command_fleet(action, options, ret_exit, error);
	enum pmpp_status status = command_task_prepare(action, options, &task, error);

	record_init(&result_document_type, &document);
	if (status == PMPP_OK && options->report)
		status = run_page_check(options, &task.job, error);
	if (status == PMPP_OK)
		status = command_task_run(&task, &document, ret_exit, error);
	if (status == PMPP_OK && options->report)
		status = run_page_write(options, &document, error);
	else if (status == PMPP_INTERRUPTED && options->report && !options->terminal.quiet)
		run_page_put_none(options);
	record_finish(&result_document_type, &document);
	command_task_finish(&task);
	return status;
}
