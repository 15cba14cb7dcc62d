/*
 * Parts of Markdown texts. Texts of files and devices are escaped, so that they cannot end a cell
 * or a line.
 */
#ifndef PMPP_HOST_REPORT_MARKDOWN_H
#define PMPP_HOST_REPORT_MARKDOWN_H

#include <stdbool.h>
#include <stdio.h>

/* A column; its title has the unit. */
struct markdown_column {
	const char *title;
	bool number; /* right-aligned */
};

/* Prints a text. "|" is escaped, and line ends become blanks. */
void markdown_text(FILE *out, const char *text);

/* Prints the titles and the line below them. */
void markdown_titles(FILE *out, const struct markdown_column *columns, size_t count);

/* Prints a row. texts: one for each column; NULL = empty. */
void markdown_row(FILE *out, const char *const *texts, size_t count);

/* Prints a paragraph that explains the marks of the flags. Prints nothing if there are no flags. */
void markdown_legend(FILE *out, unsigned flags);

#endif
