/*
 * Text that fits the columns of a terminal. Columns are counted in UTF-8 characters; escape
 * sequences of colours take none.
 */
#ifndef PMPP_HOST_REPORT_WRAP_H
#define PMPP_HOST_REPORT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Columns of a text of one line. */
int wrap_columns(const char *text);

/* The next line of *text, broken at a blank to fit the columns; a longer word is broken anywhere.
 * Returns its length in bytes, 0 at the end; *ret_line is its start. *text advances past it. */
int wrap_next(const char **text, int columns, const char **ret_line);

/* A source line without indentation, cut to a number of columns (UTF-8). A cut line ends with an
 * ellipsis. */
void wrap_cut(const char *text, int columns, char *ret_text, size_t size);

/* Writes a text. Lines that are longer than width are broken; their rests are indented by 4 columns
 * more than the line. width 0: no line is broken. */
void wrap_put(FILE *out, int width, const char *text);

/* Collects a text for wrap_put(). Zero-initialise. */
struct wrap {
	FILE *out, *stream;
	int width;
	char *text;
	size_t size;
};

/* Returns the stream that collects the text: `out` itself if width is 0, or for lack of memory. */
FILE *wrap_begin(struct wrap *wrap, FILE *out, int width);

/* Writes the text to `out`. */
void wrap_end(struct wrap *wrap);

#endif
