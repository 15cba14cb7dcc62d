#include "host/selftest/changed_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t text_occurrences(const char *text, const char *find)
{
	size_t count = 0;

	for (const char *at = strstr(text, find); at; at = strstr(at + strlen(find), find))
		count++;
	return count;
}

char *text_replaced(const char *text, const char *find, const char *replacement, int only)
{
	size_t size = strlen(text) + text_occurrences(text, find) * strlen(replacement) + 1;
	char *result = calloc(1, size);
	char *end = result;
	int number = 0;

	if (!result)
		return NULL;
	while (*text) {
		const char *at = strstr(text, find);
		size_t before = at ? (size_t)(at - text) : strlen(text);
		bool chosen = only < 0 || number == only;

		memcpy(end, text, before);
		end += before;
		if (!at)
			break;
		end = stpcpy(end, chosen ? replacement : find);
		text = at + strlen(find);
		number++;
	}
	*end = '\0';
	return result;
}
