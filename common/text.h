/*
 * Text for people in a buffer: numbers and times. The functions cut a text that does not fit. Lists in texts of
 * systems and drivers.
 */
#ifndef PMPP_COMMON_TEXT_H
#define PMPP_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a number without exponent. It has no decimals from 100, one from 10, else two. "-" for NaN
 * and infinity. */
void format_number(double value, char *ret_text, size_t size);

/* Writes a time in ns with a suitable unit, for example "12.3 ms"; "-" for NaN and infinity. */
void format_ns(double ns, char *ret_text, size_t size);

/* Appends to a text of at most `size` bytes. */
void text_append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether a list, such as "rw,memory" with the separator ',', has the item. */
bool text_has_item(const char *list, char separator, const char *item);

/* The name in a path: the part after the last slash. */
const char *path_name(const char *path);

/* The folder of a path, with its slash; "." if there is none. malloc'ed; NULL if there is no memory. */
char *path_folder(const char *path);

#endif
