#include "host/gpu/opencl_emu/ir_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int part_compare(struct part a, struct part b)
{
	int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

bool part_starts_with(struct part part, const char *text)
{
	size_t length = strlen(text);

	return part.length >= length && memcmp(part.at, text, length) == 0;
}

const char *part_find(struct part part, const char *text)
{
	const char *end = part.at + part.length;
	size_t length = strlen(text);

	/* IR writes a quote in a string as a number. */
	for (const char *at = part.at; at < end;) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		size_t rest = (size_t)(end - at);
		size_t size = quote && (size_t)(quote - at) + length < rest
				      ? (size_t)(quote - at) + length
				      : rest;
		const char *found = memmem(at, size, text, length);
		if (found && (!quote || found <= quote))
			return found;
		const char *close =
			quote ? memchr(quote + 1, '"', (size_t)(end - quote - 1)) : NULL;
		if (!close)
			return NULL;
		at = close + 1;
	}
	return NULL;
}

struct part part_global(struct part part)
{
	const char *at = part_find(part, "@");
	const char *end = part.at + part.length;
	size_t length = 1;

	if (!at)
		return (struct part){"", 0};
	if (at + 1 < end && at[1] == '"') {
		const char *close = memchr(at + 2, '"', (size_t)(end - at - 2));
		return (struct part){at, (size_t)((close ? close + 1 : end) - at)};
	}
	while (at + length < end &&
		(isalnum((unsigned char)at[length]) || strchr("$._-", at[length])))
		length++;
	return (struct part){at, length};
}

struct part part_location(struct part line)
{
	const char *found = part_find(line, ", !dbg !");
	size_t length = strlen(", !dbg !");

	if (!found)
		return (struct part){"", 0};
	while (found + length < line.at + line.length && isdigit((unsigned char)found[length]))
		length++;
	return (struct part){found, length};
}

bool next_line(const char **text, struct part *ret_line)
{
	if (!**text)
		return false;
	ret_line->at = *text;
	ret_line->length = strcspn(*text, "\n");
	*text += ret_line->length + ((*text)[ret_line->length] == '\n');
	return true;
}

bool ir_reserve(void *array, size_t *capacity, size_t count, size_t size)
{
	void **items = array;
	size_t larger_capacity = 2 * *capacity + 32;

	if (count < *capacity)
		return true;
	void *larger = realloc(*items, larger_capacity * size);
	if (!larger)
		return false;
	*items = larger;
	*capacity = larger_capacity;
	return true;
}

char *ir_close(FILE *out, char **text, bool done)
{
	if (!out)
		return NULL;
	if (fclose(out) == 0 && done)
		return *text;
	free(*text);
	return NULL;
}
