#include "host/page/chart_layout.h"

#include "common/array.h"
#include "common/clean_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. The fonts of readers differ, so these are the widths of a wide font. */
#define CHARACTER 7.4
#define LINE_HEIGHT 16.0
#define MARK 5.0
#define GAP 8.0

/* Boxes along a line. A line is at most as long as a chart is wide, so the distance of the boxes is
 * less than the height of a letter. */
#define SEGMENT_BOXES 64

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Returns the columns of a clean text. Ideographs are twice as wide as letters. */
static double text_width(const char *text)
{
	double width = 0;

	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if ((*c & 0xc0) != 0x80)
			width += *c >= 0xe3 ? 2 * CHARACTER : CHARACTER;
	return width;
}

/* Returns a clean copy on one line, cut to LAYOUT_CHARACTERS; NULL: no memory. */
static char *short_text(const char *text)
{
	char *clean = clean_text_copy(text, strlen(text), CLEAN_LINE);
	size_t count = 0, end = 0;

	for (size_t i = 0; clean && clean[i]; i++) {
		if ((clean[i] & 0xc0) == 0x80)
			continue;
		if (++count == LAYOUT_CHARACTERS - 2)
			end = i;
	}
	/* The removed part is longer than "...", so there is space. */
	if (count > LAYOUT_CHARACTERS)
		strcpy(clean + end, "...");
	return clean;
}

static struct layout_label *add_label(struct chart_layout *layout, const char *text, double x,
	double y, enum chart_layout_anchor anchor, unsigned ink)
{
	char *copy = short_text(text);
	struct layout_label *larger =
		copy ? array_resize(layout->labels, layout->label_count + 1, sizeof *larger) : NULL;

	if (!larger) {
		free(copy);
		return NULL;
	}
	layout->labels = larger;
	larger += layout->label_count++;
	*larger = (struct layout_label){.text = copy, .x = x, .y = y, .anchor = anchor, .ink = ink};
	return larger;
}

/* ---- Points ---------------------------------------------------------------------------------- */

static bool fits_axis(const struct chart_axis *axis, double value)
{
	return axis_shows(axis->log, value);
}

bool chart_layout_shows(const struct chart *chart, const struct chart_point *point)
{
	return fits_axis(&chart->x, point->x) &&
	       (chart->row_count ? axis_shows(false, point->y) : fits_axis(&chart->y, point->y));
}

bool layout_shows_rule(const struct chart_layout *layout, const struct chart_rule *rule)
{
	const struct axis *axis = rule->vertical ? &layout->x : &layout->y;

	return axis_shows(axis->log, rule->at) && rule->at >= axis->low && rule->at <= axis->high;
}

bool layout_has_points(const struct chart *chart)
{
	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++)
			if (chart_layout_shows(chart, &chart->series[s].points[i]))
				return true;
	return false;
}

struct extent {
	double low, high;
};

static void widen(struct extent *extent, const struct chart_axis *axis, double value)
{
	if (!fits_axis(axis, value))
		return;
	extent->low = fmin(extent->low, value); /* fmin ignores NAN */
	extent->high = fmax(extent->high, value);
}

/* Finds the smallest and largest values on both axes. */
static void measure(const struct chart *chart, struct extent *x, struct extent *y)
{
	*x = *y = (struct extent){NAN, NAN};
	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++) {
			const struct chart_point *point = &chart->series[s].points[i];
			bool across = chart->row_count > 0;
			if (!chart_layout_shows(chart, point))
				continue;
			widen(x, &chart->x, point->x);
			widen(y, &chart->y, point->y);
			widen(across ? x : y, across ? &chart->x : &chart->y, point->low);
			widen(across ? x : y, across ? &chart->x : &chart->y, point->high);
		}
	for (size_t i = 0; i < chart->rule_count; i++) {
		const struct chart_rule *rule = &chart->rules[i];
		if (rule->vertical || !chart->row_count)
			widen(rule->vertical ? x : y, rule->vertical ? &chart->x : &chart->y,
				rule->at);
	}
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Counts the series that are side by side in a row: their fractions of y differ. */
static size_t count_lanes(const struct chart *chart)
{
	double lanes[CHART_TINTS * CHART_MARKS];
	size_t count = 0;

	for (size_t s = 0; s < chart->series_count; s++) {
		const struct chart_series *series = &chart->series[s];
		if (series->count == 0 || !isfinite(series->points[0].y))
			continue;
		double lane = series->points[0].y - round(series->points[0].y);
		size_t i = 0;
		while (i < count && fabs(lanes[i] - lane) > 1e-6)
			i++;
		if (i == count && count < sizeof lanes / sizeof *lanes)
			lanes[count++] = lane;
	}
	return count;
}

