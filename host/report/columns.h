/*
 * Which columns of a table fit a terminal.
 */
#ifndef PMPP_HOST_REPORT_COLUMNS_H
#define PMPP_HOST_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

struct table_column {
	const char *title;
	int width;    /* in characters; negative: right-aligned */
	int gap;      /* blanks before the column, unless it is the first one */
	int priority; /* 0: always shown. Else the column with the smallest number gets its place
			 first */
	bool absent;  /* this table does not have the column */
};

/* Chooses columns whose sum, gaps included, is at most width; 0 = unlimited. A column that does not
 * fit is left out, and columns of larger numbers may still fit. ret_shown: `count` answers. Returns
 * the sum. */
int columns_choose(const struct table_column *columns, size_t count, int width, bool *ret_shown);

#endif
