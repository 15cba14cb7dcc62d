/* The names nearest to a mistyped name, for "did you mean". */
#ifndef PMPP_COMMON_NEAREST_H
#define PMPP_COMMON_NEAREST_H

#include <stddef.h>

/* Writes up to three names that are near to `word`, nearest first, for example "matmul, vecadd"; ""
 * if no name is near. A name is near if it contains `word`, or if its edit distance (Levenshtein)
 * to `word` is the smallest of all names and at most about a third of the longer text. */
void nearest_names(
	const char *word, const char *const *names, size_t count, char *ret_text, size_t size);

#define NAMES_TEXT_BYTES 400

/* Returns ret_text: " (did you mean matmul, vecadd?)", or "" if no name is near. */
const char *nearest_hint(
	const char *word, const char *const *names, size_t count, char ret_text[NAMES_TEXT_BYTES]);

/* Returns ret_text: all names, "matmul, vecadd". */
const char *names_text(const char *const *names, size_t count, char ret_text[NAMES_TEXT_BYTES]);

#endif
