#include "host/page/gnuplot.h"

#include "host/io/filter.h"
#include "host/page/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mark hides a shorter interval. */
#define VISIBLE_PIXELS 9

/* ---- Parts of the script --------------------------------------------------------------------- */

struct drawing {
	FILE *out;
	const struct chart *chart;
	const struct chart_layout *layout;
};

static void put_ink(FILE *out, unsigned ink)
{
	fprintf(out, " rgb '#%06x'", svg_colour_of_ink(ink));
}

static void put_frame(const struct drawing *drawing)
{
	const struct chart_layout *layout = drawing->layout;
	FILE *out = drawing->out;

	fprintf(out, "reset\nset terminal svg noenhanced size %.0f,%.0f font 'sans-serif,13'\n",
		layout->width, layout->height);
	fprintf(out, "set lmargin at screen %.9g\nset rmargin at screen %.9g\n",
		layout->x.pixels[0] / layout->width, layout->x.pixels[1] / layout->width);
	fprintf(out, "set bmargin at screen %.9g\nset tmargin at screen %.9g\n",
		layout->y.pixels[0] / layout->height, layout->y.pixels[1] / layout->height);
	fputs("unset key\nset format ''\nset border 3 linewidth 1 linecolor", out);
	put_ink(out, INK_GRID);
	fputs("\nset grid back linetype 1 linewidth 1 linecolor", out);
	put_ink(out, INK_GRID);
	fputc('\n', out);
}

static void put_axis(const struct drawing *drawing, char name, const struct axis *axis)
{
	FILE *out = drawing->out;

	if (axis->log)
		fprintf(out, "set logscale %c\n", name);
	fprintf(out, "set %crange [%.17g:%.17g]\nset %ctics scale 0 nomirror (", name, axis->low,
		axis->high, name);
	for (size_t i = 0; i < axis->tick_count; i++)
		fprintf(out, "%s'' %.17g", i ? "," : "", axis->ticks[i].at);
	fputs(")\n", out);
	if (axis->tick_count == 0)
		fprintf(out, "unset %ctics\n", name);
}

static void put_line(
	FILE *out, double x0, double y0, double x1, double y1, unsigned ink, const char *style)
{
	fprintf(out, "set arrow from screen %.9g,%.9g to screen %.9g,%.9g nohead %s linecolor", x0,
		y0, x1, y1, style);
	put_ink(out, ink);
	fputc('\n', out);
}

/* Writes lines between the rows. */
static void put_rows(const struct drawing *drawing)
{
	const struct chart_layout *layout = drawing->layout;

	for (size_t i = 0; i + 1 < drawing->chart->row_count; i++) {
		double y = axis_pixel(&layout->y, (double)i + 0.5) / layout->height;
		put_line(drawing->out, layout->x.pixels[0] / layout->width, y,
			layout->x.pixels[1] / layout->width, y, INK_GRID, "back linewidth 1");
	}
}

static void put_rules(const struct drawing *drawing)
{
	const struct chart_layout *layout = drawing->layout;
	const double left = layout->x.pixels[0] / layout->width;
	const double right = layout->x.pixels[1] / layout->width;
	const double bottom = layout->y.pixels[0] / layout->height;

	for (size_t i = 0; i < drawing->chart->rule_count; i++) {
		const struct chart_rule *rule = &drawing->chart->rules[i];
		const struct axis *axis = rule->vertical ? &layout->x : &layout->y;
		if (!layout_shows_rule(layout, rule))
			continue;
		double at = axis_pixel(axis, rule->at);
		if (rule->vertical)
			put_line(drawing->out, at / layout->width, bottom, at / layout->width, 1,
				INK_RULE, "back linewidth 1.5 dashtype (5,4)");
		else
			put_line(drawing->out, left, at / layout->height, right,
				at / layout->height, INK_RULE, "back linewidth 1.5 dashtype (5,4)");
	}
}

