#include "host/cli/command_fleet.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/cli/command_job.h"
#include "host/record/document.h"
#include "host/report/device_summary.h"
#include "host/report/fleet_table.h"
#include "host/report/terminal.h"
#include "host/run/fleet_gather.h"
#include "host/run/fleet_seat.h"

/* This process, as a rank. */
struct rank {
	struct fleet *fleet;
	struct command_task *task;
	struct fleet_place place;
	struct fleet_report report;
	char json[PATH_MAX], csv[PATH_MAX], markdown[PATH_MAX], output[PATH_MAX];
};

static enum pmpp_status check_fleet(const struct cli_options *options, struct pmpp_error *error)
{
	const char *const outputs[] = {options->json, options->csv, options->markdown};

	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		if (outputs[i] && strcmp(outputs[i], "-") == 0)
			return PMPP_FAIL(error, PMPP_USAGE,
				"with --fleet each rank writes its own file: give --json, --csv "
				"and --md a FILE");
	if (options->report)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--report is not possible with --fleet: give --json=FILE, then run "
			"`pmpp-run report` on the files");
	if (engines[options->job.engine]->backend)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--engine=%s has no devices to distribute: leave out --fleet",
			engines[options->job.engine]->name);
	return PMPP_OK;
}

/* ---- Job ----------------------------------------------------------------------------------- */

static void number_path(const struct rank *rank, const char **path, char number[PATH_MAX])
{
	if (!*path)
		return;
	fleet_path(*path, rank->fleet->hello.rank, number, PATH_MAX);
	*path = number;
}

/* Sets the device and the file names of this rank. With several ranks the job prints nothing. */
static void set_task(struct rank *rank)
{
	struct command_task *task = rank->task;
	const struct fleet_hello *hello = &rank->fleet->hello;

	device_query_take_place(&task->job.query, rank->place.spec, rank->place.on_host);
	task->options.untimed = rank->place.untimed[0] ? rank->place.untimed : NULL;
	task->collecting.rank = hello->rank;
	task->collecting.ranks = hello->ranks;
	task->collecting.terminal.quiet |= hello->ranks > 1;
	number_path(rank, &task->collecting.outputs.json, rank->json);
	number_path(rank, &task->collecting.outputs.csv, rank->csv);
	number_path(rank, &task->collecting.outputs.markdown, rank->markdown);
	number_path(rank, &task->job.output_path, rank->output);
}

static void warn(const struct rank *rank, const char *message)
{
	terminal_print(
		stderr, "pmpp-run: rank %lld: %s\n", (long long)rank->fleet->hello.rank, message);
}

/* Counts the rows, and adds their times to the report. */
static enum pmpp_status fill_report(const struct result_document *document,
	struct fleet_report *report, struct pmpp_error *error)
{
	int64_t *const numbers[OUTCOME_CLASS_COUNT] = {
		[OUTCOME_CLASS_OK] = &report->ok,
		[OUTCOME_CLASS_FAILED] = &report->failed,
		[OUTCOME_CLASS_BROKEN] = &report->failed,
		[OUTCOME_CLASS_SKIPPED] = &report->skipped,
		[OUTCOME_CLASS_UNVERIFIED] = &report->skipped,
	};

	for (size_t i = 0; i < document->results.count; i++)
		++*numbers[result_row_class(&document->results.items[i])];
	return stragglers_add_times(document, report, error);
}

/* Runs the job on the rank's device. An error of the report is only a warning: the results
 * are kept. */
static enum pmpp_status run_in_place(struct rank *rank, int *ret_exit, struct pmpp_error *error)
{
	struct fleet_report *report = &rank->report;
	struct pmpp_error later = PMPP_ERROR_INIT;
	struct result_document document;

	record_init(&result_document_type, &document);
	if (*rank->place.warning)
		warn(rank, rank->place.warning);
	set_task(rank);
	if (rank->task->job.action == JOB_RUN)
		text_set_known(&report->untimed, rank->place.untimed);
	text_set(&report->device, rank->place.name);
	text_set(&report->uuid, rank->place.spec);
	enum pmpp_status status = command_task_run(rank->task, &document, ret_exit, error);
	if (fill_report(&document, report, &later) != PMPP_OK)
		warn(rank, later.message);
	pmpp_error_clear(&later);
	record_finish(&result_document_type, &document);
	return status;
}

