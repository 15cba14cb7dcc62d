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

static void put_value(
	FILE *out, const char *name, const struct shape_value *value, const char *unit)
{
	char text[40] = "-";

	if (value->source != SHAPE_UNKNOWN)
		snprintf(text, sizeof text, "%lld%s%s", (long long)value->value, unit ? " " : "",
			unit ? unit : "");
	fprintf(out, "     %-18s  %-19s  %s%s%s\n", name, text, shape_source_words[value->source],
		value->origin ? ": " : "", value->origin ? value->origin : "");
}

void shape_text_put(FILE *out, const struct device_shape *shape)
{
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		put_value(out, shape_rows[i].key, &shape->of[i], shape_rows[i].unit);
	fprintf(out, "     %-18s  ", "widths");
	for (size_t i = 0; i < shape->width_count; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : "", shape->widths[i]);
	fprintf(out, "%s\n     %-18s  %s", shape->width_count ? " threads" : "unknown", "unit",
		shape->unit ? shape->unit : "unknown");
	if (shape->part)
		fprintf(out, " of %" PRIu32 " %ss", shape->parts, shape->part);
	fprintf(out, "\n     %-18s  %s\n", "model", shape->model ? shape->model : "none");
}
