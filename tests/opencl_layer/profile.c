#include "tests/opencl_layer/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"
#define MAX_BYTES 65536

/* Cuts white space from both ends; returns the new start. */
static char *trimmed(char *text)
{
	size_t length;

	text += strspn(text, BLANKS);
	length = strlen(text);
	while (length > 0 && strchr(BLANKS, text[length - 1]))
		text[--length] = '\0';
	return text;
}

static const char *add_line(struct profile *profile, char *line)
{
	char *sign, *value;
	size_t length;

	line = trimmed(line);
	if (*line == '\0' || *line == '#')
		return NULL;
	sign = strchr(line, '=');
	if (!sign)
		return "a line has no '='";
	*sign = '\0';
	value = trimmed(sign + 1);
	length = strlen(value);
	if (*value == '"') {
		if (length < 2 || value[length - 1] != '"')
			return "a text has no closing quote";
		value[length - 1] = '\0';
		value++;
	}
	line = trimmed(line);
	if (profile_value(profile, line))
		return "a key occurs twice";
	if (profile->count == PROFILE_LINES)
		return "too many lines";
	profile->lines[profile->count++] = (struct profile_line){line, value};
	return NULL;
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = file ? calloc(1, MAX_BYTES) : NULL;

	if (text && fread(text, 1, MAX_BYTES - 1, file) == MAX_BYTES - 1) {
		free(text);
		text = NULL;
		errno = EFBIG;
	}
	if (file)
		fclose(file);
	return text;
}

bool profile_read(const char *path, struct profile *ret_profile, const char **ret_reason)
{
	struct profile profile = {.text = read_text(path)};
	char *rest = NULL;

	*ret_reason = profile.text ? NULL : strerror(errno);
	for (char *line = profile.text ? strtok_r(profile.text, "\n", &rest) : NULL;
		line && !*ret_reason; line = strtok_r(NULL, "\n", &rest))
		*ret_reason = add_line(&profile, line);
	if (*ret_reason) {
		profile_clear(&profile);
		return false;
	}
	*ret_profile = profile;
	return true;
}

void profile_clear(struct profile *profile)
{
	free(profile->text);
	*profile = (struct profile){0};
}

const char *profile_value(const struct profile *profile, const char *key)
{
	for (size_t i = 0; i < profile->count; i++)
		if (strcmp(profile->lines[i].key, key) == 0)
			return profile->lines[i].value;
	return NULL;
}

bool profile_is_none(const char *value)
{
	return value && strcmp(value, "none") == 0;
}

bool profile_has_word(const char *words, const char *word, size_t length)
{
	while (words && *words) {
		size_t own;

		words += strspn(words, " ");
		own = strcspn(words, " ");
		if (own > 0 && own == length && memcmp(words, word, length) == 0)
			return true;
		words += own;
	}
	return false;
}

size_t profile_numbers(const char *value, uint64_t *numbers, size_t room)
{
	size_t count = 0;

	while (value && *value && count < room) {
		char *end;

		errno = 0;
		numbers[count] = strtoull(value, &end, 0);
		if (end == value || errno != 0)
			return 0;
		count++;
		value = end + strspn(end, " ");
	}
	return value && *value ? 0 : count;
}
