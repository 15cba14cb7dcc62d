#include "host/report/export.h"

#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/report/console.h"
#include "host/report/flag_marks.h"
#include "host/report/table.h"

/* ---- Columns ------------------------------------------------------------------------------- */

#define MAX_SOURCES 5
#define MAX_COLUMNS 40

/* A record of a row; NULL: the row does not have it. */
struct source {
	const struct record_type *type;
	const void *record;
};

struct column {
	const char *title;
	const char *path; /* of the field in the source, "derived.floor.ns"; NULL = the title */
	unsigned source;
};

enum {
	RESULT_SAMPLES = 1,
	RESULT_PEER
};

static const struct column result_columns[] = {{"family"}, {"variant"}, {"technique"}, {"backend"},
	{"device"}, {"problem"}, {"macros"}, {"status"}, {"max_ratio", "verify.max_ratio"},
	{"median_ns", "median", RESULT_SAMPLES}, {"q1_ns", "q1", RESULT_SAMPLES},
	{"q3_ns", "q3", RESULT_SAMPLES}, {"min_ns", "min", RESULT_SAMPLES},
	{"samples", "n", RESULT_SAMPLES}, {"half_width", NULL, RESULT_SAMPLES},
	{"gflops", "derived.gflops"}, {"gbps", "derived.gbps"}, {"pct_roof", "derived.pct_roof"},
	{"limited_by", "derived.limited_by"}, {"floor", "derived.floor.resource"},
	{"floor_ns", "derived.floor.ns"}, {"step", "derived.step"}, {"total", "derived.total"},
	{"claim", "claim.text"}, {"claim_holds", "claim.holds"}, {"claim_verdict", "claim.verdict"},
	{"step_ci95", "derived.step_ci95"}, {"step_paired", "derived.step_paired"}, {"reason"},
	{"fallback"}, {"peer"}, {"peer_variant", "variant", RESULT_PEER},
	{"peer_ratio", "ratio", RESULT_PEER}, {"peer_ci95", "ci95", RESULT_PEER}};

_Static_assert(ARRAY_COUNT(result_columns) <= MAX_COLUMNS, "room for all columns");

static const struct column parity_columns[] = {{"family"}, {"variant"}, {"device"}, {"backends"},
	{"problem"}, {"macros"}, {"ratio"}, {"ci95"}, {"verdict"}, {"bit_identical"},
	{"round_ratio"}, {"tolerance"}};

enum {
	COMPARED_BASE = 1,
	COMPARED_CELL,
	COMPARED_BASE_SIDE,
	COMPARED_SIDE
};

static const struct column comparison_columns[] = {{"family"}, {"variant"}, {"backend"}, {"device"},
	{"dtype"}, {"problem"}, {"macros"}, {"base", "name", COMPARED_BASE_SIDE},
	{"new", "name", COMPARED_SIDE}, {"base_ns", "median_ns", COMPARED_BASE},
	{"new_ns", "median_ns", COMPARED_CELL}, {"ratio", NULL, COMPARED_CELL},
	{"ci95", NULL, COMPARED_CELL}, {"tolerance", NULL, COMPARED_CELL},
	{"verdict", NULL, COMPARED_CELL}, {"reason", NULL, COMPARED_CELL}};

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Sets the sources of a row; its first source is the row itself. */
typedef void sources_fn(const void *document, size_t row, struct source *ret_sources);

static void result_sources(const void *document, size_t index, struct source *ret_sources)
{
	const struct result_row *row =
		&((const struct result_document *)document)->results.items[index];
	const struct samples_record *samples = timing_record_primary(&row->timing);
	bool timed = row->timing.record.present && samples->record.present;

	ret_sources[0] = (struct source){&result_row_type, row};
	ret_sources[RESULT_SAMPLES] = (struct source){&samples_type, timed ? samples : NULL};
	ret_sources[RESULT_PEER] = (struct source){&peer_type, peer_list_fastest(&row->peers)};
}

static void parity_sources(const void *document, size_t index, struct source *ret_sources)
{
	ret_sources[0] = (struct source){
		&parity_row_type, &((const struct result_document *)document)->parity.items[index]};
}

/* A row for each row of the comparison and each side except the base. */
static void comparison_sources(const void *context, size_t index, struct source *ret_sources)
{
	const struct comparison_document *document = context;
	const size_t others = document->sides.count - 1, side = 1 + index % others;
	const struct comparison_row *row = &document->rows.items[index / others];

	ret_sources[0] = (struct source){&comparison_row_type, row};
	ret_sources[COMPARED_BASE] = (struct source){&cell_type, &row->cells.items[0]};
	ret_sources[COMPARED_CELL] = (struct source){&cell_type, &row->cells.items[side]};
	ret_sources[COMPARED_BASE_SIDE] = (struct source){&side_type, &document->sides.items[0]};
	ret_sources[COMPARED_SIDE] = (struct source){&side_type, &document->sides.items[side]};
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Adds a cell with the field at the path. */
static void add_field(struct table *table, struct source source, const char *path)
{
	for (size_t length; path[length = strcspn(path, ".")]; path += length + 1) {
		char name[40];
		snprintf(name, sizeof name, "%.*s", (int)length, path);
		const struct record_field *field =
			&source.type->fields()[record_field_index(source.type, name)];
		const struct record *part =
			source.record ? (const void *)((const char *)source.record + field->offset)
				      : NULL;
		source = (struct source){field->type, part && part->present ? part : NULL};
	}
	table_field(table, source.type, source.record, path);
}

static char *csv_text(const struct column *columns, size_t column_count, sources_fn *sources_of,
	const void *document, size_t row_count)
{
	struct source sources[MAX_SOURCES];
	struct table_column titles[MAX_COLUMNS];
	struct table table;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t c = 0; c < column_count; c++)
		titles[c] = (struct table_column){.title = columns[c].title};
	table_init(&table, titles, column_count);
	for (size_t r = 0; r < row_count; r++) {
		sources_of(document, r, sources);
		table_row(&table, STYLE_PLAIN);
		for (size_t c = 0; c < column_count; c++)
			add_field(&table, sources[columns[c].source],
				columns[c].path ? columns[c].path : columns[c].title);
	}
	if (out) {
		table_put_csv(&table, out);
		fclose(out);
	}
	table_finish(&table);
	return text;
}

char *export_csv(const struct result_document *document)
{
	if (document->parity.count)
		return csv_text(parity_columns, ARRAY_COUNT(parity_columns), parity_sources,
			document, document->parity.count);
	return csv_text(result_columns, ARRAY_COUNT(result_columns), result_sources, document,
		document->results.count);
}

char *export_comparison_csv(const struct comparison_document *document)
{
	size_t sides = document->sides.count;

	return csv_text(comparison_columns, ARRAY_COUNT(comparison_columns), comparison_sources,
		document, sides ? document->rows.count * (sides - 1) : 0);
}

/* The results are passed to a console that writes Markdown, in groups as `run` reports them. */

/* Sets the device of a group. */
static void set_device(const struct result_document *document, const char *key, const char *backend,
	struct group_record *group)
{
	const struct device_record *device = device_list_find(&document->devices, key);
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

/* "tiled16", with the values of its macros if one of the rows is another row of the variant. */
static void ladder_label(const struct result_row *row, const struct result_row *rows, size_t count,
	char *ret_text, size_t size)
{
	size_t same = 0;

	snprintf(ret_text, size, "%s", text_or_empty(row->variant));
	for (size_t i = 0; i < count; i++)
		same += text_equal(rows[i].variant, row->variant);
	if (same > 1)
		format_macros(&row->macros, ret_text, size);
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
