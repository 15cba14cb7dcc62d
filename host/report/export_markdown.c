#include "host/report/export.h"

#include "common/family.h"
#include "common/model/parity.h"
#include "host/compare/fields.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"
#include "host/report/ladder_table.h"
#include "host/report/verify_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text in progress. */
struct page {
	FILE *out;
	const struct result_document *document;
	unsigned flags; /* of the printed times */
};

/* ---- Groups -------------------------------------------------------------------------------- */

/* Whether two rows belong in one ladder. */
static bool same_group(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->backend, b->backend) &&
	       text_equal(a->device, b->device) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       named_list_equal(&a->problem, &b->problem);
}

/* The rows of a group, from `first` to before `end`. */
struct group {
	const struct result_row *rows;
	size_t first, end;
};

static struct group group_at(const struct result_row_list *results, size_t first)
{
	struct group group = {results->items, first, first + 1};

	while (group.end < results->count &&
		same_group(&results->items[first], &results->items[group.end]))
		group.end++;
	return group;
}

/* ---- Headings ------------------------------------------------------------------------------ */

/* "NVIDIA H200, cuda (580.159.04)" */
static void put_device(const struct page *page, const char *key, const char *backend)
{
	char driver[128];
	const struct device_record *device = device_of_key(page->document, key);
	const struct view_record *view = device_view(device, backend);

	format_driver(view ? view->platform : NULL, view ? text_or_empty(view->driver) : "", driver,
		sizeof driver);
	markdown_text(page->out, text_or_empty(device ? device->name : key));
	markdown_text(page->out, ", ");
	markdown_text(page->out, text_or_empty(backend));
	if (*driver) {
		markdown_text(page->out, " (");
		markdown_text(page->out, driver);
		markdown_text(page->out, ")");
	}
}

/* "**matmul** C = A B, f32, m=n=k=512. " */
static void put_problem(const struct page *page, const struct result_row *row)
{
	const struct family *family = family_find(text_or_empty(row->family));
	const bool plain = text_equal(row->data, "random");
	const char *const choices[] = {row->dtype, row->op, plain ? NULL : row->data};
	char sizes[160];

	format_sizes(&row->problem, sizes, sizeof sizes);
	fputs("**", page->out);
	markdown_text(page->out, text_or_empty(row->family));
	fprintf(page->out, "** %s", family ? family->title : "");
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		if (choices[i] && *choices[i]) {
			fputs(", ", page->out);
			markdown_text(page->out, choices[i]);
		}
	fputs(", ", page->out);
	markdown_text(page->out, sizes);
	fputs(". ", page->out);
}

static void begin_table(const struct page *page, bool first)
{
	if (!first)
		fputc('\n', page->out);
}

/* ---- Ladders ------------------------------------------------------------------------------- */

static bool has_peers(const struct group *group)
{
	bool peers = false;

	for (size_t i = group->first; i < group->end; i++)
		peers |= group->rows[i].peers.count > 0;
	return peers;
}

static void put_ladder(struct page *page, const struct group *group)
{
	const struct result_row *rows = &group->rows[group->first];
	struct table table;

	put_problem(page, rows);
	put_device(page, rows->device, rows->backend);
	fputs(":\n\n", page->out);
	ladder_table_init(&table, rows->family, true, has_peers(group));
	for (size_t i = group->first; i < group->end; i++)
		if (flag_marks_put_load(page->out, &group->rows[i])) {
			fputc('\n', page->out);
			break;
		}
	for (size_t i = group->first; i < group->end; i++) {
		char label[160];
		ladder_label(&group->rows[i], rows, group->end - group->first, label, sizeof label);
		ladder_table_row(&table, label, &group->rows[i]);
		page->flags |= flag_marks_of_row(&group->rows[i]);
	}
	table_put_markdown(&table, page->out);
	table_finish(&table);
}

static void put_ladders(struct page *page)
{
	const struct result_row_list *results = &page->document->results;

	for (size_t i = 0; i < results->count;) {
		struct group group = group_at(results, i);
		begin_table(page, i == 0);
		put_ladder(page, &group);
		i = group.end;
	}
}

/* ---- Parity -------------------------------------------------------------------------------- */

static const char *backend_of(const struct parity_row *parity, size_t side)
{
	return side < parity->backends.count ? parity->backends.items[side] : "";
}

/* The result row of a side; NULL if the file does not have it. */
static const struct result_row *side_of(
	const struct page *page, const struct parity_row *parity, size_t side)
{
	const struct result_row_list *results = &page->document->results;

	for (size_t i = 0; i < results->count; i++) {
		const struct result_row *row = &results->items[i];
		if (text_equal(row->family, parity->family) &&
			text_equal(row->variant, parity->variant) &&
			text_equal(row->backend, backend_of(parity, side)) &&
			named_list_equal(&row->problem, &parity->problem) &&
			named_list_equal(&row->macros, &parity->macros))
			return row;
	}
	return NULL;
}