static enum pmpp_status run_rank(struct rank *rank, int *ret_exit, struct pmpp_error *error)
{
	struct fleet_report *report = &rank->report;
	enum pmpp_status status =
		fleet_take_place(rank->fleet, &rank->task->job.query, &rank->place, error);

	if (status == PMPP_OK)
		status = run_in_place(rank, ret_exit, error);
	report->rank = rank->fleet->hello.rank;
	report->exit_code = exit_code_with_error((enum exit_code) * ret_exit, status);
	text_set(&report->host, rank->fleet->host_name);
	if (status != PMPP_OK) {
		text_set(&report->message, error->message);
		pmpp_error_prefix(error, "rank %lld", (long long)report->rank);
	}
	return status;
}

/* ---- Summary ------------------------------------------------------------------------------- */

/* "out.fleet.txt" for "out.json". If MPI has ended, each host has its own summary. */
static void summary_path(const struct fleet *fleet, const char *output, char ret_path[PATH_MAX])
{
	const char *dot = strrchr(output, '.');
	bool has_extension = dot && dot != output && dot[-1] != '/' && !strchr(dot, '/');
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%.*s.fleet.txt",
		has_extension ? (int)(dot - output) : (int)strlen(output), output);
	if (fleet->fd < 0 && fleet->hello.host != 0)
		fleet_path(path, fleet->hello.host, ret_path, PATH_MAX);
	else
		snprintf(ret_path, PATH_MAX, "%s", path);
}

/* Saves the summary beside the output file, with lines of any length. */
static enum pmpp_status save_summary(const struct fleet *fleet, const char *output,
	const struct fleet_report_list *reports, const struct straggler_list *stragglers,
	struct pmpp_error *error)
{
	char path[PATH_MAX];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out)
		fleet_table_put(out, reports, stragglers, 0);
	bool complete = out && fclose(out) == 0;
	summary_path(fleet, output, path);
	enum pmpp_status status =
		complete ? document_save_text(path, text, error)
			 : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the summary");
	free(text);
	return status;
}

/* Prints the summary in the columns of the terminal, and saves it beside the first output file. */
static enum pmpp_status put_summary(const struct rank *rank, const struct cli_options *options,
	const struct fleet_report_list *reports, struct pmpp_error *error)
{
	const char *output = options->json  ? options->json
			     : options->csv ? options->csv
					    : options->markdown;
	struct straggler_list stragglers = {0};
	enum pmpp_status status = stragglers_find(reports, &stragglers, error);

	if (status != PMPP_OK)
		return status;
	fleet_table_put(stdout, reports, &stragglers, terminal_width(stdout));
	fflush(stdout);
	if (output)
		status = save_summary(rank->fleet, output, reports, &stragglers, error);
	free(stragglers.items);
	return status;
}

/* ---- Public -------------------------------------------------------------------------------- */

enum pmpp_status command_fleet(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	struct command_task task = {0};
	struct rank rank = {.task = &task};
	struct fleet_report_list reports = {0};
	struct pmpp_error later = PMPP_ERROR_INIT;
	bool prints = false;
	enum pmpp_status status = check_fleet(options, error);

	if (status != PMPP_OK)
		return status;
	status = command_task_prepare(action, options, &task, error);
	if (status == PMPP_OK)
		status = fleet_create(&rank.fleet, error);
	if (status != PMPP_OK) {
		command_task_finish(&task);
		return status;
	}
	/* The pipe to mpirun may break before the job ends. */
	if (rank.fleet->hello.ranks > 1)
		signal(SIGPIPE, SIG_IGN);
	record_init(&fleet_report_type, &rank.report);
	status = run_rank(&rank, ret_exit, error);
	enum pmpp_status gathered =
		fleet_gather(rank.fleet, &rank.report, &reports, &prints, &later);
	if (gathered == PMPP_OK && prints)
		gathered = put_summary(&rank, options, &reports, &later);
	if (status == PMPP_OK && gathered != PMPP_OK) {
		pmpp_error_move(error, &later);
		status = gathered;
	}
	pmpp_error_clear(&later);
	fleet_report_list_finish(&reports);
	record_finish(&fleet_report_type, &rank.report);
	fleet_destroy(&rank.fleet);
	command_task_finish(&task);
	return status;
}
