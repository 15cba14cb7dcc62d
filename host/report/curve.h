/*
 * A curve of characters: values from left to right, with marks.
 */
#ifndef PMPP_HOST_REPORT_CURVE_H
#define PMPP_HOST_REPORT_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One place on the horizontal axis. */
struct curve_value {
	double value; /* not finite: no value, drawn as a cross at the bottom */
	bool mark;    /* a vertical line before the value */
};

struct curve {
	const struct curve_value *values;
	size_t count;
	void (*format)(double value, char *text, size_t size); /* labels of the vertical axis */
	int width;                                             /* columns of the whole drawing */
	bool unicode; /* draw with Unicode characters, else ASCII */
};

/* Draws CURVE_ROWS lines. The vertical axis is linear. Its range is at least 2 % of the middle
 * value, so noise of less than 1 % looks flat. If there are more values than columns, neighbours
 * share a column. Draws nothing if no value is finite. */
#define CURVE_ROWS 7
void curve_put(FILE *out, const struct curve *curve);

#endif
