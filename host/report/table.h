/*
 * Tables: columns, rows of cells, and four writers (terminal, Markdown, CSV, HTML). Every table that
 * the program prints is one of these. A cell is formatted once, for all writers.
 */
#ifndef PMPP_HOST_REPORT_TABLE_H
#define PMPP_HOST_REPORT_TABLE_H

#include "host/report/format.h"
#include "host/report/page_style.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT,
	TABLE_REST /* the last column: left-aligned text that may be longer than the line */
};

struct table_column {
	const char *key;   /* word for programs: title in CSV, data-key in HTML; NULL = the title */
	const char *title; /* for people */
	const char *unit;  /* of the cells' numbers, for HTML; NULL = none */
	enum table_align align;
	int priority; /* terminal; 0: always shown. The other columns are added in the order of their
			 numbers, the smallest first. A column that does not fit is left out */
	int width;    /* terminal: least width */
	int cut;      /* terminal: texts may be cut to so many columns; 0 = never. Columns up to the
			 priority TABLE_ESSENTIAL cut other columns before they are left out */
	bool absent;  /* no writer has the column */
};

/* A column of numbers. */
#define TABLE_NUMBER(key_, title_, unit_, priority_, width_)                       \
	{                                                                          \
		.key = key_, .title = title_, .unit = unit_, .align = TABLE_RIGHT, \
		.priority = priority_, .width = width_                             \
	}

#define TABLE_ESSENTIAL 4
#define TABLE_LAST_PRIORITY 20
#define TABLE_MARKS_BYTES 8

struct table_cell {
	char *text;                    /* for people, with unit; owned */
	double value;                  /* the number of the text; NaN = it has none */
	char marks[TABLE_MARKS_BYTES]; /* follow the text, in a column of their own */
	enum style style;
	bool span; /* the text takes the rest of the row */
};

struct table_row {
	struct table_cell *cells; /* one for each column; owned */
	size_t count;
	enum style style;
	char *below; /* a line below the row; owned; NULL = none */
	char id[24]; /* HTML: id of the row, to which its first cell links; "" = none */
};

/* Zero-initialise, or table_init(). Lack of memory sets `failed`; the writers then print a message in
 * place of the table. */
struct table {
	struct table_column *columns; /* with titles; owned */
	size_t column_count;
	struct table_row *rows; /* owned */
	size_t row_count;
	int indent;    /* terminal: blanks before each line */
	bool untitled; /* terminal: no line of titles, or it is printed */
	bool failed;

	/* The terminal that table_begin() was called for. */
	FILE *out;
	struct page_style style;
	int *widths; /* without marks; -1 = left out; owned */
	int *marks;  /* widths of the marks; owned */
};

/* ---- Columns and rows ---------------------------------------------------------------------- */

/* Makes a table with these columns; the titles are copied. */
void table_init(struct table *table, const struct table_column *columns, size_t count);
void table_finish(struct table *table);

/* Begins a row. Then each of the following functions adds a cell for the next column; columns
 * without a cell are empty. Each returns the cell, to set its marks or style. Texts are cleaned
 * (common/clean_text.h): no text can control the terminal. */
struct table_row *table_row(struct table *table, enum style style);
struct table_cell *table_text(struct table *table, const char *text); /* NULL = empty */
struct table_cell *table_format(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* format: format_ns(), format_percent() and others */
struct table_cell *table_number(struct table *table, format_fn *format, double value);

/* Adds the value of a field of a record as text (host/record/document.h). record: NULL = empty cell. */
struct table_cell *table_field(
	struct table *table, const struct record_type *type, const void *record, const char *field);

/* The text takes the rest of the row, such as the reason of a missing result. */
struct table_cell *table_span(struct table *table, const char *text);

/* Sets the line below the last row. */
void table_below(struct table *table, const char *text);

/* ---- Terminal ------------------------------------------------------------------------------ */

/* Prints a complete table, for a terminal or as Markdown (style). Below a table that is too wide, a line names
 * the columns that were left out. */
void table_put(struct table *table, FILE *out, const struct page_style *style);

/* The same in parts, for rows that are printed as soon as they are known: begin chooses the widths from
 * the columns and the rows so far; flush prints the titles, once, and the rows, and drops them. A first
 * cell that is too wide has a line of its own. */
void table_begin(struct table *table, FILE *out, const struct page_style *style);
void table_drop_rows(struct table *table);
void table_flush(struct table *table);
void table_end(struct table *table);

/* ---- Files --------------------------------------------------------------------------------- */

/* Cells with a number have the number, with 9 digits. */
void table_put_csv(const struct table *table, FILE *out);

/* Writes a text as one line of Markdown. "\", "|", "`", "&" and the beginning of a tag are escaped, so
 * the text cannot end its cell and has no HTML. */
void markdown_text(FILE *out, const char *text);

/* A <table> with a caption. Headings have data-key and data-unit, cells with a number data-value. */
void table_put_html(const struct table *table, FILE *out, const char *caption);

#endif
