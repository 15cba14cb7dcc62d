/*
 * The layout of a chart: ranges of the axes, ticks, and the place of every text. gnuplot uses this
 * layout, so that charts look the same with every version of gnuplot.
 */
#ifndef PMPP_HOST_PAGE_CHART_LAYOUT_H
#define PMPP_HOST_PAGE_CHART_LAYOUT_H

#include "host/page/axis.h"

enum chart_layout_anchor {
	ANCHOR_LEFT, /* the text begins at x */
	ANCHOR_MIDDLE,
	ANCHOR_RIGHT
};

/* Colours of a chart: first the tints of the series, then these. */
enum chart_layout_ink {
	INK_TEXT = CHART_TINTS, /* ticks, names of axes */
	INK_GRID,
	INK_RULE,
	INK_COUNT
};

/* A text and the pixel of its anchor, from the left and from the bottom. */
struct layout_label {
	char *text; /* owned */
	double x, y;
	enum chart_layout_anchor anchor;
	unsigned ink; /* a tint, or enum chart_layout_ink */
	bool upright; /* rotated by 90 degrees */
};

struct chart_layout {
	double width, height; /* pixels */
	struct axis x, y;
	struct layout_label *labels; /* owned */
	size_t label_count;
};

/* Maximum number of characters of a text in a chart. Longer texts are cut and end in "...". */
#define LAYOUT_CHARACTERS 32

/* Returns whether the chart has at least one point that its axes can show (host/page/axis.h). */
bool layout_has_points(const struct chart *chart);

/* Returns whether the point is part of the chart. */
bool chart_layout_shows(const struct chart *chart, const struct chart_point *point);

/* Returns whether the rule is in the plot area. */
bool layout_shows_rule(const struct chart_layout *layout, const struct chart_rule *rule);

/* Computes the layout of a chart with at least one point. Omits names of points that have no space.
 * Returns false if there is no memory. The caller always calls chart_layout_finish(). */
bool chart_layout_make(const struct chart *chart, struct chart_layout *ret_layout);
void chart_layout_finish(struct chart_layout *layout);

#endif
