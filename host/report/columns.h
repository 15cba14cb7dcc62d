/*
 * Chooses the columns of a table that fit a terminal.
 */
#ifndef PMPP_HOST_REPORT_COLUMNS_H
#define PMPP_HOST_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

struct table_column {
	const char *title;
	int width;    /* in characters; negative: right-aligned */
	int gap;      /* blanks before the column, unless it is the first one */
	int priority; /* 0: always shown. Other columns are added in the order of their numbers, the
			 smallest first */
	bool absent;  /* this table does not have the column */
};

/* Chooses columns. Their widths and gaps add up to at most `width` characters; 0 = no limit.
 * Columns of priority 0 are shown even if they are wider than that. A column that does not fit is
 * left out, and columns with larger numbers may still fit. ret_shown: one value for each of the
 * `count` columns. Returns the sum in characters. */
int columns_choose(const struct table_column *columns, size_t count, int width, bool *ret_shown);

#endif
