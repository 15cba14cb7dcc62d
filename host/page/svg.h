/*
 * Reduces the SVG that gnuplot writes to the parts that a page needs. The reader rejects all
 * unknown elements and attributes. Colours become classes of the page's style, marks become paths,
 * tokens become texts. The result has no style, script, reference or font.
 */
#ifndef PMPP_HOST_PAGE_SVG_H
#define PMPP_HOST_PAGE_SVG_H

#include "common/status.h"
#include "host/page/chart_layout.h"

/* printf format of the token for a text (size_t: index of the label in the layout). */
#define SVG_TOKEN "Z%05zu"

/* gnuplot's point type of the first mark. */
#define SVG_FIRST_POINT_TYPE 1u

/* The colour that represents an ink in gnuplot's script: 0xRRGGBB. */
unsigned svg_colour_of_ink(unsigned ink);

struct svg_texts {
	size_t chart; /* number of the chart in the page; ids of the drawing end in it */
	const char *title, *description;
	const struct chart_layout *layout;
};

/* Reads one <svg> element and moves *text behind it. *ret_drawing: the element, with role="img",
 * title and description; malloc'ed. PMPP_IO: there is no such element, or it has an unknown part,
 * which the message names. */
enum pmpp_status svg_rewrite(const char **text, const struct svg_texts *texts, char **ret_drawing,
	struct pmpp_error *error);

/* Writes the mark as path data around a point. */
#define SVG_MARK_BYTES 160
void svg_mark_path(unsigned mark, double x, double y, char ret_path[SVG_MARK_BYTES]);

/* Returns true if the mark is an area, false if it consists of lines. */
bool svg_mark_is_filled(unsigned mark);

#endif
