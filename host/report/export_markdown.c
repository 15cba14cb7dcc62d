#include "host/report/export.h"

#include "host/compare/compare.h"
#include "host/report/console.h"
#include "host/report/flag_marks.h"

#include <stdlib.h>

/* The results are passed to a console that writes Markdown, in groups as `run` reports them. */

/* Sets the device of a group. */
static void set_device(const struct result_document *document, const char *key, const char *backend,
	struct group_record *group)
{
	const struct device_record *device = device_of_key(document, key);
	const struct view_record *view = device_view(device, backend);

	text_set(&group->device, backend);
	text_set(&group->device_name, device ? device->name : key);
	text_set(&group->platform, view ? view->platform : NULL);
	text_set(&group->driver, view ? view->driver : NULL);
}

/* Begins the group of a row. number: of the group. other: the row of the other side; NULL = no parity. */
static void begin_group(struct console *console, const struct result_document *document,
	enum group_action action, size_t number, const struct result_row *row,
	const struct result_row *other)
{
	const char *data = text_equal(row->data, "random") ? "" : text_or_empty(row->data);
	const char *op = text_or_empty(row->op);
	struct group_record group;
	char sizes[160];

	record_init(&group_type, &group);
	group.number = (int64_t)number;
	group.action = (int)action;
	group.gpu = true;
	if (other) {
		set_device(document, other->device, other->backend, &group);
		text_format(&group.other, "%s %s", group.device, text_or_empty(group.device_name));
	}
	set_device(document, row->device, row->backend, &group);
	format_sizes(&row->problem, sizes, sizeof sizes);
	text_set(&group.family, row->family);
	text_set(&group.problem, sizes);
	text_format(&group.choices, "%s%s%s%s%s", text_or_empty(row->dtype), *op ? " " : "", op,
		*data ? " " : "", data);
	struct group_row *first = record_list_add(&group_row_type, &group.rows);
	if (first)
		text_set(&first->label, row->variant);
	for (size_t i = 0; i < document->results.count; i++)
		group.peers |= text_equal(document->results.items[i].family, row->family) &&
			       document->results.items[i].peers.count > 0;
	console_group(console, &group);
	record_finish(&group_type, &group);
}

/* Whether two rows belong in one ladder, or in one line of `verify`. */
static bool same_group(
	const struct result_row *a, const struct result_row *b, enum group_action action)
{
	if (!text_equal(a->family, b->family) || !text_equal(a->backend, b->backend) ||
		!text_equal(a->device, b->device))
		return false;
	if (action == GROUP_VERIFY)
		return text_equal(a->variant, b->variant) &&
		       named_list_equal(&a->macros, &b->macros);
	return text_equal(a->dtype, b->dtype) && text_equal(a->op, b->op) &&
	       text_equal(a->data, b->data) && named_list_equal(&a->problem, &b->problem);
}

static void put_rows(
	struct console *console, const struct result_document *document, enum group_action action)
{
	const struct result_row *rows = document->results.items;

	for (size_t i = 0, end; i < document->results.count; i = end) {
		for (end = i + 1; end < document->results.count; end++)
			if (!same_group(&rows[i], &rows[end], action))
				break;
		begin_group(console, document, action, i, &rows[i], NULL);
		for (size_t k = i; k < end; k++) {
			char label[160];
			ladder_label(&rows[k], &rows[i], end - i, label, sizeof label);
			console_row(console, label, &rows[k]);
		}
	}
}

static void put_parity(struct console *console, const struct result_document *document)
{
	for (size_t i = 0; i < document->parity.count; i++) {
		const struct parity_row *row = &document->parity.items[i], *last = row - 1;
		const struct result_row *sides[2];
		struct result_row missing[2]; /* a side that the file does not have */
		for (size_t side = 0; side < 2; side++) {
			record_init(&result_row_type, &missing[side]);
			text_set(&missing[side].family, row->family);
			text_set(&missing[side].backend,
				side < row->backends.count ? row->backends.items[side] : NULL);
			sides[side] = parity_side_row(document, row, side);
			if (!sides[side])
				sides[side] = &missing[side];
		}
		if (i == 0 || !text_equal(last->family, row->family) ||
			!text_equal(last->device, row->device) ||
			!named_list_equal(&last->problem, &row->problem))
			begin_group(console, document, GROUP_PARITY, i, sides[0], sides[1]);
		console_parity(console, row->variant, row, sides);
		record_finish(&result_row_type, &missing[0]);
		record_finish(&result_row_type, &missing[1]);
	}
}

char *export_markdown(const struct result_document *document)
{
	const struct terminal_options options = {.colour = WHEN_NO};
	struct console console;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned flags = 0;
	bool timed = false;

	if (!out)
		return NULL;
	console_init(&console, &options, false);
	console.terminal.out = out;
	console.terminal.style = (struct page_style){.markdown = true};
	for (size_t i = 0; i < document->results.count; i++) {
		flags |= flag_marks_of_row(&document->results.items[i]);
		timed |= document->results.items[i].timing.record.present;
	}
	if (document->parity.count)
		put_parity(&console, document);
	else
		put_rows(&console, document, timed ? GROUP_RUN : GROUP_VERIFY);
	console_group_end(&console);
	if (timed)
		flag_marks_markdown(out, flags);
	console_finish(&console);
	fclose(out);
	return text;
}
