#include "host/report/row_details.h"

#include "host/record/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