static void put_labels(const struct drawing *drawing)
{
	static const char *const anchors[] = {"left", "center", "right"};
	const struct chart_layout *layout = drawing->layout;
	FILE *out = drawing->out;

	for (size_t i = 0; i < layout->label_count; i++) {
		const struct layout_label *label = &layout->labels[i];
		fprintf(out, "set label '" SVG_TOKEN "' at screen %.9g,%.9g %s %sfront textcolor",
			i, label->x / layout->width, label->y / layout->height,
			anchors[label->anchor], label->upright ? "rotate by 90 " : "");
		put_ink(out, label->ink);
		fputc('\n', out);
	}
}

/* ---- Data ------------------------------------------------------------------------------------ */

static bool has_interval(const struct drawing *drawing, const struct chart_point *point)
{
	const struct axis *axis =
		drawing->chart->row_count ? &drawing->layout->x : &drawing->layout->y;

	return axis_shows(axis->log, point->low) && axis_shows(axis->log, point->high) &&
	       point->low <= point->high &&
	       fabs(axis_pixel(axis, point->high) - axis_pixel(axis, point->low)) > VISIBLE_PIXELS;
}

static void put_interval(const struct drawing *drawing, const struct chart_point *point)
{
	if (drawing->chart->row_count)
		fprintf(drawing->out, "%.17g %.17g\n%.17g %.17g\n\n", point->low, point->y,
			point->high, point->y);
	else
		fprintf(drawing->out, "%.17g %.17g\n%.17g %.17g\n\n", point->x, point->low,
			point->x, point->high);
}

/* One `plot` element and its data. */
enum part {
	PART_LINE,
	PART_INTERVALS,
	PART_MARKS
};

/* Lines differ by their dashes too, not only by their colours. */
static const char *const dashes[CHART_MARKS] = {
	"1", "(8,4)", "(2,3)", "(8,3,2,3)", "(4,4)", "(12,4)"};

static void put_element(FILE *out, const struct chart_series *series, enum part part)
{
	static const char *const styles[] = {
		[PART_LINE] = "1:2 with lines linewidth 2",
		[PART_INTERVALS] = "1:2 with lines linewidth 2",
		[PART_MARKS] = "1:2 with points pointsize 1",
	};

	fprintf(out, "'-' using %s linecolor", styles[part]);
	put_ink(out, series->tint);
	if (part == PART_LINE)
		fprintf(out, " dashtype %s", dashes[series->mark]);
	if (part == PART_MARKS)
		fprintf(out, " pointtype %u", SVG_FIRST_POINT_TYPE + series->mark);
}

static bool has_part(const struct chart_series *series, enum part part)
{
	static const bool parts[][3] = {
		[CHART_POINTS] = {[PART_INTERVALS] = true, [PART_MARKS] = true},
		[CHART_LINE] = {[PART_LINE] = true, [PART_INTERVALS] = true, [PART_MARKS] = true},
		[CHART_LINE_NO_POINTS] = {[PART_LINE] = true},
	};

	return parts[series->shape][part];
}

static bool shows_point(
	const struct drawing *drawing, const struct chart_point *point, enum part part)
{
	return chart_layout_shows(drawing->chart, point) &&
	       (part != PART_INTERVALS || has_interval(drawing, point));
}

static bool has_data(
	const struct drawing *drawing, const struct chart_series *series, enum part part)
{
	for (size_t i = 0; i < series->count && has_part(series, part); i++)
		if (shows_point(drawing, &series->points[i], part))
			return true;
	return false;
}

static void put_data(
	const struct drawing *drawing, const struct chart_series *series, enum part part)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->points[i];
		if (!shows_point(drawing, point, part))
			continue;
		if (part == PART_INTERVALS)
			put_interval(drawing, point);
		else
			fprintf(drawing->out, "%.17g %.17g\n", point->x, point->y);
	}
	fputs("e\n", drawing->out);
}

static void put_plot(const struct drawing *drawing)
{
	const struct chart *chart = drawing->chart;
	const char *separator = "plot ";

	for (unsigned part = PART_LINE; part <= PART_MARKS; part++)
		for (size_t s = 0; s < chart->series_count; s++)
			if (has_data(drawing, &chart->series[s], (enum part)part)) {
				fputs(separator, drawing->out);
				put_element(drawing->out, &chart->series[s], (enum part)part);
				separator = ", ";
			}
	fputc('\n', drawing->out);
	for (unsigned part = PART_LINE; part <= PART_MARKS; part++)
		for (size_t s = 0; s < chart->series_count; s++)
			if (has_data(drawing, &chart->series[s], (enum part)part))
				put_data(drawing, &chart->series[s], (enum part)part);
}

