/* Texts of kernels with a part replaced. */
#ifndef PMPP_HOST_SELFTEST_CHANGED_TEXT_H
#define PMPP_HOST_SELFTEST_CHANGED_TEXT_H

#include <stddef.h>

size_t text_occurrences(const char *text, const char *find);

/* Replaces every occurrence of find, or only the one with the number `only` (from 0; -1: all).
 * malloc'ed; the caller frees it. NULL: no memory. */
char *text_replaced(const char *text, const char *find, const char *replacement, int only);

#endif
