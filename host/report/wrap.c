#include "host/report/wrap.h"

#include "common/clean_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HANGING 4      /* further indentation of the rest of a broken line, in columns */
#define MIN_COLUMNS 20 /* of the text of a line, without its indentation */

/* ---- Columns ------------------------------------------------------------------------------- */

/* Length of the escape sequence at text, "\033[1m"; 0 = none. */
static size_t escape_bytes(const char *text)
{
	if (text[0] != '\033' || text[1] != '[')
		return 0;
	size_t length = 2 + strspn(text + 2, "0123456789;");
	return length + (text[length] != '\0');
}

/* Columns of a character: 2 for East Asian scripts and emoji, 0 for combining
 * marks and joiners (Unicode 15.0, EastAsianWidth.txt: W and F; UnicodeData.txt: Mn, Me, Cf). Only
 * ranges that names and messages use. */
static int character_columns(uint32_t code)
{
	static const struct {
		uint32_t first, last;
		int columns;
	} ranges[] = {{0x300, 0x36f, 0}, {0x1100, 0x115f, 2}, {0x1ab0, 0x1aff, 0},
		{0x200b, 0x200f, 0}, {0x20d0, 0x20ff, 0}, {0x2e80, 0xa4cf, 2}, {0xac00, 0xd7a3, 2},
		{0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0}, {0xfe30, 0xfe6f, 2}, {0xff00, 0xff60, 2},
		{0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2}};

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].columns;
	return 1;
}

/* Returns the end of the character at text and of the escape sequences before it. Adds its columns.
 */
static const char *next_character(const char *text, int *columns)
{
	uint32_t code;
	size_t escape;

	while ((escape = escape_bytes(text)) > 0)
		text += escape;
	if (!*text)
		return text;
	text = clean_text_next(text, &code);
	*columns += character_columns(code);
	return text;
}

int wrap_columns(const char *text)
{
	int columns = 0;

	while (*text)
		text = next_character(text, &columns);
	return columns;
}

/* ---- Lines --------------------------------------------------------------------------------- */

int wrap_next(const char **text, int columns, const char **ret_line)
{
	const char *start = *text + strspn(*text, " ");
	const char *blank = NULL;
	const char *end = start;

	for (int used = 0; *end;) {
		const char *next = next_character(end, &used);
		if (*end == ' ')
			blank = end;
		if (used > columns)
			break;
		end = next;
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

	text += strspn(text, " \t");
	while (*text) {
		const char *next = next_character(text, &column);
		if (column > columns || used + (size_t)(next - text) + sizeof "…" > size)
			break;
		for (; text < next; text++)
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

static void wrap_put(FILE *out, int width, const char *text)
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
