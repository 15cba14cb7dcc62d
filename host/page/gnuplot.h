/*
 * Charts as SVG, drawn by gnuplot: one process for all charts of a page.
 *
 * The script of gnuplot has no texts. In place of each text it has a token of letters and digits
 * ("Z00012"), which svg.h replaces in gnuplot's output. The colours are tokens as well.
 */
#ifndef PMPP_HOST_PAGE_GNUPLOT_H
#define PMPP_HOST_PAGE_GNUPLOT_H

#include "common/status.h"
#include "host/page/chart_layout.h"

#define GNUPLOT_TIMEOUT_S 60

/* The script for all charts; every chart has points. malloc'ed; NULL for lack of memory. */
char *gnuplot_script(const struct chart *charts, const struct chart_layout *layouts, size_t count);

/* Draws the charts. ret_drawings has room for `count` texts, each an <svg> element as in
 * svg_rewrite(), malloc'ed. A chart without points has NULL.
 *
 * PMPP_UNAVAILABLE: gnuplot is not installed; the message says what to install. Other errors:
 * gnuplot failed. ret_drawings is untouched on failure. */
enum pmpp_status gnuplot_draw(
	const struct chart *charts, size_t count, char **ret_drawings, struct pmpp_error *error);

#endif
