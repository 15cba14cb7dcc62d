/* "Did you mean": the names nearest to a mistyped one. */
#ifndef PMPP_COMMON_NEAREST_H
#define PMPP_COMMON_NEAREST_H

#include <stddef.h>

/* Writes up to three of the names nearest to word by edit distance (Levenshtein), nearest first,
 * as "matmul, vecadd" into ret_text; "" when none is near (distance over a third of the longer
 * word, and word is no part of the name). */
void nearest_names(
	const char *word, const char *const *names, size_t count, char *ret_text, size_t size);

#endif
