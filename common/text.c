#include "common/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void format_number(double value, char *ret_text, size_t size)
{
	if (!isfinite(value)) {
		snprintf(ret_text, size, "-");
		return;
	}
	double magnitude = fabs(value);
	int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
	snprintf(ret_text, size, "%.*f", decimals, value);
}

void format_ns(double ns, char *ret_text, size_t size)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
	char number[32];
	size_t i = 0;

	if (!isfinite(ns)) {
		snprintf(ret_text, size, "-");
		return;
	}
	while (i + 1 < sizeof units / sizeof *units && ns < units[i].ns)
		i++;
	format_number(ns / units[i].ns, number, sizeof number);
	snprintf(ret_text, size, "%s %s", number, units[i].unit);
}

void text_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
}

bool text_has_item(const char *list, char separator, const char *item)
{
	size_t length = strlen(item);

	for (const char *at = list; (at = strstr(at, item)); at += length)
		if ((at == list || at[-1] == separator) && (at[length] == separator || !at[length]))
			return true;
	return false;
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
	size_t length = (size_t)(path_name(path) - path);

	return length ? strndup(path, length) : strdup(".");
}
