/* store export, store import, store list, store remove */
#include "host/cli/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/model/exit_code.h"
#include "host/cli/stored.h"
#include "host/record/document.h"
#include "host/record/provenance.h"
#include "host/record/store.h"
#include "host/report/table.h"
#include "host/report/terminal.h"

/* ---- Export -------------------------------------------------------------------------------- */

static enum pmpp_status take_document(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	struct store_document *file = context;
	struct result_document *added = record_list_add(&result_document_type, &file->documents);

	if (!added)
		return PMPP_NO_MEMORY(error, "the results");
	record_move(&result_document_type, document, added);
	return PMPP_OK;
}

/* Calls take() for each run that the options choose. *count: number of runs that it took. */
static enum pmpp_status read_store(const struct cli_options *options, store_document_fn *take,
	void *context, const size_t *count, struct pmpp_error *error)
{
	const struct store_filter filter = stored_filter(options);
	char path[STORE_PATH_BYTES];
	enum pmpp_status status = stored_each(&filter, take, context, path, error);

	return status == PMPP_OK && *count == 0 ? stored_none(path, &filter, false, error) : status;
}

/* Prints on stderr, because the file may go to stdout. */
static void put_exported(const struct store_document *file, const char *path)
{
	size_t rows = 0;

	for (size_t i = 0; i < file->documents.count; i++)
		rows += file->documents.items[i].results.count +
			file->documents.items[i].parity.count;
	terminal_print(stderr, "%s: %zu rows of %zu runs\n", path, rows, file->documents.count);
}

enum pmpp_status cmd_store_export(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const char *path = options->arguments[0];
	struct store_document file;
	char *warning = NULL;
	enum pmpp_status status = document_check_path(path, error);

	*ret_exit = EXIT_CODE_OK;
	record_init(&store_document_type, &file);
	text_set(&file.schema, STORE_SCHEMA);
	tool_record_set(&file.tool, options->argc, options->argv);
	if (status == PMPP_OK)
		status = stored_check_output(path, error);
	if (status == PMPP_OK)
		status = read_store(options, take_document, &file, &file.documents.count, error);
	if (status == PMPP_OK)
		status = document_save(&store_document_type, &file, path, &warning, error);
	if (status == PMPP_OK && warning)
		terminal_print(stderr, "warning: %s\n", warning);
	if (status == PMPP_OK && !options->terminal.quiet)
		put_exported(&file, path);
	free(warning);
	record_finish(&store_document_type, &file);
	return status;
}

/* ---- Import -------------------------------------------------------------------------------- */

static void put_imported(const struct store_counts *counts, const char *path)
{
	printf("%s: %zu new rows, %zu known", path, counts->added, counts->known);
	if (counts->completed)
		printf(", %zu completed with more runs", counts->completed);
	printf("\n");
}

static enum pmpp_status import_file(
	struct store *store, const char *path, bool quiet, struct pmpp_error *error)
{
	struct store_counts counts = {0};
	struct store_document file;
	enum pmpp_status status = store_file_load(path, NULL, &file, NULL, error);

	if (status != PMPP_OK)
		return status;
	status = store_add(store, file.documents.items, file.documents.count, path, &counts, error);
	if (status == PMPP_OK && !quiet)
		put_imported(&counts, path);
	record_finish(&store_document_type, &file);
	return status;
}

enum pmpp_status cmd_store_import(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	char path[STORE_PATH_BYTES];
	struct store store = {0};
	enum pmpp_status status = store_default_path(path, error);

	*ret_exit = EXIT_CODE_OK;
	if (status == PMPP_OK)
		status = store_open(path, true, STORE_WAIT_MS, &store, error);
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++)
		status = import_file(&store, options->arguments[i], options->terminal.quiet, error);
	store_close(&store);
	return status;
}

/* ---- List and remove ----------------------------------------------------------------------- */

#define RUN_CHARACTERS 8 /* of a run's name in the list */

/* The stored runs that the options choose. */
struct stored_runs {
	struct table table;
	struct text_list ids;
};

static enum pmpp_status take_run(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	struct stored_runs *runs = context;
	const struct run_record *run = &document->run;
	const struct result_row *first = document->results.count ? document->results.items : NULL;
	const struct device_record *device =
		document->devices.count ? document->devices.items : NULL;

	table_row(&runs->table, STYLE_PLAIN);
	table_format(&runs->table, "%.*s", RUN_CHARACTERS, run->id);
	table_text(&runs->table, run->started_utc);
	table_text(&runs->table, run->label);
	table_format(&runs->table, "%zu", document->results.count + document->parity.count);
	table_text(&runs->table, first ? first->backend : NULL);
	table_text(&runs->table, device ? device->name : NULL);
	if (runs->table.failed || !text_list_add(&runs->ids, run->id))
		return PMPP_NO_MEMORY(error, "the runs");
	return PMPP_OK;
}

