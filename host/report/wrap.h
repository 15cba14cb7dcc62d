/*
 * Text that fits the columns of a terminal. A column is one UTF-8 character; East Asian
 * characters take two columns. Escape sequences of colours take no column.
 */
#ifndef PMPP_HOST_REPORT_WRAP_H
#define PMPP_HOST_REPORT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Number of columns of a text without line ends. */
int wrap_columns(const char *text);

/* Takes the next line of *text, broken at a blank to fit the columns. A word that is longer than a
 * line is broken at the last column. Sets *ret_line to the start of the line, and *text to its end.
 * Returns the length in bytes; 0 at the end of the text. */
int wrap_next(const char **text, int columns, const char **ret_line);

/* Copies a line without its indentation, cut to a number of columns. A cut line ends with an
 * ellipsis. Tabs become blanks. */
void wrap_cut(const char *text, int columns, char *ret_text, size_t size);

/* Collects a text, to write it without the blanks at the ends of lines. Lines that are longer than `width`
 * columns are broken. The rest of a broken line is indented by 4 columns more than the line. width 0: no line
 * is broken. wrap_begin() sets all members. */
struct wrap {
	FILE *out, *stream;
	int width;
	char *text;
	size_t size;
};

/* Returns the stream that collects the text; `out` itself for lack of memory. */
FILE *wrap_begin(struct wrap *wrap, FILE *out, int width);

/* Writes the text to `out`. */
void wrap_end(struct wrap *wrap);

#endif
