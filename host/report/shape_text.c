#include "host/report/shape_text.h"

#include "host/report/table.h"

#include <inttypes.h>

/* A driver counts parts if it reports more than the units; else it reports units that have parts. */
void shape_text_put_units(FILE *out, const struct device_shape *shape, uint32_t reported)
{
	int64_t units = shape_value_or(shape, SHAPE_UNITS, reported);

	if (units != reported && shape->unit)
		fprintf(out, "%" PRIu32 " units reported, %" PRId64 " %ss", reported, units,
			shape->unit);
	else if (shape->part && units > 0)
		fprintf(out, "%" PRIu32 " units reported, %" PRId64 " %ss", reported,
			units * shape->parts, shape->part);
	else
		fprintf(out, "%" PRIu32 " units", reported);
}

static void add_fact(struct table *table, const char *name, const char *value)
{
	table_row(table, STYLE_PLAIN);
	table_text(table, name);
	if (value)
		table_text(table, value);
}

static void add_value(struct table *table, size_t id, const struct shape_value *value)
{
	const struct shape_row *row = &shape_rows[id];
	const char *word = shape_source_words[value->source];
	const char *unit = row->unit ? row->unit : "";

	add_fact(table, row->key, value->source == SHAPE_UNKNOWN ? "-" : NULL);
	if (value->source != SHAPE_UNKNOWN)
		table_format(table, "%lld%s%s", (long long)value->value, *unit ? " " : "", unit);
	table_format(table, "%s%s%s", word, value->origin ? ": " : "",
		value->origin ? value->origin : "");
}

void shape_text_put(FILE *out, const struct device_shape *shape)
{
	static const struct table_column columns[] = {{.title = "", .width = 17},
		{.title = "", .width = 19}, {.title = "", .align = TABLE_REST}};
	char text[160] = "";
	struct table table;

	table_init(&table, columns, 3);
	table.indent = 5;
	table.untitled = true;
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		add_value(&table, i, &shape->of[i]);
	for (size_t i = 0; i < shape->width_count; i++)
		text_append(text, sizeof text, "%s%" PRIu32, i ? ", " : "", shape->widths[i]);
	text_append(text, sizeof text, "%s", shape->width_count ? " threads" : "unknown");
	add_fact(&table, "widths", text);
	snprintf(text, sizeof text, "%s", shape->unit ? shape->unit : "unknown");
	if (shape->part)
		text_append(text, sizeof text, " of %" PRIu32 " %ss", shape->parts, shape->part);
	add_fact(&table, "unit", text);
	add_fact(&table, "model", shape->model ? shape->model : "none");
	table_put(&table, out, &(struct page_style){0});
	table_finish(&table);
}
