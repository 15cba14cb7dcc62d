#include "host/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "host/compare/internal.h"

enum pmpp_status compare_check_by(const char *by, struct pmpp_error *error)
{
	unsigned ignored;

	return by ? compare_fields_parse(by, &ignored, error) : PMPP_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Sets the field in rows that ended early and lack it, if all other rows have the same value.
 * Returns false if there is no memory. */
static bool complete_field(struct compared_row *rows, size_t count, enum compare_field field)
{
	const char *text = NULL;
	bool ok = true;

	for (size_t i = 0; i < count; i++) {
		if (text && rows[i].texts[field] && strcmp(text, rows[i].texts[field]) != 0)
			return true;
		if (!text)
			text = rows[i].texts[field];
	}
	for (size_t i = 0; text && i < count && ok; i++) {
		if (!rows[i].texts[field])
			rows[i].texts[field] = strdup(text);
		ok = rows[i].texts[field] != NULL;
	}
	return ok;
}

/* Appends the rows of a file. Returns false if there is no memory. */
static bool add_file(struct comparison *comparison, size_t file)
{
	const struct result_document *document = &comparison->files[file].document;
	struct compared_row *rows = &comparison->rows[comparison->row_count];
	const size_t count = document->results.count;

	for (size_t r = 0; r < count; r++) {
		rows[r] = (struct compared_row){.row = &document->results.items[r],
			.document = document,
			.path = comparison->files[file].path,
			.name = comparison->files[file].name,
			.file = file,
			.hosts_apart = comparison->options->separate,
			.order = comparison->row_count++};
		rows[r].device = device_of_key(document, rows[r].row->device);
		if (!compared_row_set_texts(&rows[r]))
			return false;
	}
	return complete_field(rows, count, ROW_MATH) && complete_field(rows, count, ROW_CONTRACT);
}

static enum pmpp_status collect_rows(struct comparison *comparison)
{
	size_t total = 0;

	for (size_t f = 0; f < comparison->file_count; f++)
		total += comparison->files[f].document.results.count;
	comparison->rows = calloc(total + 1, sizeof *comparison->rows);
	bool ok = comparison->rows != NULL;
	for (size_t f = 0; f < comparison->file_count && ok; f++) {
		if (comparison->files[f].document.results.count == 0 &&
			!comparison->files[f].has_lost_rows)
			return PMPP_FAIL(comparison->error, PMPP_USAGE,
				"%s has no results: give a file from `run --json` or `store export`",
				comparison->files[f].path);
		ok = add_file(comparison, f);
	}
	ok = ok && complete_field(comparison->rows, total, ROW_MATH) &&
	     complete_field(comparison->rows, total, ROW_CONTRACT);
	return ok ? PMPP_OK
		  : PMPP_FAIL(
			    comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
}

/* ---- Public ---------------------------------------------------------------------------------- */

static enum pmpp_status check_sides(const struct comparison *comparison)
{
	const struct side_list *sides = &comparison->document->sides;

	if (sides->count > COMPARE_MAX_SIDES)
		return PMPP_FAIL(comparison->error, PMPP_USAGE,
			"%zu sides are too many (at most %d): give fewer files or runs, or another --by",
			sides->count, COMPARE_MAX_SIDES);
	if (sides->count > 1 || comparison->options->separate)
		return PMPP_OK;
	if (comparison->file_count == 1 && !comparison->options->by)
		return PMPP_FAIL(comparison->error, PMPP_USAGE,
			"nothing to compare: %s has one device and one backend, in one run; give a second "
			"file",
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
			status = confirm_slow(&comparison);
		if (status == PMPP_OK)
			status = best_make(&comparison);
		join_finish(&join);
	}
	for (size_t i = 0; i < comparison.row_count; i++)
		compared_row_finish(&comparison.rows[i]);
	free(comparison.rows);
	free(comparison.own_times);
	for (size_t i = 0; comparison.drivers && i < count; i++)
		free(comparison.drivers[i]);
	free(comparison.drivers);
	if (status == PMPP_OK)
		*ret_document = document;
	else
		record_finish(&comparison_document_type, &document);
	return status;
}
