#include "host/io/code_digest.h"

#include "common/words.h"

#include <ctype.h>
#include <sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct code {
	char *text;
	size_t used;
	bool in_directive;
};

/* Returns the end of the white space and comments at text. *ret_lines: an end of a line is in it. A
 * backslash at the end of a line continues the line, also within a line comment. */
static const char *skip_space(const char *text, bool *ret_lines)
{
	for (;;) {
		if (strncmp(text, "\\\n", 2) == 0) {
			text += 2;
		} else if (isspace((unsigned char)*text)) {
			*ret_lines |= *text++ == '\n';
		} else if (strncmp(text, "//", 2) == 0) {
			while (*text && *text != '\n')
				text += strncmp(text, "\\\n", 2) == 0 ? 2 : 1;
		} else if (strncmp(text, "/*", 2) == 0) {
			text = skip_other(text);
		} else {
			return text;
		}
	}
}

static void put(struct code *code, const char *text, size_t length)
{
	memcpy(code->text + code->used, text, length);
	code->used += length;
}

/* Puts one character in the place of white space that ends at next. */
static void put_space(struct code *code, const char *next, bool lines)
{
	bool ends_line = lines && (code->in_directive || *next == '#');

	if (code->used && *next)
		put(code, ends_line ? "\n" : " ", 1);
	if (lines)
		code->in_directive = *next == '#';
}

bool code_digest(const char *text, char ret_digest[CODE_DIGEST_BYTES])
{
	struct code code = {.text = malloc(strlen(text) + 1)};
	bool lines = true; /* the text begins with a line */

	if (!code.text)
		return false;
	while (*text) {
		const char *next = skip_space(text, &lines);
		if (next > text || lines)
			put_space(&code, next, lines);
		text = next;
		next = *text == '"' || *text == '\'' ? skip_other(text) : text + (*text != '\0');
		put(&code, text, (size_t)(next - text));
		text = next;
		lines = false;
	}
	SHA256Data((const uint8_t *)code.text, code.used, ret_digest);
	free(code.text);
	return true;
}
