#include "host/report/wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HANGING 4      /* further indentation of the rest of a broken line, in columns */
#define MIN_COLUMNS 20 /* of the text of a line, without its indentation */

/* ---- Columns ------------------------------------------------------------------------------- */

static bool is_continuation(char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Length of the escape sequence at text, "\033[1m"; 0 = none. */
static size_t escape_bytes(const char *text)
{
	if (text[0] != '\033' || text[1] != '[')
		return 0;
	size_t length = 2 + strspn(text + 2, "0123456789;");
	return length + (text[length] != '\0');
}

/* The character at text with the escape sequences before it. */
static const char *next_character(const char *text)
{
	size_t escape;

	while ((escape = escape_bytes(text)) > 0)
		text += escape;
	if (*text)
		text++;
	while (is_continuation(*text))
		text++;
	return text;
}

int wrap_columns(const char *text)
{
	int columns = 0;

	for (size_t escape; *text; text++)
		if ((escape = escape_bytes(text)) > 0)
			text += escape - 1;
		else
			columns += !is_continuation(*text);
	return columns;
}

/* ---- Lines --------------------------------------------------------------------------------- */

int wrap_next(const char **text, int columns, const char **ret_line)
{
	const char *start = *text + strspn(*text, " ");
	const char *blank = NULL;
	const char *end = start;

	for (int used = 0; *end; used++) {
		if (*end == ' ')
			blank = end;
		if (used == columns)
			break;
		end = next_character(end);
	}
	if (*end && blank)
		end = blank;
	*ret_line = start;
	*text = end;
	return (int)(end - start);
}

void wrap_cut(const char *text, int columns, char *ret_text, size_t size)
{
	size_t used = 0;
	size_t last = 0; /* bytes of the text that leave one column for an ellipsis */
	int column = 0;

	for (text += strspn(text, " \t"); *text && used + sizeof "…" < size; text++) {
		if (!is_continuation(*text) && ++column > columns)
			break;
		ret_text[used++] = *text == '\t' ? ' ' : *text;
		if (column < columns)
			last = used;
	}
	ret_text[used] = '\0';
	if (*text)
		snprintf(ret_text + last, size - last, "…");
}

/* Writes a line without the blanks at its end. Escape sequences after them are kept. */
static void put_stripped(FILE *out, const char *line)
{
	size_t end = 0;

	for (size_t i = 0, escape; line[i]; i += escape ? escape : 1) {
		escape = escape_bytes(line + i);
		if (!escape && line[i] != ' ')
			end = i + 1;
	}
	fwrite(line, 1, end, out);
	for (size_t i = end, escape; line[i]; i += escape ? escape : 1) {
		escape = escape_bytes(line + i);
		fwrite(line + i, 1, escape, out);
	}
	fputc('\n', out);
}

/* line: without a line end */
static void put_line(FILE *out, int width, const char *line)
{
	int indent = (int)strspn(line, " ");
	const char *piece;
	int length;

	if (width == 0 || wrap_columns(line) <= width) {
		put_stripped(out, line);
		return;
	}
	for (int more = 0;; more = HANGING) {
		int columns = width - indent - more;
		length = wrap_next(&line, columns < MIN_COLUMNS ? MIN_COLUMNS : columns, &piece);
		if (length == 0)
			return;
		while (length > 1 && piece[length - 1] == ' ')
			length--;
		fprintf(out, "%*s%.*s\n", indent + more, "", length, piece);
	}
}

void wrap_put(FILE *out, int width, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);

		if (line)
			put_line(out, width, line);
		else
			fprintf(out, "%.*s\n", (int)length, text);
		free(line);
		text += length + (text[length] == '\n');
	}
}

/* ---- Streams ------------------------------------------------------------------------------- */

FILE *wrap_begin(struct wrap *wrap, FILE *out, int width)
{
	*wrap = (struct wrap){.out = out, .width = width};
	wrap->stream = open_memstream(&wrap->text, &wrap->size);
	return wrap->stream ? wrap->stream : out;
}

void wrap_end(struct wrap *wrap)
{
	if (!wrap->stream)
		return;
	fclose(wrap->stream);
	if (wrap->text)
		wrap_put(wrap->out, wrap->width, wrap->text);
	free(wrap->text);
	*wrap = (struct wrap){.out = wrap->out};
}