char *gnuplot_script(const struct chart *charts, const struct chart_layout *layouts, size_t count)
{
	char *script = NULL;
	size_t size;
	FILE *out = open_memstream(&script, &size);

	for (size_t i = 0; out && i < count; i++) {
		const struct drawing drawing = {out, &charts[i], &layouts[i]};
		put_frame(&drawing);
		put_axis(&drawing, 'x', &layouts[i].x);
		put_axis(&drawing, 'y', &layouts[i].y);
		put_rows(&drawing);
		put_rules(&drawing);
		put_labels(&drawing);
		put_plot(&drawing);
	}
	if (out)
		fclose(out);
	return script;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

struct work {
	struct chart *charts;         /* charts with points; shallow copies in an owned array */
	struct chart_layout *layouts; /* in the order of charts; owned */
	size_t *places;               /* their indices among all charts; owned */
	size_t count;
};

static bool work_make(const struct chart *charts, size_t count, struct work *ret_work)
{
	struct work work = {.charts = calloc(count + 1, sizeof *work.charts),
		.layouts = calloc(count + 1, sizeof *work.layouts),
		.places = calloc(count + 1, sizeof *work.places)};
	bool ok = work.charts && work.layouts && work.places;

	for (size_t i = 0; i < count && ok; i++) {
		if (!layout_has_points(&charts[i]))
			continue;
		work.charts[work.count] = charts[i];
		work.places[work.count] = i;
		ok = chart_layout_make(&charts[i], &work.layouts[work.count++]);
	}
	*ret_work = work;
	return ok;
}

static void work_finish(struct work *work)
{
	for (size_t i = 0; i < work->count; i++)
		chart_layout_finish(&work->layouts[i]);
	free(work->charts);
	free(work->layouts);
	free(work->places);
}

static enum pmpp_status run_gnuplot(
	const char *script, struct filter_result *ret_result, struct pmpp_error *error)
{
	/* Do not read the user's gnuplot settings, which could change the drawing. */
	static const char *const arguments[] = {"gnuplot", "--default-settings", NULL};
	enum pmpp_status status = filter_run(
		arguments, "GNU", script, strlen(script), GNUPLOT_TIMEOUT_S, ret_result, error);

	if (status == PMPP_UNAVAILABLE)
		PMPP_FAIL(error, PMPP_UNAVAILABLE,
			"gnuplot is not installed: install the package gnuplot-nox");
	return status;
}

/* The n-th <svg> of gnuplot's output becomes the drawing of the n-th chart. */
static enum pmpp_status rewrite_all(
	const struct work *work, const char *output, char **ret_drawings, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	size_t done = 0;

	for (; done < work->count && status == PMPP_OK; done++) {
		const struct svg_texts texts = {.chart = done + 1,
			.title = work->charts[done].title,
			.description = work->charts[done].description,
			.layout = &work->layouts[done]};
		status = svg_rewrite(&output, &texts, &ret_drawings[work->places[done]], error);
	}
	if (status != PMPP_OK)
		for (size_t i = 0; i + 1 < done; i++) {
			free(ret_drawings[work->places[i]]);
			ret_drawings[work->places[i]] = NULL;
		}
	return status;
}

enum pmpp_status gnuplot_draw(
	const struct chart *charts, size_t count, char **ret_drawings, struct pmpp_error *error)
{
	struct filter_result result = {0};
	struct work work;
	char *script = NULL;
	enum pmpp_status status = PMPP_OK;

	if (work_make(charts, count, &work))
		script = gnuplot_script(work.charts, work.layouts, work.count);
	if (!script)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the charts");
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		ret_drawings[i] = NULL;
	if (status == PMPP_OK && work.count)
		status = run_gnuplot(script, &result, error);
	if (status == PMPP_OK && work.count)
		status = rewrite_all(&work, result.output, ret_drawings, error);
	filter_result_finish(&result);
	work_finish(&work);
	free(script);
	return status;
}
