#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/sections.h"
#include "host/report/format.h"

/* Returns the reason. For a row that passed, it is the reason why the row has no time. */
static const char *reason_of(const struct page_row *row)
{
	const char *reason = text_or_empty(row->cell->reason);

	return *reason || row->cell->status != OUTCOME_OK ? reason : "checked, not timed";
}

static const char *status_of(const struct page_row *row, char text[32])
{
	format_status(row->cell->status, text, 32);
	return row->cell->status == OUTCOME_OK ? "not timed" : text;
}

/* Sorts by side, status, reason and place. */
static int by_reason(const void *a, const void *b)
{
	const struct page_row *x = *(const struct page_row *const *)a;
	const struct page_row *y = *(const struct page_row *const *)b;
	int order = (x->side > y->side) - (x->side < y->side);

	if (order == 0)
		order = (x->cell->status > y->cell->status) - (x->cell->status < y->cell->status);
	if (order == 0)
		order = strcmp(reason_of(x), reason_of(y));
	if (order == 0)
		order = strcmp(
			text_or_empty(x->compared->variant), text_or_empty(y->compared->variant));
	return order ? order : (x > y) - (x < y);
}

static bool same_group(const struct page_row *a, const struct page_row *b)
{
	return a->side == b->side && a->cell->status == b->cell->status &&
	       strcmp(reason_of(a), reason_of(b)) == 0;
}

/* Returns "matmul/cpu-packed (6 sizes), vecadd/cpu-stream". malloc'ed. */
static char *names_of(const struct page *page, const struct page_row **rows, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0, next; out && i < count; i = next) {
		for (next = i + 1;
			next < count &&
			text_equal(rows[i]->compared->variant, rows[next]->compared->variant) &&
			page_family(page, rows[i]) == page_family(page, rows[next]);)
			next++;
		fprintf(out, "%s%.80s/%.80s", i ? ", " : "", page_family(page, rows[i]),
			text_or_empty(rows[i]->compared->variant));
		if (next - i > 1)
			fprintf(out, " (%zu sizes)", next - i);
	}
	if (out)
		fclose(out);
	return text;
}

static void put_table(struct page *page, const struct page_row **rows, size_t count)
{
	static const struct table_column columns[] = {{.title = "device"}, {.title = "status"},
		{.title = "reason"}, {.title = "rows", .align = TABLE_RIGHT},
		{.title = "variants"}};
	struct table table;
	char status[32];

	table_init(&table, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && same_group(rows[i], rows[next]);)
			next++;
		char *names = names_of(page, rows + i, next - i);
		table_row(&table, STYLE_PLAIN);
		table_text(&table, page->sides[rows[i]->side].name);
		table_text(&table, status_of(rows[i], status));
		table_text(&table, reason_of(rows[i]));
		table_format(&table, "%zu", next - i);
		table_text(&table, names);
		page->failed |= !names;
		free(names);
	}
	page_put_table(page, &table, "Variants without a time, and the reasons");
}

void section_skipped(struct page *page)
{
	const struct page_row **rows = calloc(page->row_count + 1, sizeof *rows);
	size_t count = 0;

	page->failed |= !rows;
	for (size_t i = 0; rows && i < page->row_count; i++)
		if (!page->rows[i].timed)
			rows[count++] = &page->rows[i];
	if (count) {
		qsort(rows, count, sizeof *rows, by_reason);
		html_markup(page->out,
			"<p>A variant has a time only if the device can run it and its result is "
			"correct. &ldquo;Skipped&rdquo; and &ldquo;unsupported&rdquo; are not errors: the "
			"device lacks something that the variant needs, or the problem does not fit. "
			"&ldquo;Not timed&rdquo; means that the variant was only checked. All other "
			"statuses are errors.</p>\n<p>");
		html_format(page->out, "%zu of %zu rows have no time.", count, page->row_count);
		html_markup(page->out, "</p>\n");
		page_table_begin(page, "Table: variants without a time, and the reasons");
		put_table(page, rows, count);
		page_table_end(page);
	}
	free(rows);
}
