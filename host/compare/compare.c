#include "host/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/internal.h"

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

/* Completes the rows of each file, then all rows. */
static bool complete_rows(struct comparison *comparison)
{
	struct compared_row *rows = comparison->rows.items;
	size_t count = comparison->rows.count;
	bool ok = true;

	for (size_t first = 0, end; first < count && ok; first = end) {
		for (end = first + 1; end < count && rows[end].file == rows[first].file;)
			end++;
		ok = complete_field(&rows[first], end - first, ROW_MATH) &&
		     complete_field(&rows[first], end - first, ROW_CONTRACT);
	}
	return ok && complete_field(rows, count, ROW_MATH) &&
	       complete_field(rows, count, ROW_CONTRACT);
}

/* ---- Sections -------------------------------------------------------------------------------- */

struct titled_row {
	char *title; /* family and problem; owned */
	struct comparison_row *row;
};

static int by_title(const void *a, const void *b)
{
	const struct titled_row *x = a, *y = b;
	int order = strcmp(x->title, y->title);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int by_section(const void *a, const void *b)
{
	const struct comparison_row *x = a, *y = b;

	return x->section != y->section ? (x->section > y->section) - (x->section < y->section)
					: (x->order > y->order) - (x->order < y->order);
}

/* Makes the rows of one family and problem neighbours. The number of a section is that of its first row. There
 * may be many sections: the time must not grow with the square of their number. Returns false if there is no
 * memory. */
static bool sort_rows(struct comparison_row_list *rows)
{
	struct titled_row *titled = calloc(rows->count + 1, sizeof *titled);
	bool ok = titled != NULL;

	for (size_t r = 0; r < rows->count && ok; r++) {
		struct comparison_row *row = &rows->items[r];
		char *problem = comparison_row_problem(row);
		text_format(&titled[r].title, "%s %s", text_or_empty(row->family),
			text_or_empty(problem));
		free(problem);
		titled[r].row = row;
		row->order = r;
		ok = titled[r].title != NULL;
	}
	if (ok)
		qsort(titled, rows->count, sizeof *titled, by_title);
	for (size_t i = 0; i < rows->count && ok; i++)
		titled[i].row->section = i && strcmp(titled[i].title, titled[i - 1].title) == 0
						 ? titled[i - 1].row->section
						 : titled[i].row->order;
	for (size_t i = 0; i < rows->count && titled; i++)
		free(titled[i].title);
	free(titled);
	if (ok && rows->count)
		qsort(rows->items, rows->count, sizeof *rows->items, by_section);
	return ok;
}

/* ---- Shipped devices ------------------------------------------------------------------------- */

static bool has_row(
	const struct comparison_document *document, const struct comparison_row *row, bool shipped)
{
	for (size_t i = 0; i < row->cells.count; i++)
		if (document->sides.items[i].shipped == shipped &&
			row->cells.items[i].status != WORD_NULL)
			return true;
	return false;
}

/* Returns whether shipped devices have the variant of a row, but only at other sizes. */
static bool is_unlike(const struct comparison_document *document, const struct comparison_row *row)
{
	bool other = false, same = has_row(document, row, true);

	for (size_t r = 0; r < document->rows.count && !same && !other; r++) {
		const struct comparison_row *of = &document->rows.items[r];
		other = text_equal(of->family, row->family) &&
			text_equal(of->variant, row->variant) && text_equal(of->math, row->math) &&
			text_equal(of->contract, row->contract) &&
			text_equal(of->dtype, row->dtype) && text_equal(of->op, row->op) &&
			text_equal(of->data, row->data) &&
			named_list_equal(&of->macros, &row->macros) &&
			!named_list_equal(&of->problem, &row->problem) &&
			has_row(document, of, true);
	}
	return other;
}

static void mark_rows(struct comparison_document *document)
{
	size_t shipped = 0;

	for (size_t i = 0; i < document->sides.count; i++)
		shipped += document->sides.items[i].shipped;
	document->mixed = shipped > 0 && shipped < document->sides.count;
	for (size_t r = 0; r < document->rows.count; r++) {
		struct comparison_row *row = &document->rows.items[r];
		row->own = !document->mixed || has_row(document, row, false);
		for (size_t i = 0; i < row->cells.count; i++)
			row->shown |= row->own && row->cells.items[i].median_ns > 0;
		row->unlike = document->mixed && row->shown && is_unlike(document, row);
	}
}

/* ---- Public ---------------------------------------------------------------------------------- */

static enum pmpp_status check_files(
	const struct compared_file *files, size_t count, struct pmpp_error *error)
{
	for (size_t f = 0; f < count; f++)
		if (files[f].document.results.count == 0 && !files[f].has_lost_rows)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s has no results: give a file from `run --json` or `store export`",
				files[f].path);
	return PMPP_OK;
}

enum pmpp_status compare_files(const struct compared_file *files, size_t count,
	const struct compare_options *options, struct comparison_document *ret_document,
	struct pmpp_error *error)
{
	struct comparison_document document;
	struct comparison comparison = {
		.files = files, .file_count = count, .options = options, .document = &document};
	enum pmpp_status status = check_files(files, count, error);

	if (status != PMPP_OK)
		return status;
	record_init(&comparison_document_type, &document);
	text_set(&document.schema, COMPARISON_SCHEMA);
	bool ok = compared_rows_make(files, count, options->separate, &comparison.rows) &&
		  complete_rows(&comparison);
	if (ok)
		status = sides_make(&comparison, error);
	ok = ok && status == PMPP_OK && judge_rows(&comparison) && sort_rows(&document.rows);
	if (!ok && status == PMPP_OK)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
	mark_rows(&document);
	compared_rows_finish(&comparison.rows);
	if (status == PMPP_OK)
		*ret_document = document;
	else
		record_finish(&comparison_document_type, &document);
	return status;
}