static double longest_row(const struct chart *chart)
{
	double width = 0;

	for (size_t i = 0; i < chart->row_count; i++) {
		char *text = short_text(chart->rows[i]);
		width = fmax(width, text ? text_width(text) : 0);
		free(text);
	}
	return width;
}

static double longest_tick(const struct axis *axis)
{
	double width = 0;

	for (size_t i = 0; i < axis->tick_count; i++)
		width = fmax(width, text_width(axis->ticks[i].text));
	return width;
}

static size_t count_named(const struct chart *chart, bool vertical)
{
	size_t count = 0;

	for (size_t i = 0; i < chart->rule_count; i++)
		count += chart->rules[i].name && chart->rules[i].vertical == vertical;
	return count;
}

/* Sets the plot area and the ticks. The number of ticks depends on the size of the area. */
static void set_area(const struct chart *chart, struct chart_layout *layout)
{
	double bottom = LINE_HEIGHT + GAP + (chart->x.label ? LINE_HEIGHT + 4 : 0);
	double top = GAP + LINE_HEIGHT * (double)count_named(chart, true);
	double left, plot;

	layout->width = chart->small ? 340 : 700;
	if (chart->row_count) {
		size_t lanes = count_lanes(chart);
		double row = fmax(lanes > 1 ? 12 + 9 * (double)lanes : 0, 26);
		plot = row * (double)chart->row_count;
		left = longest_row(chart) + 2 * GAP;
	} else {
		plot = chart->small ? 190 : 340;
		axis_set_ticks(&layout->y, chart->small ? 5 : 8);
		left = longest_tick(&layout->y) + 2 * GAP + (chart->y.label ? LINE_HEIGHT + 4 : 0);
	}
	layout->height = bottom + plot + top;
	layout->x.pixels[0] = left;
	layout->x.pixels[1] = layout->width - (chart->small ? 18 : 28);
	layout->y.pixels[0] = bottom;
	layout->y.pixels[1] = bottom + plot;
	double space = layout->x.pixels[1] - layout->x.pixels[0];
	axis_set_ticks(&layout->x, 2);
	size_t max = (size_t)fmax(space / (longest_tick(&layout->x) + 3 * GAP), 2);
	axis_set_ticks(&layout->x, max < 9 ? max : 9);
}

static void set_ranges(const struct chart *chart, struct chart_layout *layout)
{
	struct extent x, y;

	measure(chart, &x, &y);
	axis_set_range(&layout->x, &chart->x, x.low, x.high, 0.04);
	if (chart->row_count) {
		/* Rows are from top to bottom, so low is the last row. */
		layout->y = (struct axis){.low = (double)chart->row_count - 0.5, .high = -0.5};
	} else {
		axis_set_range(&layout->y, &chart->y, y.low, y.high, 0.06);
	}
}

/* ---- Texts of axes --------------------------------------------------------------------------- */

static bool add_ticks(const struct chart *chart, struct chart_layout *layout)
{
	double bottom = layout->y.pixels[0], left = layout->x.pixels[0];
	bool ok = true;

	for (size_t i = 0; i < layout->x.tick_count && ok; i++)
		ok = add_label(layout, layout->x.ticks[i].text,
			axis_pixel(&layout->x, layout->x.ticks[i].at), bottom - 12, ANCHOR_MIDDLE,
			INK_TEXT);
	for (size_t i = 0; i < layout->y.tick_count && ok; i++)
		ok = add_label(layout, layout->y.ticks[i].text, left - GAP,
			axis_pixel(&layout->y, layout->y.ticks[i].at), ANCHOR_RIGHT, INK_TEXT);
	for (size_t i = 0; i < chart->row_count && ok; i++)
		ok = add_label(layout, chart->rows[i], left - GAP,
			axis_pixel(&layout->y, (double)i), ANCHOR_RIGHT, INK_TEXT);
	return ok;
}