static void runs_init(struct stored_runs *runs)
{
	static const struct table_column columns[] = {{.title = "run"},
		{.title = "started (UTC)", .priority = 1}, {.title = "label", .cut = 12},
		{.title = "rows", .align = TABLE_RIGHT}, {.title = "backend", .priority = 2},
		{.title = "device", .align = TABLE_REST, .priority = 3, .width = 20}};

	*runs = (struct stored_runs){0};
	table_init(&runs->table, columns, sizeof columns / sizeof *columns);
}

static void runs_finish(struct stored_runs *runs)
{
	table_finish(&runs->table);
	text_list_finish(&runs->ids);
}

enum pmpp_status cmd_store_list(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const struct page_style style = terminal_page_style(&options->terminal, stdout);
	const struct store_filter filter = stored_filter(options);
	char path[STORE_PATH_BYTES];
	struct stored_runs runs;
	enum pmpp_status status = store_default_path(path, error);
	bool missing = status == PMPP_OK && access(path, F_OK) != 0 && errno == ENOENT;

	*ret_exit = EXIT_CODE_OK;
	runs_init(&runs);
	if (status == PMPP_OK && !missing)
		status = stored_each(&filter, take_run, &runs, path, error);
	if (status == PMPP_OK && !runs.ids.count) {
		stored_none(path, &filter, false, error);
		if (!options->terminal.quiet)
			terminal_print(stdout, "%s\n", error->message);
		pmpp_error_clear(error);
	} else if (status == PMPP_OK && !options->terminal.quiet) {
		table_put(&runs.table, stdout, &style);
	}
	runs_finish(&runs);
	return status;
}

/* Finds the run with this name, or the only one whose name begins with the word. */
static enum pmpp_status find_run(const struct stored_runs *runs, const char *word,
	const char **ret_run, struct pmpp_error *error)
{
	size_t found = 0;

	for (size_t i = 0; i < runs->ids.count; i++) {
		if (strncmp(runs->ids.items[i], word, strlen(word)) != 0)
			continue;
		*ret_run = runs->ids.items[i];
		if (strcmp(*ret_run, word) == 0)
			return PMPP_OK;
		found++;
	}
	if (found == 1 && *word)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s: %zu stored runs have an id that begins with this text: see `store list`; to "
		"choose a label, give --label=%s",
		word, found, word);
}

/* Removes the named runs; without names, all runs of the label. */
static enum pmpp_status remove_runs(const struct cli_options *options, struct store *store,
	const struct stored_runs *runs, struct pmpp_error *error)
{
	size_t count = options->argument_count ? options->argument_count : runs->ids.count;
	const char **chosen = calloc(count + 1, sizeof *chosen);
	enum pmpp_status status = chosen ? PMPP_OK : PMPP_NO_MEMORY(error, "the runs");

	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		if (options->argument_count)
			status = find_run(runs, options->arguments[i], &chosen[i], error);
		else
			chosen[i] = runs->ids.items[i];
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		status = store_remove(store, chosen[i], error);
		if (status == PMPP_OK && !options->terminal.quiet)
			printf("removed run %.*s\n", RUN_CHARACTERS, chosen[i]);
	}
	free(chosen);
	return status;
}

enum pmpp_status cmd_store_remove(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct store store = {0};
	struct stored_runs runs;

	*ret_exit = EXIT_CODE_OK;
	if (options->argument_count == 0 && !options->label)
		return PMPP_FAIL(error, PMPP_USAGE,
			"store remove: give the names of runs (see `store list`), or --label");
	runs_init(&runs);
	char path[STORE_PATH_BYTES];
	enum pmpp_status status = read_store(options, take_run, &runs, &runs.ids.count, error);
	if (status == PMPP_OK)
		status = store_default_path(path, error);
	if (status == PMPP_OK)
		status = store_open(path, false, STORE_WAIT_MS, &store, error);
	if (status == PMPP_OK)
		status = remove_runs(options, &store, &runs, error);
	store_close(&store);
	runs_finish(&runs);
	return status;
}
