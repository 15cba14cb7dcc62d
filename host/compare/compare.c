#include "host/compare/compare.h"

#include <stdlib.h>

#include "host/compare/internal.h"

enum pmpp_status compare_check_by(const char *by, struct pmpp_error *error)
{
	unsigned ignored;

	return by ? compare_fields_parse(by, &ignored, error) : PMPP_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const struct device_record *find_device(
	const struct result_document *document, const char *key)
{
	for (size_t i = 0; i < document->devices.count; i++)
		if (text_equal(document->devices.items[i].key, key))
			return &document->devices.items[i];
	return NULL;
}

static enum pmpp_status collect_rows(struct comparison *comparison)
{
	size_t total = 0;
	bool ok = true;

	for (size_t f = 0; f < comparison->file_count; f++)
		total += comparison->files[f].document.results.count;
	comparison->rows = calloc(total + 1, sizeof *comparison->rows);
	ok = comparison->rows != NULL;
	for (size_t f = 0; f < comparison->file_count && ok; f++) {
		const struct result_document *document = &comparison->files[f].document;
		if (document->results.count == 0)
			return PMPP_FAIL(comparison->error, PMPP_USAGE,
				"%s has no results: give a file of `run --json`",
				comparison->files[f].path);
		for (size_t r = 0; r < document->results.count && ok; r++) {
			struct compared_row *row = &comparison->rows[comparison->row_count];
			*row = (struct compared_row){.row = &document->results.items[r],
				.document = document,
				.path = comparison->files[f].path,
				.file = f,
				.order = comparison->row_count};
			row->device = find_device(document, row->row->device);
			ok = compared_row_set_texts(row);
			comparison->row_count++;
		}
	}
	return ok ? PMPP_OK
		  : PMPP_FAIL(
			    comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
}

/* ---- Public ---------------------------------------------------------------------------------- */

static enum pmpp_status check_sides(const struct comparison *comparison)
{
	const struct side_list *sides = &comparison->document->sides;

	if (sides->count > 1)
		return PMPP_OK;
	if (comparison->file_count == 1 && !comparison->options->by)
		return PMPP_FAIL(comparison->error, PMPP_USAGE,
			"nothing to compare: %s has one device and one backend; give a second file",
			comparison->files[0].path);
	return PMPP_FAIL(comparison->error, PMPP_USAGE,
		"nothing to compare: all rows have the same %s%s; give other files, or another --by",
		comparison->document->by.count ? comparison->document->by.items[0] : "run",
		comparison->document->by.count > 1 ? " and other compared fields" : "");
}

enum pmpp_status compare_files(const struct compared_file *files, size_t count,
	const struct compare_options *options, struct comparison_document *ret_document,
	struct pmpp_error *error)
{
	struct comparison_document document;
	struct comparison comparison = {.files = files,
		.file_count = count,
		.options = options,
		.document = &document,
		.error = error};
	struct join join = {0};

	record_init(&comparison_document_type, &document);
	text_set(&document.schema, COMPARISON_SCHEMA);
	document.per_roof = options->per_roof;
	enum pmpp_status status = collect_rows(&comparison);
	if (status == PMPP_OK)
		status = sides_make(&comparison);
	if (status == PMPP_OK)
		status = check_sides(&comparison);
	if (status == PMPP_OK)
		status = join_make(&comparison, &join);
	if (status == PMPP_OK) {
		status = judge_rows(&comparison, &join);
		if (status == PMPP_OK)
			status = best_make(&comparison);
		join_finish(&join);
	}
	for (size_t i = 0; i < comparison.row_count; i++)
		compared_row_finish(&comparison.rows[i]);
	free(comparison.rows);
	if (status == PMPP_OK)
		*ret_document = document;
	else
		record_finish(&comparison_document_type, &document);
	return status;
}
