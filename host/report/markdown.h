/*
 * Pieces of Markdown texts. Texts of files and devices are escaped: they cannot end a cell or a
 * line.
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

void markdown_text(FILE *out, const char *text);

/* Titles and the line below them. */
void markdown_titles(FILE *out, const struct markdown_column *columns, size_t count);

/* A row. texts: one for each column; NULL = empty. */
void markdown_row(FILE *out, const char *const *texts, size_t count);

/* A paragraph that explains the marks of the flags. Nothing if there are none. */
void markdown_legend(FILE *out, unsigned flags);

#endif
