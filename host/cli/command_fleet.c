#include "host/cli/command_fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/command_job.h"
#include "host/cli/result_files.h"
#include "host/cli/stored.h"
#include "host/io/atomic_file.h"
#include "host/report/device_summary.h"
#include "host/report/fleet_table.h"

/* ---- A rank ---------------------------------------------------------------------------------- */

#define OUTPUT_COUNT 4

/* This process, as a rank. */
struct rank {
	struct fleet_rank rank;
	struct command_task task;
	struct fleet_device device;
	char paths[OUTPUT_COUNT][PATH_MAX];
	bool quiet; /* --quiet was given */
};

static enum pmpp_status check_fleet(const struct cli_options *options, struct pmpp_error *error)
{
	if (!options->json)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--fleet needs --json=FILE: each rank writes its own file");
	if (options->terminal.stdout_taken)
		return PMPP_FAIL(error, PMPP_USAGE,
			"with --fleet each rank writes its own file: give --json, --csv and --md a FILE");
	if (options->report)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--report is not possible with --fleet: run `pmpp-run report` on the files "
			"of --json");
	if (engines[options->job.engine]->backend)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--engine=%s has no devices to distribute: leave out --fleet",
			engines[options->job.engine]->name);
	return PMPP_OK;
}

/* Sets the names of the rank's files, and removes old files with these names. A rank that is killed
 * then has no file of another run. like: value of --like; NULL: not given. PMPP_USAGE: a name is that
 * of this file. Other ranks may still have to read it, so it must not be removed. */
static enum pmpp_status prepare_files(struct rank *rank, const char *like, struct pmpp_error *error)
{
	struct output_paths *outputs = &rank->task.collecting.outputs;
	const char **const paths[OUTPUT_COUNT] = {
		&outputs->json, &outputs->csv, &outputs->markdown, &rank->task.job.output_path};

	for (size_t i = 0; i < OUTPUT_COUNT; i++) {
		if (!*paths[i])
			continue;
		fleet_path(*paths[i], rank->rank.rank, rank->paths[i], PATH_MAX);
		*paths[i] = rank->paths[i];
	}
	enum pmpp_status status =
		collector_check_outputs(outputs, rank->task.job.output_path, error);
	for (size_t i = 0; i < OUTPUT_COUNT && status == PMPP_OK; i++) {
		status = stored_check_output(*paths[i], error);
		if (status == PMPP_OK && like && *paths[i] && atomic_file_same(like, *paths[i]))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"--like=%s is the output of rank %lld and would be removed: give "
				"another output file",
				like, (long long)rank->rank.rank);
	}
	for (size_t i = 0; i < OUTPUT_COUNT && status == PMPP_OK; i++)
		if (*paths[i] && unlink(*paths[i]) != 0 && errno != ENOENT)
			status = PMPP_FAIL(error, PMPP_USAGE,
				"the old file %s cannot be removed: %s", *paths[i],
				strerror(errno));
	rank->task.collecting.rank = &rank->rank;
	rank->quiet = rank->task.collecting.terminal.quiet;
	rank->task.collecting.terminal.quiet |= rank->rank.ranks > 1;
	return status;
}

/* "rank 3, NVIDIA H200: 12 ok, 1 skipped; out.3.json" */
static void put_line(const struct rank *rank, const struct result_document *document)
{
	size_t of_class[OUTCOME_CLASS_COUNT] = {0};
	char *counts = NULL;
	size_t size;
	FILE *out = open_memstream(&counts, &size);

	for (size_t i = 0; i < document->results.count; i++)
		of_class[result_row_class(&document->results.items[i])]++;
	if (!out)
		return;
	device_summary_put_counts(of_class, out);
	if (fclose(out) == 0)
		terminal_print(stdout, "rank %lld, %s: %s; %s\n", (long long)rank->rank.rank,
			rank->device.name, counts, rank->paths[0]);
	free(counts);
}

/* In the process of the job. */
static enum pmpp_status run_rank(struct rank *rank, int *ret_exit, struct pmpp_error *error)
{
	struct device_query *query = &rank->task.job.query;
	struct result_document document;
	enum pmpp_status status =
		fleet_device_take(query, &rank->rank, rank->quiet, &rank->device, error);

	record_init(&result_document_type, &document);
	if (status == PMPP_OK) {
		device_query_take_place(query, rank->device.spec, rank->device.on_host);
		status = command_task_run(&rank->task, &document, ret_exit, error);
	}
	if (status == PMPP_OK && rank->rank.ranks > 1 && !rank->quiet)
		put_line(rank, &document);
	if (status != PMPP_OK)
		pmpp_error_prefix(error, "rank %lld", (long long)rank->rank.rank);
	record_finish(&result_document_type, &document);
	fleet_device_release(&rank->device);
	return status;
}

enum pmpp_status command_fleet(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	struct rank rank = {.device.lock = -1};
	bool job = false;
	enum pmpp_status status = check_fleet(options, error);

	if (status == PMPP_OK)
		status = fleet_rank_find(options->rank, options->label, &rank.rank, error);
	if (status != PMPP_OK)
		return status;
	status = command_task_prepare(action, options, &rank.task, error);
	if (status == PMPP_OK)
		status = prepare_files(&rank, options->like, error);
	if (status == PMPP_OK)
		status = fleet_split(&rank.rank, &job, ret_exit, error);
	if (status == PMPP_OK && job)
		status = run_rank(&rank, ret_exit, error);
	command_task_finish(&rank.task);
	return status;
}

/* ---- All ranks ------------------------------------------------------------------------------- */

enum pmpp_status command_fleet_compare(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct result_files files = {0};
	enum pmpp_status status = result_files_load(
		options->arguments, options->argument_count, false, &files, error);

	if (status == PMPP_OK)
		status = fleet_table_put(
			stdout, files.items, files.count, terminal_width(stdout), ret_exit, error);
	result_files_finish(&files);
	return status;
}
