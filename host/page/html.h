/*
 * HTML text. Texts of result files never become markup: html_text() and html_name() write every
 * character that has a meaning in HTML as a reference, and html_attribute() quotes its value.
 * html_markup() is for constant texts of this program only.
 */
#ifndef PMPP_HOST_PAGE_HTML_H
#define PMPP_HOST_PAGE_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Markup that this program wrote. */
void html_markup(FILE *out, const char *markup);

/* Text: control characters as in common/clean_text.h, then references. NULL writes nothing. */
void html_text(FILE *out, const char *text);

/* A text from a file (a name, a reason). Its direction does not change the text around it (<bdi>).
 * A text of more than HTML_NAME_CHARACTERS characters is cut and ends in "...". */
#define HTML_NAME_CHARACTERS 200
void html_name(FILE *out, const char *text);

/* A text of this program that may have names in it: as html_text(), cut like a name. Captions,
 * titles of columns and values of attributes are written in this way. */
#define HTML_TITLE_CHARACTERS 300
void html_title(FILE *out, const char *text);

/* ' name="value"': call it between html_markup("<a") and html_markup(">"). */
void html_attribute(FILE *out, const char *name, const char *value);

/* printf; the result is written as html_text(). */
void html_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Tables ---------------------------------------------------------------------------------- */

enum html_align {
	HTML_LEFT,
	HTML_RIGHT /* numbers */
};

struct html_column {
	const char *title;
	enum html_align align;
};

/* One table. The calls are: begin; for each row: row_begin, a call for each cell, row_end; end. The
 * first cell of a row is its heading. Zero-initialise. */
struct html_table {
	FILE *out;
	const struct html_column *columns;
	size_t column_count;
	size_t next; /* the column of the next cell */
};

/* caption: what the table shows; read aloud by screen readers. */
void html_table_begin(struct html_table *table, FILE *out, const char *caption,
	const struct html_column *columns, size_t column_count);
void html_row_begin(struct html_table *table);
void html_cell(struct html_table *table, const char *text);      /* html_text() */
void html_cell_name(struct html_table *table, const char *text); /* html_name() */
void html_cell_format(struct html_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void html_row_end(struct html_table *table);
void html_table_end(struct html_table *table);

#endif
