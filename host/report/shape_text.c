#include "host/report/shape_text.h"

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

static void put_value(FILE *out, size_t id, const struct shape_value *value)
{
	const struct shape_row *row = &shape_rows[id];
	const char *word = shape_source_words[value->source];
	char text[64] = "-";

	if (value->source != SHAPE_UNKNOWN)
		snprintf(text, sizeof text, "%" PRId64 "%s%s", value->value, row->unit ? " " : "",
			row->unit ? row->unit : "");
	fprintf(out, "     %-18s %-20s %s%s%s\n", row->key, text, word, value->origin ? ": " : "",
		value->origin ? value->origin : "");
}

void shape_text_put(FILE *out, const struct device_shape *shape)
{
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		put_value(out, i, &shape->of[i]);
	fprintf(out, "     %-18s", "widths");
	for (size_t i = 0; i < shape->width_count; i++)
		fprintf(out, "%s %" PRIu32, i ? "," : "", shape->widths[i]);
	fprintf(out, "%s\n", shape->width_count ? " threads" : " unknown");
	fprintf(out, "     %-18s %s", "unit", shape->unit ? shape->unit : "unknown");
	if (shape->part)
		fprintf(out, " of %" PRIu32 " %ss", shape->parts, shape->part);
	fprintf(out, "\n     %-18s %s\n", "model", shape->model ? shape->model : "none");
}
