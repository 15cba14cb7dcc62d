#include "host/report/format.h"

#include "host/report/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------------------------- */

void format_factor(double value, char *text, size_t size)
{
	char number[32];

	if (!isfinite(value)) {
		snprintf(text, size, "-");
		return;
	}
	format_number(value, number, sizeof number);
	snprintf(text, size, "%sx", number);
}

void format_ratio(double value, char *text, size_t size)
{
	const double magnitude = fabs(value);

	if (!isfinite(value) || magnitude >= 10)
		format_number(value, text, size);
	else if (magnitude > 0 && magnitude < 0.1)
		snprintf(text, size, "%.*f", 2 - (int)floor(log10(magnitude)), value);
	else
		snprintf(text, size, "%.3f", value);
}

void format_percent(double value, char *text, size_t size)
{
	if (isfinite(value))
		snprintf(text, size, "%.1f%%", value);
	else
		snprintf(text, size, "-");
}

struct short_text as_text(format_fn *format, double value)
{
	struct short_text text;

	format(value, text.text, sizeof text.text);
	return text;
}

static bool is_cube(const struct named_list *problem)
{
	for (size_t i = 1; i < problem->count; i++)
		if (problem->items[i].value != problem->items[0].value)
			return false;
	return true;
}

void format_sizes(const struct named_list *problem, char *text, size_t size)
{
	bool cube = is_cube(problem);

	text[0] = '\0';
	for (size_t i = 0; i < problem->count; i++) {
		text_append(
			text, size, "%s%s", i ? (cube ? "=" : " ") : "", problem->items[i].name);
		if (!cube || i + 1 == problem->count)
			text_append(text, size, "=%" PRId64, problem->items[i].value);
	}
}

void format_macros(const struct named_list *macros, char *text, size_t size)
{
	for (size_t i = 0; i < macros->count; i++)
		text_append(
			text, size, " %s=%" PRId64, macros->items[i].name, macros->items[i].value);
}

void format_limit(const struct derived_record *derived, char *text, size_t size)
{
	const char *limit = limited_by_name((enum limited_by)derived->limited_by);
	const struct floor_record *floor = &derived->floor;
	const char *resource = floor->record.present ? word_text(floor_words, floor->resource) : "";

	if (!*resource || (limit && strcmp(limit, resource) == 0) || isnan(floor->share))
		snprintf(text, size, "%s", limit ? limit : "-");
	else
		snprintf(text, size, "%s (%s %.*f %%)", limit ? limit : "unknown", resource,
			floor->share < 0.0995 ? 1 : 0, 100 * floor->share);
}

void format_driver(const char *platform, const char *driver, char *text, size_t size)
{
	const char *start = strstr(driver, "OpenCL ");
	char own[64];

	if (start) {
		start += strlen("OpenCL ");
		start += strspn(start, "0123456789. ");
	}
	snprintf(own, sizeof own, "%.*s", (int)strcspn(driver, ","), driver);
	if (!start || !strstr(start, own))
		start = driver;
	const char *blanks = strstr(start, "  ");
	size_t length = strcspn(start, ",");
	if (blanks && (size_t)(blanks - start) < length)
		length = (size_t)(blanks - start);
	bool adds = platform && *platform && strncmp(start, platform, strlen(platform)) != 0;
	snprintf(text, size, "%s%s%.*s", adds ? platform : "", adds ? " " : "", (int)length, start);
}

/* ---- Lines --------------------------------------------------------------------------------- */

void format_put_padded(FILE *out, const char *text, int width)
{
	int pad = abs(width) - wrap_columns(text);

	fprintf(out, "%*s%s%*s", width < 0 && pad > 0 ? pad : 0, "", text,
		width > 0 && pad > 0 ? pad : 0, "");
}

/* ---- Colours ------------------------------------------------------------------------------- */

const char *style_code(bool colour, enum style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = "\033[0m",
		[STYLE_BOLD] = "\033[1m",
		[STYLE_DIM] = "\033[2m",
		[STYLE_RED] = "\033[31m",
		[STYLE_YELLOW] = "\033[33m",
		[STYLE_GREEN] = "\033[32m",
	};
	return colour ? codes[style] : "";
}

enum style format_status_style(int status)
{
	static const enum style styles[] = {
		[OUTCOME_CLASS_OK] = STYLE_DIM,
		[OUTCOME_CLASS_FAILED] = STYLE_RED,
		[OUTCOME_CLASS_BROKEN] = STYLE_YELLOW,
		[OUTCOME_CLASS_SKIPPED] = STYLE_DIM,
		[OUTCOME_CLASS_UNVERIFIED] = STYLE_DIM,
	};

	return status >= 0 && status < OUTCOME_STATUS_COUNT
		       ? styles[outcome_class_of((enum outcome_status)status)]
		       : STYLE_DIM;
}

struct short_text format_status(int status)
{
	struct short_text words;

	snprintf(words.text, sizeof words.text, "%s",
		outcome_status_name((enum outcome_status)status));
	for (char *c = words.text; *c; c++)
		if (*c == '_')
			*c = ' ';
	return words;
}