static bool add_axis_names(const struct chart *chart, struct chart_layout *layout)
{
	const double *x = layout->x.pixels, *y = layout->y.pixels;
	bool ok = true;

	/* At the left, because a phone shows only the left part of a chart without scrolling. */
	if (chart->x.label)
		ok = add_label(
			layout, chart->x.label, x[0], LINE_HEIGHT / 2 + 2, ANCHOR_LEFT, INK_TEXT);
	if (chart->y.label && !chart->row_count && ok) {
		struct layout_label *label = add_label(layout, chart->y.label, LINE_HEIGHT / 2 + 2,
			(y[0] + y[1]) / 2, ANCHOR_MIDDLE, INK_TEXT);
		ok = label != NULL;
		if (ok)
			label->upright = true;
	}
	return ok;
}

/* ---- Names in the plot area ------------------------------------------------------------------ */

struct box {
	double left, right, bottom, top;
};

struct boxes {
	struct box *items; /* owned */
	size_t count;
};

static bool overlaps(const struct boxes *boxes, const struct box *box)
{
	for (size_t i = 0; i < boxes->count; i++) {
		const struct box *other = &boxes->items[i];
		if (box->left < other->right && box->right > other->left &&
			box->bottom < other->top && box->top > other->bottom)
			return true;
	}
	return false;
}

static struct box box_around(double x, double y, double half)
{
	return (struct box){x - half, x + half, y - half, y + half};
}

/* Adds boxes along a line, so that it does not cross a name. */
static void add_segment(const struct chart_layout *layout, const struct chart_point *from,
	const struct chart_point *to, struct boxes *boxes)
{
	double x = axis_pixel(&layout->x, from->x), y = axis_pixel(&layout->y, from->y);
	double dx = axis_pixel(&layout->x, to->x) - x, dy = axis_pixel(&layout->y, to->y) - y;

	for (size_t i = 0; i <= SEGMENT_BOXES; i++) {
		double part = (double)i / SEGMENT_BOXES;
		boxes->items[boxes->count++] = box_around(x + part * dx, y + part * dy, 1);
	}
}

/* Adds the interval of a point in a chart without rows. */
static void add_interval(const struct chart *chart, const struct chart_layout *layout,
	const struct chart_point *point, struct boxes *boxes)
{
	const struct chart_point ends[] = {
		{.x = point->x, .y = point->low}, {.x = point->x, .y = point->high}};

	if (!chart->row_count && chart_layout_shows(chart, &ends[0]) &&
		chart_layout_shows(chart, &ends[1]))
		add_segment(layout, &ends[0], &ends[1], boxes);
}

static void add_lines(
	const struct chart *chart, const struct chart_layout *layout, struct boxes *boxes)
{
	for (size_t s = 0; s < chart->series_count; s++) {
		const struct chart_series *series = &chart->series[s];
		for (size_t i = 0; i < series->count; i++) {
			const struct chart_point *point = &series->points[i];
			if (series->shape != CHART_LINE_NO_POINTS)
				add_interval(chart, layout, point, boxes);
			else if (i && chart_layout_shows(chart, point - 1) &&
				 chart_layout_shows(chart, point))
				add_segment(layout, point - 1, point, boxes);
		}
	}
}

/* Makes the boxes of all marks and lines, and allocates space for the boxes of all names. */
static bool make_boxes(
	const struct chart *chart, const struct chart_layout *layout, struct boxes *ret_boxes)
{
	size_t max = chart->rule_count;

	for (size_t s = 0; s < chart->series_count; s++)
		max += (SEGMENT_BOXES + 3) * chart->series[s].count;
	ret_boxes->items = calloc(max + 1, sizeof *ret_boxes->items);
	ret_boxes->count = 0;
	for (size_t s = 0; ret_boxes->items && s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++) {
			const struct chart_point *point = &chart->series[s].points[i];
			if (chart_layout_shows(chart, point) &&
				chart->series[s].shape != CHART_LINE_NO_POINTS)
				ret_boxes->items[ret_boxes->count++] =
					box_around(axis_pixel(&layout->x, point->x),
						axis_pixel(&layout->y, point->y), MARK);
		}
	if (ret_boxes->items)
		add_lines(chart, layout, ret_boxes);
	return ret_boxes->items != NULL;
}