static void begin_parity(
	const struct page *page, const struct parity_row *parity, struct table *table)
{
	const char *const sides[2] = {backend_of(parity, 0), backend_of(parity, 1)};

	for (size_t side = 0; side < 2; side++) {
		const struct result_row *row = side_of(page, parity, side);
		if (row && side == 0)
			put_problem(page, row);
		if (side == 1)
			fputs(" against ", page->out);
		put_device(page, row ? row->device : parity->device, sides[side]);
	}
	fputs(":\n\n", page->out);
	parity_table_init(table, sides, false);
}

static bool begins_group(const struct parity_row_list *list, size_t index)
{
	const struct parity_row *row = &list->items[index], *before = row - 1;

	return index == 0 || !text_equal(before->family, row->family) ||
	       !text_equal(before->device, row->device) ||
	       !named_list_equal(&before->problem, &row->problem);
}

static void put_parity(struct page *page)
{
	const struct parity_row_list *list = &page->document->parity;
	struct table table = {0};

	for (size_t i = 0; i < list->count; i++) {
		const struct parity_row *parity = &list->items[i];
		const struct result_row *const rows[2] = {
			side_of(page, parity, 0), side_of(page, parity, 1)};
		if (begins_group(list, i)) {
			begin_table(page, i == 0);
			begin_parity(page, parity, &table);
		}
		parity_table_row(&table, parity->variant, parity, rows);
		for (size_t side = 0; side < 2; side++)
			page->flags |= rows[side] ? flag_marks_of_row(rows[side]) : 0;
		if (i + 1 == list->count || begins_group(list, i + 1)) {
			table_put_markdown(&table, page->out);
			table_finish(&table);
		}
	}
}

/* ---- Verification -------------------------------------------------------------------------- */

static bool same_line(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->backend, b->backend) && text_equal(a->device, b->device) &&
	       named_list_equal(&a->macros, &b->macros);
}

/* Adds one line for the rows from `first` to before `end`, which differ in their problems only. */
static void add_verified(const struct page *page, size_t first, size_t end, struct table *table)
{
	const struct result_row *rows = page->document->results.items;
	const struct result_row *row = &rows[first];
	struct verify_line line = {0};
	const struct device_record *device = device_of_key(page->document, row->device);
	char name[160];

	char *title = device ? device_record_title(device) : NULL;
	for (size_t i = first; i < end; i++)
		verify_line_add(&line, &rows[i]);
	snprintf(name, sizeof name, "%s/%s", text_or_empty(row->family),
		text_or_empty(row->variant));
	verify_table_row(
		table, &line, title ? title : text_or_empty(row->device), row->backend, name, 0);
	free(title);
	verify_line_finish(&line);
}

static void put_verification(struct page *page)
{
	const struct result_row_list *results = &page->document->results;
	struct table table;

	verify_table_init(&table, true);
	for (size_t i = 0, end; i < results->count; i = end) {
		for (end = i + 1; end < results->count; end++)
			if (!same_line(&results->items[i], &results->items[end]))
				break;
		add_verified(page, i, end, &table);
	}
	table_put_markdown(&table, page->out);
	table_finish(&table);
}

/* Lists the rows that have the mark of a fallback. */
static void put_fallbacks(const struct page *page)
{
	const struct result_row_list *results = &page->document->results;

	fputs(page->flags & FLAG_MARK_FALLBACK ? "\n" : "", page->out);
	for (size_t i = 0; i < results->count; i++) {
		const struct result_row *row = &results->items[i];
		if (!(flag_marks_of_row(row) & FLAG_MARK_FALLBACK))
			continue;
		fputs("- ", page->out);
		markdown_text(page->out, text_or_empty(row->family));
		fputc('/', page->out);
		markdown_text(page->out, text_or_empty(row->variant));
		fputs(": ", page->out);
		markdown_text(page->out, row->fallback);
		fputc('\n', page->out);
	}
}

/* ---- Public -------------------------------------------------------------------------------- */

static bool is_timed(const struct result_document *document)
{
	for (size_t i = 0; i < document->results.count; i++)
		if (document->results.items[i].timing.record.present)
			return true;
	return false;
}

char *export_markdown(const struct result_document *document)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct page page = {.out = out, .document = document};

	if (!out)
		return NULL;
	if (document->parity.count)
		put_parity(&page);
	else if (is_timed(document))
		put_ladders(&page);
	else
		put_verification(&page);
	flag_marks_markdown(out, page.flags);
	put_fallbacks(&page);
	fclose(out);
	return text;
}
