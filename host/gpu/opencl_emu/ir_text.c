#include "host/gpu/opencl_emu/ir_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int part_compare(struct part a, struct part b)
{
	int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

bool part_same(struct part a, struct part b)
{
	return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
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

struct part part_name(const char *at, const char *end)
{
	size_t length = 1 + (at[1] == '"' ? strcspn(at + 2, "\"\n") + 2 : strspn(at + 1, IR_NAME));
	size_t rest = (size_t)(end - at);

	return (struct part){at, length < rest ? length : rest};
}

struct part part_global(struct part part)
{
	const char *at = part_find(part, "@");

	return at ? part_name(at, part.at + part.length) : (struct part){"", 0};
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

struct part part_take(struct part *rest)
{
	struct part item = {rest->at, 0};
	int depth = 0;

	while (item.length < rest->length) {
		char c = item.at[item.length];
		depth += (c == '(' || c == '[' || c == '{' || c == '<') -
			 (c == ')' || c == ']' || c == '}' || c == '>');
		if (depth < 0 || (depth == 0 && c == ','))
			break;
		item.length++;
	}
	size_t used = item.length + 2 < rest->length ? item.length + 2 : rest->length;
	rest->at += used;
	rest->length -= used;
	return item;
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

char *ir_change_functions(const char *ir, ir_function_fn *put, void *context)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool done = out != NULL;
	struct part line;

	while (done && *ir) {
		const char *close = strncmp(ir, "define ", 7) == 0 ? strstr(ir, "\n}\n") : NULL;
		if (close) {
			done = put(out, ir, close + 1, context);
			ir = close + 1;
		} else if (next_line(&ir, &line)) {
			fprintf(out, "%.*s\n", PUT(line));
		}
	}
	return ir_close(out, &text, done);
}
