/*
 * Charts as SVG, drawn by gnuplot: one process for all charts of a page.
 *
 * The gnuplot script contains no texts. Each text is represented by a token of letters and digits
 * ("Z00012"), which svg.h replaces in gnuplot's output. Colours are tokens as well.
 */
#ifndef PMPP_HOST_PAGE_GNUPLOT_H
#define PMPP_HOST_PAGE_GNUPLOT_H

#include "common/status.h"
#include "host/page/chart_layout.h"

#define GNUPLOT_TIMEOUT_S 60

/* Returns the script for all charts. Every chart must have points. malloc'ed; NULL if there is no
 * memory. */
char *gnuplot_script(const struct chart *charts, const struct chart_layout *layouts, size_t count);

/* Draws the charts. ret_drawings: array of `count` malloc'ed texts, each an <svg> element from
 * svg_rewrite(); NULL for a chart without points.
 *
 * PMPP_UNAVAILABLE: gnuplot is not installed; the message says what to install. Other errors:
 * gnuplot failed. ret_drawings is unchanged on failure. */
enum pmpp_status gnuplot_draw(
	const struct chart *charts, size_t count, char **ret_drawings, struct pmpp_error *error);

#endif