/* Adds a name beside a point, where it covers nothing. Omits the name if there is no such place. */
static bool place_name(struct chart_layout *layout, struct boxes *boxes, const struct chart *chart,
	const struct chart_point *point, unsigned ink)
{
	const double x = axis_pixel(&layout->x, point->x), y = axis_pixel(&layout->y, point->y);
	const struct {
		enum chart_layout_anchor anchor;
		double x, y;
	} places[] = {{ANCHOR_LEFT, x + GAP + 2, y}, {ANCHOR_RIGHT, x - GAP - 2, y},
		{ANCHOR_MIDDLE, x, y + LINE_HEIGHT - 2}, {ANCHOR_MIDDLE, x, y - LINE_HEIGHT + 2},
		{ANCHOR_RIGHT, x - GAP - 2, y + GAP + 2}, {ANCHOR_LEFT, x + GAP + 2, y - GAP - 2}};
	char *text = short_text(point->name);
	double width = text ? text_width(text) : 0;
	bool ok = text != NULL, placed = false;

	free(text);
	for (size_t i = 0;
		i < (chart->row_count ? 2 : sizeof places / sizeof *places) && ok && !placed; i++) {
		double left = places[i].x - width * places[i].anchor / 2;
		struct box box = {left, left + width, places[i].y - LINE_HEIGHT / 2 + 1,
			places[i].y + LINE_HEIGHT / 2 - 1};
		if (box.left < layout->x.pixels[0] || box.right > layout->width ||
			box.bottom < layout->y.pixels[0] || box.top > layout->height ||
			overlaps(boxes, &box))
			continue;
		placed = true;
		boxes->items[boxes->count++] = box;
		ok = add_label(
			layout, point->name, places[i].x, places[i].y, places[i].anchor, ink);
	}
	return ok;
}

static bool add_point_names(
	const struct chart *chart, struct chart_layout *layout, struct boxes *boxes)
{
	bool ok = true;

	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count && ok; i++) {
			const struct chart_point *point = &chart->series[s].points[i];
			if (point->name && *point->name && chart_layout_shows(chart, point))
				ok = place_name(layout, boxes, chart, point, chart->series[s].tint);
		}
	return ok;
}

/* Adds the names of vertical rules above the plot area, each on a line of its own. */
static bool add_rule_names(
	const struct chart *chart, struct chart_layout *layout, struct boxes *boxes)
{
	double line = layout->height - LINE_HEIGHT / 2 - 2;
	bool ok = true;

	for (size_t i = 0; i < chart->rule_count && ok; i++) {
		const struct chart_rule *rule = &chart->rules[i];
		if (!rule->name || !layout_shows_rule(layout, rule))
			continue;
		bool right =
			rule->vertical && axis_pixel(&layout->x, rule->at) > layout->width * 0.6;
		double x = rule->vertical ? axis_pixel(&layout->x, rule->at) + (right ? -4 : 4)
					  : layout->x.pixels[1] - 4;
		double y = rule->vertical ? line : axis_pixel(&layout->y, rule->at) + 9;
		ok = add_label(layout, rule->name, x, y,
			     rule->vertical && !right ? ANCHOR_LEFT : ANCHOR_RIGHT,
			     INK_RULE) != NULL;
		if (rule->vertical)
			line -= LINE_HEIGHT;
		else if (ok)
			boxes->items[boxes->count++] = (struct box){x - text_width(rule->name), x,
				y - LINE_HEIGHT / 2, y + LINE_HEIGHT / 2};
	}
	return ok;
}

/* ---- Public ---------------------------------------------------------------------------------- */

bool chart_layout_make(const struct chart *chart, struct chart_layout *ret_layout)
{
	struct boxes boxes = {0};

	*ret_layout = (struct chart_layout){0};
	set_ranges(chart, ret_layout);
	set_area(chart, ret_layout);
	bool ok = add_ticks(chart, ret_layout) && add_axis_names(chart, ret_layout) &&
		  make_boxes(chart, ret_layout, &boxes) &&
		  add_rule_names(chart, ret_layout, &boxes) &&
		  add_point_names(chart, ret_layout, &boxes);
	free(boxes.items);
	return ok;
}

void chart_layout_finish(struct chart_layout *layout)
{
	for (size_t i = 0; i < layout->label_count; i++)
		free(layout->labels[i].text);
	free(layout->labels);
	*layout = (struct chart_layout){0};
}
