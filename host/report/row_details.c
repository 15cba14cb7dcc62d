#include "host/report/row_details.h"

#include "host/record/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fields -------------------------------------------------------------------------------- */

/* A line has the known fields of one record, with their keys in files. */
struct line {
	const char *name;
	const struct record_type *type;
	size_t offset; /* of the record in the row */
	const char *keys;
};

#define LINE(name, type, member, keys)                                 \
	{                                                              \
		name, &type, offsetof(struct result_row, member), keys \
	}

static const struct line lines[] = {
	LINE("build", build_type, build, "options compile_ms cache"),
	LINE("resources", resources_type, resources, "registers shared_bytes spill_bytes"),
	LINE("check", verify_type, verify, "coverage"),
	LINE("times", timing_type, timing, "primary flushed_bytes flags"),
	LINE("samples", samples_type, timing.cold, "n min q1 median q3"),
	LINE("step", derived_type, derived, "step step_ci95 step_paired"),
	LINE("claim", claim_type, claim, "expected at_most verdict reason observed ci95 paired"),
	LINE("state", device_state_type, device_state,
		"sm_clock_mhz memory_clock_mhz temperature_c power_limit_w throttle_reasons "
		"other_processes load_average"),
};

/* Returns the value, or "" if it is unknown; malloc'ed. */
static char *value_text(const struct record_type *type, const void *record, const char *key)
{
	const struct record_field *field = &type->fields()[record_field_index(type, key)];
	const double *number = (const void *)((const char *)record + field->offset);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (field->kind == FIELD_INTERVAL && isfinite(number[0]) && isfinite(number[1]))
		fprintf(out, "%.3f to %.3f", number[0], number[1]);
	else if (field->kind == FIELD_NUMBER && isfinite(*number))
		fprintf(out, fabs(*number) < 1000 ? "%.4g" : "%.0f", *number);
	else
		record_put_value(type, record, key, out);
	fclose(out);
	return text;
}

char *row_details_fields(const struct record_type *type, const void *record, const char *keys)
{
	char *all = NULL;

	for (size_t length; *keys; keys += length + (keys[length] == ' ')) {
		char key[40];
		length = strcspn(keys, " ");
		snprintf(key, sizeof key, "%.*s", (int)length, keys);
		char *text = value_text(type, record, key);
		if (*text_or_empty(text))
			text_format(
				&all, "%s%s%s %s", text_or_empty(all), all ? ", " : "", key, text);
		free(text);
	}
	return all;
}

void row_details_line(FILE *out, const char *name, const struct record_type *type,
	const void *record, const char *keys)
{
	char *fields = row_details_fields(type, record, keys);

	if (fields)
		fprintf(out, "    %s: %s\n", name, fields);
	free(fields);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

void row_details_put(FILE *out, const struct result_row *row)
{
	if (!row->build.record.present)
		return;
	row_details_line(out, "row", &result_row_type, row, "fallback peer");
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		const struct record *record = (const void *)((const char *)row + lines[i].offset);
		if (lines[i].type == &samples_type)
			record = &timing_record_primary(&row->timing)->record;
		if (record->present)
			row_details_line(out, lines[i].name, lines[i].type, record, lines[i].keys);
	}
	for (size_t i = 0; i < row->peers.count; i++)
		row_details_line(out, "peer", &peer_type, &row->peers.items[i],
			"variant library version ratio ci95");
}
