/* store export, store import */
#include "host/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/cli/stored.h"
#include "host/record/document.h"
#include "host/record/json.h"
#include "host/record/provenance.h"
#include "host/record/store_file.h"
#include "host/report/terminal.h"

/* ---- Export -------------------------------------------------------------------------------- */

static enum pmpp_status take_document(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	struct store_document *file = context;
	struct result_document *added = record_list_add(&result_document_type, &file->documents);

	if (!added)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the results");
	record_move(&result_document_type, document, added);
	return PMPP_OK;
}

static enum pmpp_status read_store(
	const struct cli_options *options, struct store_document *file, struct pmpp_error *error)
{
	const struct store_filter filter = stored_filter(options);
	char path[STORE_PATH_BYTES];
	char chosen[200];
	enum pmpp_status status = stored_each(&filter, take_document, file, path, error);

	stored_filter_text(&filter, chosen, sizeof chosen);
	if (status == PMPP_OK && file->documents.count == 0)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s has no results%s: `run --save` and `store import` add results", path,
			chosen);
	return status;
}

/* Rejects a file that is too large to be imported again. */
static enum pmpp_status save_readable(
	const struct store_document *file, const char *path, struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status =
		record_write(&store_document_type, file, RECORD_INDENTED, &text, error);

	if (status == PMPP_OK && strlen(text) > DOCUMENT_MAX_BYTES)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s would have %.0f MB; the limit is %.0f MB: export parts, with "
			"--label, --device or --backend",
			path, (double)strlen(text) / 1e6, DOCUMENT_MAX_BYTES / 1e6);
	if (status == PMPP_OK)
		status = document_save_text(path, text, error);
	free(text);
	return status;
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
	enum pmpp_status status = document_check_path(path, error);

	*ret_exit = EXIT_CODE_OK;
	record_init(&store_document_type, &file);
	text_set(&file.schema, STORE_SCHEMA);
	tool_record_set(&file.tool, options->argc, options->argv);
	if (status == PMPP_OK)
		status = stored_check_output(path, error);
	if (status == PMPP_OK)
		status = read_store(options, &file, error);
	if (status == PMPP_OK)
		status = save_readable(&file, path, error);
	if (status == PMPP_OK && !options->terminal.quiet)
		put_exported(&file, path);
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
		status = store_open_or_create(path, STORE_WAIT_MS, &store, error);
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++)
		status = import_file(&store, options->arguments[i], options->terminal.quiet, error);
	store_close(&store);
	return status;
}
