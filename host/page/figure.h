/*
 * A chart in the page: title, legend and drawing.
 */
#ifndef PMPP_HOST_PAGE_FIGURE_H
#define PMPP_HOST_PAGE_FIGURE_H

#include "host/page/chart.h"

#include <stdio.h>

/* Writes the figure. drawing: from svg_rewrite(). */
void figure_put(const struct chart *chart, const char *drawing, FILE *out);

/* Writes the sign of a series for a legend: its mark, or a part of its line. */
void figure_put_sign(const struct chart_series *series, FILE *out);

#endif
