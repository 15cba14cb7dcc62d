/*
 * Numbers and times as text for people. The functions cut a text that does not fit.
 */
#ifndef PMPP_COMMON_NUMBER_TEXT_H
#define PMPP_COMMON_NUMBER_TEXT_H

#include <stddef.h>

/* Writes a number without exponent. It has no decimals from 100, one from 10, else two. "-" for NaN
 * and infinity. */
void format_number(double value, char *ret_text, size_t size);

/* Writes a time in ns with a suitable unit, for example "12.3 ms"; "-" for NaN and infinity. */
void format_ns(double ns, char *ret_text, size_t size);

#endif
