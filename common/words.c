#include "common/words.h"

#include <ctype.h>
#include <string.h>

bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

const char *next_word(const char *at, const char *end, size_t *ret_length)
{
	while (at < end && !is_word(*at))
		at++;
	*ret_length = 0;
	while (at + *ret_length < end && is_word(at[*ret_length]))
		++*ret_length;
	return at;
}

bool same_word(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && memcmp(word, text, length) == 0;
}

bool has_word_of(const char *at, const char *end, const char *word, size_t length)
{
	size_t found;

	for (at = next_word(at, end, &found); found > 0; at = next_word(at + found, end, &found))
		if (found == length && memcmp(at, word, length) == 0)
			return true;
	return false;
}

bool has_word(const char *at, const char *end, const char *word)
{
	return has_word_of(at, end, word, strlen(word));
}

const char *skip_other(const char *at)
{
	const char quote = *at;

	if (strncmp(at, "//", 2) == 0)
		return at + strcspn(at, "\n");
	if (strncmp(at, "/*", 2) == 0) {
		const char *end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (quote != '"' && quote != '\'')
		return at;
	for (at++; *at && *at != quote && *at != '\n';)
		at += *at == '\\' && at[1] ? 2 : 1;
	return at + (*at == quote);
}
