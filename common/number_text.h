/*
 * Numbers and times as text for people. Every function cuts what does not fit.
 */
#ifndef PMPP_COMMON_NUMBER_TEXT_H
#define PMPP_COMMON_NUMBER_TEXT_H

#include <stddef.h>

/* A number with three significant digits, no exponent; "-" for NaN and infinity. */
void format_number(double value, char *ret_text, size_t size);

/* A time in ns, for example "12.3 ms"; "-" for NaN and infinity. */
void format_ns(double ns, char *ret_text, size_t size);

#endif
