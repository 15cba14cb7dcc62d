/*
 * Charts: data, axes and marks. gnuplot draws them as SVG (host/page/gnuplot.h). Charts use the
 * colours of the page, which are different in light mode, in dark mode and in print.
 */
#ifndef PMPP_HOST_PAGE_CHART_H
#define PMPP_HOST_PAGE_CHART_H

#include <stdbool.h>
#include <stddef.h>

struct chart_axis {
	const char *label; /* quantity and unit: "GFLOP/s" */
	bool log;
	double low, high; /* NAN: from the data */
};

/* NAN in x or y: the point is not drawn. NAN in low or high: no interval. */
struct chart_point {
	double x, y;
	double low, high; /* 95 % interval: of x if the chart has rows, else of y */
	const char *name; /* written beside the point if it covers nothing; NULL = none */
};

enum chart_shape {
	CHART_POINTS,
	CHART_LINE,          /* points joined in their order */
	CHART_LINE_NO_POINTS /* roofs and other limits */
};

/* The number of distinct colours and marks. */
#define CHART_TINTS 8
#define CHART_MARKS 6

struct chart_series {
	const char *name; /* in the legend; NULL = not in the legend */
	unsigned tint;    /* colour, below CHART_TINTS */
	unsigned mark;    /* below CHART_MARKS */
	enum chart_shape shape;
	struct chart_point *points;
	size_t count;
};

/* A straight line across the chart. */
struct chart_rule {
	bool vertical;
	double at;
	const char *name; /* NULL = none */
};

/* The chart owns all memory, texts included: chart_finish() frees it. Texts may have any
 * characters: they are cleaned and shortened when the chart is drawn. */
struct chart {
	const char *title;       /* "matmul, n = 2048" */
	const char *description; /* one or two sentences for screen readers */
	struct chart_axis x, y;
	/* Rows: names on the y axis, from top to bottom; point.y is then the index of a row.
	 * row_count 0: y is a number. */
	const char **rows;
	size_t row_count;
	struct chart_series *series;
	size_t series_count;
	struct chart_rule *rules;
	size_t rule_count;
	bool small; /* one of several charts side by side */
};

/* The functions below return false (or NULL) if there is no memory; the chart is then unchanged.
 * They copy texts. */
bool chart_set_titles(struct chart *chart, const char *title, const char *description);
bool chart_set_axis(struct chart_axis *axis, const char *label, bool log);
bool chart_add_row(struct chart *chart, const char *name);
/* The series is valid until the next one is added. */
struct chart_series *chart_add_series(struct chart *chart, const char *name, unsigned tint,
	unsigned mark, enum chart_shape shape);
bool chart_add_point(
	struct chart_series *series, double x, double y, double low, double high, const char *name);
bool chart_add_rule(struct chart *chart, bool vertical, double at, const char *name);

void chart_init(struct chart *chart); /* empty; limits of the axes NAN */
void chart_finish(struct chart *chart);

#endif
