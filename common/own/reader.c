/* Words, brackets and comments of a file with a kernel. */
#include "common/own/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/words.h"

#define COMMENT_KEY "pmpp:"

/* ---- Text ------------------------------------------------------------------------------------ */

struct span span_trim(struct span span)
{
	while (span.begin < span.end && isspace((unsigned char)*span.begin))
		span.begin++;
	while (span.begin < span.end && isspace((unsigned char)span.end[-1]))
		span.end--;
	return span;
}

void span_copy(struct span span, char *ret_text, size_t size)
{
	span = span_trim(span);
	snprintf(ret_text, size, "%.*s", (int)(span.end - span.begin), span.begin);
}

const char *closing_bracket(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
		if (depth == 0)
			return at;
	}
	return NULL;
}

bool span_take_part(struct span *rest, struct span *ret_part)
{
	int depth = 0;
	const char *at = rest->begin;

	if (!rest->begin || span_trim(*rest).begin == span_trim(*rest).end)
		return false;
	for (; at < rest->end && (*at != ',' || depth > 0); at++)
		depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
	*ret_part = span_trim((struct span){rest->begin, at});
	rest->begin = at < rest->end ? at + 1 : rest->end;
	return true;
}

/* ---- Comments of the file -------------------------------------------------------------------- */

/* Reads the next line "//pmpp: KEY = VALUE" from *at on. Returns false if there is no more. */
static bool next_comment(
	const char **at, char ret_key[OWN_NAME_BYTES], char ret_value[OWN_TEXT_BYTES])
{
	const char *found = *at;

	while ((found = strstr(found, COMMENT_KEY))) {
		const char *slashes = found;
		while (slashes > *at && strchr(" \t", slashes[-1]))
			slashes--;
		const char *text = found + strlen(COMMENT_KEY);
		const char *end = text + strcspn(text, "\r\n");
		const char *equals = memchr(text, '=', (size_t)(end - text));
		found = text;
		if (slashes - *at < 2 || memcmp(slashes - 2, "//", 2) != 0)
			continue;
		*at = end;
		span_copy((struct span){text, equals ? equals : end}, ret_key, OWN_NAME_BYTES);
		span_copy((struct span){equals ? equals + 1 : end, end}, ret_value, OWN_TEXT_BYTES);
		return true;
	}
	return false;
}

bool own_comment(const struct own_reader *reader, const char *key, char ret_value[OWN_TEXT_BYTES])
{
	const char *at = reader->kernel->text;
	char name[OWN_NAME_BYTES];

	while (next_comment(&at, name, ret_value))
		if (strcmp(name, key) == 0)
			return true;
	return false;
}

void own_wish(const struct own_reader *reader, const char *option, const char *key,
	char ret_value[OWN_TEXT_BYTES])
{
	if (option)
		snprintf(ret_value, OWN_TEXT_BYTES, "%s", option);
	else if (!own_comment(reader, key, ret_value))
		*ret_value = '\0';
}

enum pmpp_status own_check_comments(const struct own_reader *reader)
{
	static const char *const keys[] = {"problem", "kernel", "instance", "block", "grid",
		"shared", "clear", "op", "require"};
	const char *at = reader->kernel->text;
	char key[OWN_NAME_BYTES], value[OWN_TEXT_BYTES];

	while (next_comment(&at, key, value)) {
		bool known = false;
		for (size_t i = 0; i < COUNT(keys); i++)
			known |= strcmp(key, keys[i]) == 0;
		for (size_t i = 0; i < reader->kernel->param_count; i++)
			known |= strcmp(key, reader->kernel->params[i].name) == 0;
		if (!known || !*value)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: '//pmpp: %s%s%s': give problem, kernel, block, grid, shared, "
				"clear, op, require or a parameter of the kernel, and a value after '='",
				reader->path, key, *value ? " = " : "", value);
	}
	return PMPP_OK;
}

bool own_uses_index(struct span part, enum index_kind kind, size_t axis, bool cuda)
{
	static const char *const words[2][2] = {
		{"get_group_id", "get_local_id"}, {"blockIdx", "threadIdx"}};
	size_t length;

	for (const char *at = next_word(part.begin, part.end, &length); length > 0;
		at = next_word(at + length, part.end, &length)) {
		size_t next_length;
		const char *next = next_word(at + length, part.end, &next_length);
		bool same = same_word(at, length, words[cuda][kind]) ||
			    (!cuda && same_word(at, length, "get_global_id"));
		char expected = (char)((cuda ? 'x' : '0') + (int)axis);
		if (same && next_length == 1 && *next == expected)
			return true;
	}
	return false;
}
