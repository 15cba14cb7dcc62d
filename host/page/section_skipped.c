#include "host/page/side_rows.h"

#include "common/clean_text.h"
#include "host/report/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum size of a variant's name in a list of names, in bytes. */
#define NAME_BYTES 80

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Returns one status for all unknown statuses, which newer versions of the program write. */
static int status_of(const struct side_row *row)
{
	return row->row->status >= 0 ? row->row->status : WORD_UNKNOWN;
}

/* Returns the reason. For a row that passed, it is the reason why the row has no time. */
static const char *reason_of(const struct side_row *row)
{
	const char *reason = text_or_empty(row->row->reason);

	return *reason || row->row->status != OUTCOME_OK ? reason : "checked, not timed";
}

static bool is_untimed(const struct side_row *row)
{
	return !(row->ns > 0);
}

/* Sorts by side, status and reason. Rows of one variant are then neighbours. */
static int by_reason(const void *a, const void *b)
{
	const struct side_row *x = *(const struct side_row *const *)a;
	const struct side_row *y = *(const struct side_row *const *)b;
	int order = (x->side > y->side) - (x->side < y->side);

	if (order == 0)
		order = (status_of(x) > status_of(y)) - (status_of(x) < status_of(y));
	if (order == 0)
		order = strcmp(reason_of(x), reason_of(y));
	if (order == 0)
		order = strcmp(text_or_empty(x->row->family), text_or_empty(y->row->family));
	if (order == 0)
		order = strcmp(text_or_empty(x->row->variant), text_or_empty(y->row->variant));
	return order ? order : (x > y) - (x < y);
}

static bool same_group(const struct side_row *a, const struct side_row *b)
{
	return a->side == b->side && status_of(a) == status_of(b) &&
	       strcmp(reason_of(a), reason_of(b)) == 0;
}

/* Returns the untimed rows, sorted. malloc'ed; NULL if there is no memory. */
static const struct side_row **sort_untimed(const struct side_rows *rows, size_t *ret_count)
{
	const struct side_row **sorted = calloc(rows->count + 1, sizeof *sorted);
	size_t count = 0;

	for (size_t i = 0; i < rows->count && sorted; i++)
		if (is_untimed(&rows->items[i]))
			sorted[count++] = &rows->items[i];
	if (count)
		qsort(sorted, count, sizeof *sorted, by_reason);
	*ret_count = count;
	return sorted;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool same_variant(const struct side_row *a, const struct side_row *b)
{
	return text_equal(a->row->variant, b->row->variant) &&
	       text_equal(a->row->family, b->row->family);
}

/* Returns "matmul/cpu-packed (6 sizes), vecadd/cpu-stream". malloc'ed; NULL if there is no
 * memory. */
static char *names_of(const struct side_row **rows, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *separator = "";

	for (size_t i = 0, next; out && i < count; i = next) {
		char *name = side_row_name(rows[i]->row);
		char shown[NAME_BYTES];
		for (next = i + 1; next < count && same_variant(rows[i], rows[next]);)
			next++;
		clean_text(text_or_empty(name), strlen(text_or_empty(name)), CLEAN_LINE, shown,
			sizeof shown);
		fprintf(out, "%s%s", separator, shown);
		if (next - i > 1)
			fprintf(out, " (%zu sizes)", next - i);
		separator = ", ";
		free(name);
	}
	if (out)
		fclose(out);
	return text;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void put_status(struct html_table *table, int status)
{
	char words[32];

	format_status(status, words, sizeof words);
	html_cell(table, status == OUTCOME_OK ? "not timed" : words);
}

/* Writes the rows of one side. */
static bool put_side(struct page *page, const struct side_row **rows, size_t count)
{
	static const struct html_column columns[] = {{"status", HTML_LEFT}, {"reason", HTML_LEFT},
		{"rows", HTML_RIGHT}, {"variants", HTML_LEFT}};
	struct html_table table = {0};
	bool ok = true;

	html_table_begin(&table, page->out, page->sides[rows[0]->side].name, columns,
		sizeof columns / sizeof *columns);
	for (size_t i = 0, next; i < count && ok; i = next) {
		for (next = i + 1; next < count && same_group(rows[i], rows[next]);)
			next++;
		char *names = names_of(rows + i, next - i);
		ok = names != NULL;
		html_row_begin(&table);
		put_status(&table, rows[i]->row->status);
		html_cell_name(&table, reason_of(rows[i]));
		html_cell_format(&table, "%zu", next - i);
		html_cell(&table, names);
		html_row_end(&table);
		free(names);
	}
	html_table_end(&table);
	return ok;
}

/* Counts the untimed rows of a side that have the status. */
static size_t count_status(const struct side_rows *rows, size_t side, int status)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += rows->items[i].side == side && is_untimed(&rows->items[i]) &&
			 status_of(&rows->items[i]) == status;
	return count;
}

static size_t count_timed(const struct side_rows *rows, size_t side)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += rows->items[i].side == side && !is_untimed(&rows->items[i]);
	return count;
}

/* Writes "NVIDIA H200, CUDA: 119 timed, 8 skipped". */
static void put_counts(const struct page *page, const struct side_rows *rows)
{
	FILE *out = page->out;

	html_markup(out, "<ul>\n");
	for (size_t side = 0; side < page->side_count; side++) {
		html_markup(out, "<li>");
		html_name(out, page->sides[side].name);
		html_format(out, ": %zu timed", count_timed(rows, side));
		for (int status = WORD_UNKNOWN; status < OUTCOME_STATUS_COUNT; status++) {
			size_t count = count_status(rows, side, status);
			char words[32];
			format_status(status, words, sizeof words);
			if (count)
				html_format(out, ", %zu %s", count,
					status == OUTCOME_OK ? "checked, not timed" : words);
		}
		html_markup(out, "</li>\n");
	}
	html_markup(out, "</ul>\n");
}

/* ---- The section ----------------------------------------------------------------------------- */

static bool put_section(struct page *page, const struct side_rows *rows,
	const struct side_row **sorted, size_t count)
{
	bool ok = true;

	page_section_begin(page, "skipped", "Without a time");
	html_markup(page->out,
		"<p>A variant has a time only if the device can run it and its result is correct. This "
		"section lists all other variants, with the reason. &ldquo;Skipped&rdquo; and "
		"&ldquo;unsupported&rdquo; are not errors: the device lacks something that the variant "
		"needs, or the problem does not fit. &ldquo;Not timed&rdquo; means that the variant was "
		"only checked. All other statuses are errors.</p>\n");
	put_counts(page, rows);
	page_table_begin(page, "Table: variants without a time, and the reasons");
	for (size_t i = 0, next; i < count && ok; i = next) {
		for (next = i + 1; next < count && sorted[next]->side == sorted[i]->side;)
			next++;
		ok = put_side(page, sorted + i, next - i);
	}
	page_table_end(page);
	page_section_end(page);
	return ok;
}

bool section_skipped(struct page *page)
{
	struct side_rows rows;
	bool ok = side_rows_make(page, &rows);
	size_t count = 0;
	const struct side_row **sorted = ok ? sort_untimed(&rows, &count) : NULL;

	ok = ok && sorted;
	if (ok && count)
		ok = put_section(page, &rows, sorted, count);
	free(sorted);
	side_rows_finish(&rows);
	return ok;
}
