#include "host/report/export.h"

#include "host/compare/fields.h"
#include "host/report/flag_marks.h"
#include "host/report/ladder_table.h"
#include "host/report/verify_table.h"

#include <stdlib.h>

/* The text in progress. */
struct page {
	FILE *out;
	const struct result_document *document;
	unsigned flags;     /* of the printed times */
	struct table table; /* of the current group */
	bool begun;         /* there is a group */
};

/* ---- Groups -------------------------------------------------------------------------------- */

/* Sets the device of a group, as `run` reports it. */
static void set_device(
	const struct page *page, const char *key, const char *backend, struct group_record *group)
{
	const struct device_record *device = device_of_key(page->document, key);
	const struct view_record *view = device_view(device, backend);

	text_set(&group->device, backend);
	text_set(&group->device_name, device ? device->name : key);
	text_set(&group->platform, view ? view->platform : NULL);
	text_set(&group->driver, view ? view->driver : NULL);
}

static void set_problem(const struct result_row *row, struct group_record *group)
{
	const char *data = text_equal(row->data, "random") ? "" : text_or_empty(row->data);
	const char *op = text_or_empty(row->op);
	char sizes[160];

	format_sizes(&row->problem, sizes, sizeof sizes);
	text_set(&group->family, row->family);
	text_set(&group->problem, sizes);
	text_format(&group->choices, "%s%s%s%s%s", text_or_empty(row->dtype), *op ? " " : "", op,
		*data ? " " : "", data);
}

static void end_group(struct page *page)
{
	if (page->begun)
		table_put_markdown(&page->table, page->out);
	table_finish(&page->table);
}

/* Writes a heading, and begins the table of the group. Finishes the group. */
static void begin_group(struct page *page, struct group_record *group)
{
	char *heading = NULL;
	size_t size;
	FILE *out = open_memstream(&heading, &size);

	end_group(page);
	fputs(page->begun ? "\n" : "", page->out);
	page->begun = true;
	if (out) {
		ladder_put_group(out, group);
		fclose(out);
	}
	markdown_text(page->out, text_or_empty(heading));
	fputs(":\n\n", page->out);
	free(heading);
	ladder_table_init(&page->table, group);
	record_finish(&group_type, group);
}

/* ---- Ladders ------------------------------------------------------------------------------- */

/* Whether two rows belong in one ladder. */
static bool same_group(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->backend, b->backend) &&
	       text_equal(a->device, b->device) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       named_list_equal(&a->problem, &b->problem);
}

static void put_ladder(struct page *page, const struct result_row *rows, size_t count)
{
	struct group_record group;
	bool busy = false;

	record_init(&group_type, &group);
	set_problem(rows, &group);
	set_device(page, rows->device, rows->backend, &group);
	group.gpu = true;
	for (size_t i = 0; i < count; i++)
		group.peers |= rows[i].peers.count > 0;
	begin_group(page, &group);
	for (size_t i = 0; i < count && !busy; i++)
		busy = flag_marks_put_load(page->out, &rows[i]);
	fputs(busy ? "\n" : "", page->out);
	for (size_t i = 0; i < count; i++) {
		char label[160];
		ladder_label(&rows[i], rows, count, label, sizeof label);
		ladder_table_row(&page->table, label, &rows[i]);
		page->flags |= flag_marks_of_row(&rows[i]);
	}
}

static void put_ladders(struct page *page)
{
	const struct result_row_list *results = &page->document->results;

	for (size_t i = 0, end; i < results->count; i = end) {
		for (end = i + 1; end < results->count; end++)
			if (!same_group(&results->items[i], &results->items[end]))
				break;
		put_ladder(page, &results->items[i], end - i);
	}
	end_group(page);
}

/* ---- Parity -------------------------------------------------------------------------------- */

static bool begins_group(const struct parity_row_list *list, size_t index)
{
	const struct parity_row *row = &list->items[index], *before = row - 1;

	return index == 0 || !text_equal(before->family, row->family) ||
	       !text_equal(before->device, row->device) ||
	       !named_list_equal(&before->problem, &row->problem);
}

static void begin_parity(
	struct page *page, const struct parity_row *parity, const struct result_row *const sides[2])
{
	struct group_record group, other;

	record_init(&group_type, &group);
	record_init(&group_type, &other);
	group.action = GROUP_PARITY;
	for (size_t i = 0; i < 2; i++)
		set_device(page, sides[i] ? sides[i]->device : parity->device,
			i < parity->backends.count ? parity->backends.items[i] : "",
			i ? &other : &group);
	if (sides[0])
		set_problem(sides[0], &group);
	text_format(&group.other, "%s %s", other.device, text_or_empty(other.device_name));
	record_finish(&group_type, &other);
	begin_group(page, &group);
}

static void put_parity(struct page *page)
{
	const struct parity_row_list *list = &page->document->parity;

	for (size_t i = 0; i < list->count; i++) {
		const struct parity_row *parity = &list->items[i];
		const struct result_row *const sides[2] = {
			parity_side_row(page->document, parity, 0),
			parity_side_row(page->document, parity, 1)};
		if (begins_group(list, i))
			begin_parity(page, parity, sides);
		parity_table_row(&page->table, parity->variant, parity, sides);
		for (size_t side = 0; side < 2; side++)
			page->flags |= sides[side] ? flag_marks_of_row(sides[side]) : 0;
	}
	end_group(page);
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
	fclose(out);
	return text;
}
