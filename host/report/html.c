#include "host/report/html.h"

#include "common/clean_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Characters ------------------------------------------------------------------------------ */

/* Characters that change the direction or the position of other text, and those that HTML does not
 * allow. They are written as "\uNNNN". */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{0x00ad, 0x00ad}, /* soft hyphen */
	{0x061c, 0x061c}, /* Arabic letter mark */
	{0x200b, 0x200f}, /* zero width; left-to-right and right-to-left marks */
	{0x2028, 0x202e}, /* line separators, embeddings and overrides */
	{0x2060, 0x206f}, /* word joiner, isolates */
	{0xfdd0, 0xfdef}, /* noncharacters */
	{0xfeff, 0xfeff}, /* byte order mark */
	{0xfff9, 0xfffb}, /* annotations */
	{0xe0000, 0xe0fff},
};

static bool is_hidden(uint32_t code)
{
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		if (code >= hidden[i].first && code <= hidden[i].last)
			return true;
	return (code & 0xfffe) == 0xfffe;
}

static const char *reference_of(uint32_t code)
{
	static const char characters[] = "&<>\"'`";
	static const char *const references[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#96;"};
	const char *found = code < 0x80 ? strchr(characters, (int)code) : NULL;

	return found ? references[found - characters] : NULL;
}

/* Writes at most `max` characters of a clean text. Returns whether the text is longer. */
static bool put_clean(FILE *out, const char *text, size_t max, bool references)
{
	for (size_t count = 0; *text && count < max; count++) {
		uint32_t code;
		const char *end = clean_text_next(text, &code);
		const char *reference = references ? reference_of(code) : NULL;
		if (reference)
			fputs(reference, out);
		else if (is_hidden(code))
			fprintf(out, "\\u%04x", (unsigned)code);
		else
			fwrite(text, 1, (size_t)(end - text), out);
		text = end;
	}
	return *text != '\0';
}

/* ---- Text ------------------------------------------------------------------------------------ */

void html_markup(FILE *out, const char *markup)
{
	fputs(markup, out);
}

static void put_text(FILE *out, const char *text, size_t max, bool references)
{
	char *clean = text ? clean_text_copy(text, strlen(text), CLEAN_LINES) : NULL;

	if (clean && put_clean(out, clean, max, references))
		fputs("...", out);
	free(clean);
}

void html_text(FILE *out, const char *text)
{
	put_text(out, text, SIZE_MAX, true);
}

char *html_clean(const char *text)
{
	char *clean = NULL;
	size_t size;
	FILE *out = open_memstream(&clean, &size);

	if (!out)
		return NULL;
	put_text(out, text, HTML_NAME_CHARACTERS, false);
	fclose(out);
	return clean;
}

/* Writes one argument, and returns the end of its conversion. */
static const char *put_argument(FILE *out, const char *conversion, va_list *arguments)
{
	const char *end = conversion + 1 + strcspn(conversion + 1, "%sdufg");
	const char *point = memchr(conversion, '.', (size_t)(end - conversion));
	long digits = point ? strtol(point + 1, NULL, 10) : -1;
	bool wide = end[-1] == 'l' || end[-1] == 'z';

	if (*end == 's')
		put_text(out, va_arg(*arguments, const char *),
			digits < 0 ? SIZE_MAX : (size_t)digits, true);
	else if (*end == 'd')
		fprintf(out, "%lld",
			wide ? va_arg(*arguments, long long) : va_arg(*arguments, int));
	else if (*end == 'u')
		fprintf(out, "%zu",
			wide ? va_arg(*arguments, size_t) : va_arg(*arguments, unsigned));
	else if (*end == 'f')
		fprintf(out, "%.*f", (int)digits, va_arg(*arguments, double));
	else if (*end == 'g')
		fprintf(out, "%.*g", (int)digits, va_arg(*arguments, double));
	else
		fputc('%', out);
	return end + 1;
}

void html_format(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	while (*format) {
		size_t length = strcspn(format, "%");
		fwrite(format, 1, length, out);
		format += length;
		if (*format)
			format = put_argument(out, format, &arguments);
	}
	va_end(arguments);
}
