/* Words and brackets of a file with a kernel. */
#include "common/own/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/words.h"

struct span span_of(const char *text)
{
	return (struct span){text, text + strlen(text)};
}

struct span span_trim(struct span span)
{
	while (span.begin < span.end && isspace((unsigned char)*span.begin))
		span.begin++;
	while (span.begin < span.end && isspace((unsigned char)span.end[-1]))
		span.end--;
	return span;
}

bool span_is(struct span span, const char *text)
{
	return same_word(span.begin, (size_t)(span.end - span.begin), text);
}

const char *span_find(struct span span, char c)
{
	return memchr(span.begin, c, (size_t)(span.end - span.begin));
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
