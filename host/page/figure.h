/*
 * A chart in the page: title, legend and drawing.
 */
#ifndef PMPP_HOST_PAGE_FIGURE_H
#define PMPP_HOST_PAGE_FIGURE_H

#include "host/page/chart.h"

#include <stdio.h>

/* drawing: of svg_rewrite(). */
void figure_put(const struct chart *chart, const char *drawing, FILE *out);

/* The sign of a series in a legend: its mark, or a piece of its line. */
void figure_put_sign(const struct chart_series *series, FILE *out);

#endif
