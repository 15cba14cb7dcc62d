#include "host/cli/command_job.h"

#include <stdlib.h>
#include <string.h>

#include "host/cli/shipped_files.h"
#include "host/cli/show_standing.h"
#include "host/cli/stored.h"
#include "host/cli/write_page.h"
#include "host/io/atomic_file.h"
#include "host/record/document.h"
#include "host/record/shipped.h"
#include "host/report/terminal.h"
#include "host/run/repeat.h"
#include "host/run/stop.h"

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Finished rows are kept even if the job ended early. */
static enum pmpp_status keep_results(struct collector *collector, enum pmpp_status status,
	int *ret_exit, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;

	*ret_exit = collector_exit_code(collector);
	collector->document.run.interrupted = status != PMPP_OK;
	if (status == PMPP_OK)
		return collector_write_outputs(collector, error);
	if (status == PMPP_INTERRUPTED || collector_has_results(collector)) {
		enum pmpp_status written = collector_write_outputs(collector, &other);
		if (status == PMPP_INTERRUPTED && written != PMPP_OK) {
			pmpp_error_move(error, &other);
			status = written;
		} else if (written != PMPP_OK) {
			terminal_warn(&collector->console.terminal, other.message);
		}
	}
	pmpp_error_clear(&other);
	return status;
}

/* Sets the problems of --like, of the chosen families. */
static enum pmpp_status load_like(
	const struct cli_options *options, struct command_task *task, struct pmpp_error *error)
{
	struct result_files files = {0};
	enum pmpp_status status = PMPP_OK;

	if (options->job.sizes.count || options->job.in.count || options->job.dtype ||
		options->job.op || options->job.data)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--like has the sizes and types of its file: leave out --size, --dtype, --op, "
			"--data and --in");
	status = result_files_load_like(options->like, &files, error);
	for (size_t i = 0; i < files.count && status == PMPP_OK; i++)
		if (!like_add(&task->like, &files.items[i].document.results))
			status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for --like");
	result_files_finish(&files);
	task->options.like = &task->like;
	return status;
}

/* The file of --like must have a chosen family. */
static enum pmpp_status check_like(
	const char *like, const struct job *job, struct pmpp_error *error)
{
	for (size_t t = 0; t < job->targets.count; t++)
		if (like_of(job->options->like, job->targets.items[t].family, 0))
			return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"--like=%s has no timed row of the chosen families: choose others", like);
}

enum pmpp_status command_task_prepare(enum job_action action, const struct cli_options *options,
	struct command_task *task, struct pmpp_error *error)
{
	*task = (struct command_task){.command_line = options,
		.options = options->job,
		.collecting = {.job = &task->job,
			.argc = options->argc,
			.argv = options->argv,
			.terminal = options->terminal,
			.outputs = {options->json, options->csv, options->markdown},
			.label = options->label,
			.saver = &task->saver}};
	task->options.words = options->arguments;
	task->options.word_count = options->argument_count;
	task->options.cc = options->model.cc;
	task->collecting.terminal.stdout_taken =
		is_stdout(options->json) || is_stdout(options->csv) || is_stdout(options->markdown);
	enum pmpp_status status = options->like ? load_like(options, task, error) : PMPP_OK;
	if (status == PMPP_OK)
		status = job_prepare(action, &task->options, &task->job, error);
	if (status == PMPP_OK && options->like)
		status = check_like(options->like, &task->job, error);
	return status;
}

void command_task_finish(struct command_task *task)
{
	job_finish(&task->job);
	like_finish(&task->like);
}

enum pmpp_status command_task_run(struct command_task *task, struct result_document *ret_document,
	int *ret_exit, struct pmpp_error *error)
{
	const struct output_paths *outputs = &task->collecting.outputs;
	struct collector collector;
	enum pmpp_status status = collector_check_outputs(outputs, task->job.output_path, error);

	for (size_t i = 0; i < 3 && status == PMPP_OK && task->command_line->save; i++)
		status = stored_check_output(
			(const char *const[]){outputs->json, outputs->csv, outputs->markdown}[i],
			error);
	if (status == PMPP_OK && task->command_line->save)
		status = saver_init(&task->saver, error);
	if (status != PMPP_OK)
		return status;
	collector_init(&collector, &task->collecting);
	const struct event_sink sink = collector_sink(&collector);
	stop_begin();
	status = repeat_run(&task->job, &sink, error);
	collector_close(&collector);
	if (status == PMPP_OK && task->use)
		status = task->use(task->command_line, &collector.document, error);
	status = keep_results(&collector, status, ret_exit, error);
	stop_end();
	if (ret_document)
		collector_take_document(&collector, ret_document);
	collector_finish(&collector);
	saver_finish(&task->saver);
	return status;
}

