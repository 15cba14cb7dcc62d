#include "host/report/row_details.h"

#include "host/record/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fields -------------------------------------------------------------------------------- */

/* A line has the known fields of one member of the row, with their keys in files. */
static const struct line {
	const char *member, *keys;
} lines[] = {
	{"build", "options compile_ms cache"},
	{"resources", "registers shared_bytes spill_bytes"},
	{"verify", "coverage"},
	{"timing", "primary flushed_bytes flags"},
	{"derived", "step step_ci95 step_paired"},
	{"claim", "expected at_most verdict reason observed ci95 paired"},
	{"device_state", "sm_clock_mhz memory_clock_mhz temperature_c power_limit_w "
			 "throttle_reasons other_processes load_average"},
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
	const struct samples_record *samples = timing_record_primary(&row->timing);
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		size_t index = record_field_index(&result_row_type, lines[i].member);
		const struct record_field *field = &result_row_type.fields()[index];
		const struct record *record = (const void *)((const char *)row + field->offset);
		if (record->present)
			row_details_line(out, lines[i].member, field->type, record, lines[i].keys);
	}
	if (samples->record.present)
		row_details_line(out, "samples", &samples_type, samples, "n min q1 median q3");
	for (size_t i = 0; i < row->peers.count; i++)
		row_details_line(out, "peer", &peer_type, &row->peers.items[i],
			"variant library version ratio ci95");
}
