#include "common/nearest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

#define LONGEST_WORD 63
#define MAX_NAMES 3

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t min = a < b ? a : b;
	return min < c ? min : c;
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[LONGEST_WORD + 1];
	size_t columns = strnlen(b, LONGEST_WORD);

	for (size_t j = 0; j <= columns; j++)
		row[j] = j;
	for (size_t i = 0; i < LONGEST_WORD && a[i]; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 0; j < columns; j++) {
			size_t replaced = diagonal + (a[i] != b[j]);
			diagonal = row[j + 1];
			row[j + 1] = min3(replaced, row[j] + 1, diagonal + 1);
		}
	}
	return row[columns];
}

static size_t score(const char *word, const char *name)
{
	size_t distance = edit_distance(word, name);
	size_t longer = strlen(word) > strlen(name) ? strlen(word) : strlen(name);

	if (strstr(name, word))
		return distance < 2 ? distance : 2;
	return 3 * distance <= longer + 2 ? distance : SIZE_MAX;
}

void nearest_names(
	const char *word, const char *const *names, size_t count, char *ret_text, size_t size)
{
	size_t used = 0, nearest = 0;
	size_t listed[MAX_NAMES];

	ret_text[0] = '\0';
	if (!*word)
		return;
	for (size_t n = 0; n < MAX_NAMES; n++) {
		size_t best = count;
		size_t best_score = SIZE_MAX;
		for (size_t i = 0; i < count; i++) {
			int taken = 0;
			for (size_t j = 0; j < n; j++)
				taken |= listed[j] == i;
			size_t s = taken ? SIZE_MAX : score(word, names[i]);
			if (n > 0 && s > nearest && !strstr(names[i], word))
				continue;
			if (s < best_score) {
				best_score = s;
				best = i;
			}
		}
		if (best == count)
			return;
		listed[n] = best;
		nearest = n ? nearest : best_score;
		int length =
			snprintf(ret_text + used, size - used, "%s%s", n ? ", " : "", names[best]);
		if (length < 0 || (size_t)length >= size - used)
			return;
		used += (size_t)length;
	}
}

const char *nearest_hint(
	const char *word, const char *const *names, size_t count, char ret_text[NAMES_TEXT_BYTES])
{
	char near[NAMES_TEXT_BYTES - sizeof " (did you mean ?)"];

	nearest_names(word, names, count, near, sizeof near);
	*ret_text = '\0';
	if (*near)
		snprintf(ret_text, NAMES_TEXT_BYTES, " (did you mean %s?)", near);
	return ret_text;
}

const char *names_text(const char *const *names, size_t count, char ret_text[NAMES_TEXT_BYTES])
{
	ret_text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		text_append(ret_text, NAMES_TEXT_BYTES, "%s%s", i ? ", " : "", names[i]);
	return ret_text;
}