/* ---- Page ------------------------------------------------------------------------------------ */

/* The file of --report must not be another output. */
static enum pmpp_status check_report(
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

/* Removes the families that the run does not have. */
static void keep_families(struct compared_file *shipped, struct result_document *run)
{
	record_list_keep(&result_row_type, &shipped->document.results, has_family, run);
	shipped->has_lost_rows = true;
}

/* Renames the devices that have a key. false for lack of memory. */
static bool name_devices(struct result_document *document, const char *key, const char *name)
{
	bool ok = true;

	for (size_t i = 0; i < document->devices.count; i++) {
		struct device_record *device = &document->devices.items[i];
		if (!text_equal(device->key, key))
			continue;
		text_set(&device->name, name);
		ok &= device->name != NULL;
	}
	return ok;
}

/* Marks the devices of the first file. A shipped file of the same GPU has the same key. */
static bool name_own_devices(struct result_files *files)
{
	const struct device_list *own = &files->items[0].document.devices;
	bool ok = true;

	for (size_t i = 0; i < own->count && ok; i++) {
		char *name = NULL;
		text_format(&name, "%s (this device)", text_or_empty(own->items[i].name));
		ok = name != NULL;
		for (size_t f = 0; f < files->count && ok; f++)
			ok = name_devices(&files->items[f].document, own->items[i].key, name);
		free(name);
	}
	return ok;
}

/* Writes the page even if the file of a shipped device cannot be used, because the run may have
 * taken hours. */
static enum pmpp_status write_report(const struct cli_options *options,
	struct result_document *document, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;
	struct shipped_list devices = {0};
	struct result_files files = {0};
	enum pmpp_status status = result_files_add(&files, "this run", document, error);

	if (status == PMPP_OK && shipped_find(&devices, &other) != PMPP_OK)
		shipped_put_note(&other);
	for (size_t i = 0; i < devices.names.count && status == PMPP_OK; i++)
		result_files_try_shipped(devices.names.items[i], &files);
	for (size_t i = 1; i < files.count; i++)
		keep_families(&files.items[i], &files.items[0].document);
	if (status == PMPP_OK && !name_own_devices(&files))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
	if (status == PMPP_OK)
		status = write_page(options->report, options->terminal.quiet, &files, error);
	result_files_finish(&files);
	shipped_finish(&devices);
	return status;
}

/* The page of an interrupted run would compare few rows with many. */
static void put_no_page(const struct cli_options *options)
{
	char *text = NULL;

	text_format(&text, "%s is not written, because the run was interrupted%s", options->report,
		options->json || options->save ? ""
					       : "; with --json=FILE the finished rows are kept");
	fflush(stdout);
	if (text)
		terminal_put_message(stderr, "note: ", text);
	free(text);
}

/* ---- Commands -------------------------------------------------------------------------------- */

enum pmpp_status command_job(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	struct result_document document;
	struct command_task task;
	enum pmpp_status status = command_task_prepare(action, options, &task, error);

	record_init(&result_document_type, &document);
	task.use = action == JOB_RUN ? show_standing : NULL;
	if (status == PMPP_OK && options->report)
		status = check_report(options, &task.job, error);
	if (status == PMPP_OK)
		status = command_task_run(&task, &document, ret_exit, error);
	if (status == PMPP_OK && options->report)
		status = write_report(options, &document, error);
	else if (status == PMPP_INTERRUPTED && options->report && !options->terminal.quiet)
		put_no_page(options);
	record_finish(&result_document_type, &document);
	command_task_finish(&task);
	return status;
}

enum pmpp_status command_job_repeated(size_t repetitions, job_results_fn *use,
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct command_task task;
	enum pmpp_status status = command_task_prepare(JOB_RUN, options, &task, error);

	task.options.repetitions = repetitions;
	task.options.exact_runs = true;
	task.use = use;
	task.collecting.terminal.no_tables = true;
	if (status == PMPP_OK)
		status = command_task_run(&task, NULL, ret_exit, error);
	command_task_finish(&task);
	return status;
}
