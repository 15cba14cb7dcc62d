/* Charts: ranges, ticks, the places of texts, and the script of gnuplot. */
#include "host/page/gnuplot.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Axes ------------------------------------------------------------------------------------ */

struct axis_row {
	double low, high;
	bool log;
	size_t max;
	const char *want; /* the texts of the ticks */
};

static const struct axis_row axes[] = {
	{0, 10, false, 5, "0 2 4 6 8 10"},
	{0, 9.4, false, 4, "0 2.5 5 7.5"},
	{0.9, 1.1, false, 4, "0.9 0.95 1 1.05 1.1"},
	{-3, 3, false, 6, "-3 -2 -1 0 1 2 3"},
	{0, 65000, false, 4, "0 20\u202f000 40\u202f000 60\u202f000"},
	{0, 3e9, false, 3, "0 1\u202fG 2\u202fG 3\u202fG"},
	{1, 1000, true, 8, "1 3 10 30 100 300 1000"},
	{5, 60, true, 11, "5 6 7 8 9 10 20 30 40 50 60"},
	{45, 55, true, 4, "45 47.5 50 52.5 55"},
	{1, 1e8, true, 5, "1 100 10\u202f000 1\u202fM 100\u202fM"},
};

static void ticks_are(const void *context)
{
	const struct axis_row *row = context;
	struct axis axis = {.low = row->low, .high = row->high, .log = row->log};
	char text[400] = "";

	axis_set_ticks(&axis, row->max);
	for (size_t i = 0; i < axis.tick_count; i++) {
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
			axis.ticks[i].text);
		assert_true(axis.ticks[i].at >= row->low - 1e-6 * fabs(row->low));
		assert_true(axis.ticks[i].at <= row->high + 1e-6 * fabs(row->high));
	}
	assert_string_equal(text, row->want);
}

struct range_row {
	struct chart_axis axis;
	double low, high, want_low, want_high;
};

static const struct range_row ranges[] = {
	{{NULL, false, NAN, NAN}, 50, 100, 0, 110},
	{{NULL, false, NAN, NAN}, -50, 50, -60, 60},
	{{NULL, false, NAN, NAN}, 0, 0, 0, 0.1},
	{{NULL, false, 10, 20}, 0, 100, 10, 20},
	{{NULL, false, 20, 10}, 0, 100, 0, 1},
	{{NULL, true, NAN, NAN}, 10, 10, 10 / 1.15, 11.5},
	{{NULL, true, 0, 1000}, 1, 100, 0.63095734448, 1000},
	{{NULL, false, NAN, NAN}, -1e308, 1e308, 0, 1},
	{{NULL, true, NAN, NAN}, 1e-320, 1e308, 0.1, 1},
	{{NULL, true, 1e-320, 1e308}, 1, 1, 1 / 1.15, 1.15},
	{{NULL, false, NAN, NAN}, 0, 1e-320, 0, 1},
	{{NULL, false, 1, 1 + 1e-15}, 1, 1, 0, 1},
};

static void range_is(const void *context)
{
	const struct range_row *row = context;
	struct axis axis;

	axis_set_range(&axis, &row->axis, row->low, row->high, 0.1);
	test_near(axis.low, row->want_low, 1e-9);
	test_near(axis.high, row->want_high, 1e-9);
}

/* ---- Charts ---------------------------------------------------------------------------------- */

/* A chart whose texts are all `text`. */
static void make_chart(struct chart *chart, const char *text, bool rows)
{
	static const enum chart_shape shapes[] = {CHART_POINTS, CHART_LINE_NO_POINTS, CHART_LINE};

	chart_init(chart);
	assert_true(chart_set_titles(chart, text, text));
	assert_true(chart_set_axis(&chart->x, text, false));
	assert_true(chart_set_axis(&chart->y, text, true));
	for (size_t i = 0; i < 3 && rows; i++)
		assert_true(chart_add_row(chart, text));
	for (unsigned s = 0; s < 3; s++) {
		struct chart_series *series = chart_add_series(chart, text, s, s, shapes[s]);
		assert_non_null(series);
		for (size_t i = 0; i < 3; i++)
			assert_true(chart_add_point(
				series, 10.0 * (double)(i + s), (double)i + 1, 1, 50, text));
		assert_true(chart_add_point(series, NAN, 1, 2, 3, text));
		assert_true(chart_add_point(series, 1, -INFINITY, 2, 3, text));
	}
	assert_true(chart_add_rule(chart, true, 15, text));
	assert_true(chart_add_rule(chart, false, 2, text));
	assert_true(chart_add_rule(chart, false, NAN, text));
}

static char *script_of(const char *text, bool rows)
{
	struct chart chart;
	struct chart_layout layout;

	make_chart(&chart, text, rows);
	assert_true(chart_layout_make(&chart, &layout));
	char *script = gnuplot_script(&chart, &layout, 1);
	assert_non_null(script);
	chart_layout_finish(&layout);
	chart_finish(&chart);
	return script;
}

static const char *const hostile[] = {
	"'\nsystem 'id'\n",
	"`touch xxxxxxxx`",
	"$(touch xxxxxxx)",
	"\";!touch x;\"xxx",
	"{/=50 x}_{2}^{3}",
	"%s%n%h%d%g\\n\\001x",
	"a\\'\\\"\\\\\n\r\nxxxx",
	"<script>alert(1)",
};

/* No text enters the script: it is the same for all texts of one width. */
static void script_has_no_text(const void *context)
{
	const char *text = context;

	for (int rows = 0; rows < 2; rows++) {
		char harmless[200], *script = script_of(text, rows);
		char *clean = NULL;
		struct chart_layout layout;
		struct chart chart;
		make_chart(&chart, text, rows);
		assert_true(chart_layout_make(&chart, &layout));
		/* Escapes make some texts longer. */
		memset(harmless, 'x', sizeof harmless);
		clean = layout.labels[layout.label_count - 1].text;
		harmless[strlen(clean)] = '\0';
		char *plain = script_of(harmless, rows);
		assert_string_equal(script, plain);
		assert_null(strpbrk(script, "`\"$!{}%\\"));
		chart_layout_finish(&layout);
		chart_finish(&chart);
		free(script);
		free(plain);
	}
}

static void check_label(const struct chart_layout *layout, const struct layout_label *label)
{
	assert_true(strlen(label->text) <= 4 * LAYOUT_CHARACTERS);
	assert_true(label->x >= 0 && label->x <= layout->width);
	assert_true(label->y >= 0 && label->y <= layout->height);
}

static void long_texts_are_cut(const void *context)
{
	char *text = malloc(1000001);
	struct chart chart;
	struct chart_layout layout;

	(void)context;
	assert_non_null(text);
	for (size_t i = 0; i < 500000; i++)
		memcpy(text + 2 * i, "é", 3);
	make_chart(&chart, text, true);
	assert_true(chart_layout_make(&chart, &layout));
	for (size_t i = 0; i < layout.label_count; i++)
		check_label(&layout, &layout.labels[i]);
	chart_layout_finish(&layout);
	chart_finish(&chart);
	free(text);
}

static void points_can_be_missing(const void *context)
{
	struct chart chart;

	(void)context;
	chart_init(&chart);
	assert_false(layout_has_points(&chart));
	struct chart_series *series = chart_add_series(&chart, "s", 0, 0, CHART_POINTS);
	assert_true(chart_add_point(series, NAN, 1, NAN, NAN, NULL));
	assert_true(chart_add_point(series, 1, INFINITY, NAN, NAN, NULL));
	assert_false(layout_has_points(&chart));
	assert_true(chart_add_point(series, -1, 1, NAN, NAN, NULL));
	assert_true(layout_has_points(&chart));
	chart.x.log = true;
	assert_false(layout_has_points(&chart));
	chart_finish(&chart);
}

/* A number that cannot be drawn only removes its own point. The script has finite numbers only. */
static void numbers_are_finite(const void *context)
{
	static const double values[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308, 1e300, 1e31,
		1e30, 1e-30, 1e-31, 1e-300, 5e-324, 0, -1};
	const unsigned *shape = context;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		for (unsigned variant = 0; variant < 32; variant++) {
			struct chart chart;
			struct chart_layout layout;
			chart_init(&chart);
			bool rows = variant & 4;
			const double v = values[i], w = variant & 16 ? 1 / v : 7;
			chart.x.log = variant & 1;
			chart.y.log = variant & 2;
			if (variant & 8)
				chart.x.high = chart.y.low = v;
			for (size_t r = 0; r < 2 && rows; r++)
				assert_true(chart_add_row(&chart, "row"));
			struct chart_series *series =
				chart_add_series(&chart, "s", 0, 0, (enum chart_shape) * shape);
			assert_true(chart_add_point(series, 2, 1, 1, 3, "good"));
			assert_true(chart_add_point(series, v, 1, w, v, "x"));
			assert_true(chart_add_point(series, 3, v, v, w, "y"));
			assert_true(chart_add_point(series, w, v, v, v, "both"));
			assert_true(chart_add_rule(&chart, true, v, "rule"));
			assert_true(chart_add_rule(&chart, false, v, "rule"));
			assert_true(chart_layout_make(&chart, &layout));
			char *script = gnuplot_script(&chart, &layout, 1);
			assert_non_null(script);
			if (strstr(script, "nan") || strstr(script, "inf"))
				test_fail("value %g, variant %u: %s", v, variant, script);
			free(script);
			chart_layout_finish(&layout);
			chart_finish(&chart);
		}
}

/* Names do not overlap: if many points are at one place, only a few have a name. */
static void crowded_names_are_left_out(const void *context)
{
	struct chart chart;
	struct chart_layout layout;
	size_t named = 0;

	(void)context;
	chart_init(&chart);
	struct chart_series *series = chart_add_series(&chart, NULL, 0, 0, CHART_POINTS);
	for (size_t i = 0; i < 50; i++)
		assert_true(chart_add_point(series, 10 + 0.01 * (double)i, 5, NAN, NAN, "name"));
	assert_true(chart_layout_make(&chart, &layout));
	for (size_t i = 0; i < layout.label_count; i++)
		named += strcmp(layout.labels[i].text, "name") == 0;
	assert_true(named >= 1 && named <= 4);
	chart_layout_finish(&layout);
	chart_finish(&chart);
}

/* If a line passes beside a point, the name of the point is moved away from the line. */
static void names_avoid_lines(const void *context)
{
	struct chart chart;
	struct chart_layout layout;
	bool named = false;

	(void)context;
	chart_init(&chart);
	struct chart_series *series = chart_add_series(&chart, NULL, 0, 0, CHART_LINE_NO_POINTS);
	assert_true(chart_add_point(series, 0, 5, NAN, NAN, NULL));
	assert_true(chart_add_point(series, 10, 5, NAN, NAN, NULL));
	series = chart_add_series(&chart, NULL, 0, 0, CHART_POINTS);
	assert_true(chart_add_point(series, 5, 5, NAN, NAN, "name"));
	assert_true(chart_layout_make(&chart, &layout));
	for (size_t i = 0; i < layout.label_count; i++)
		if (strcmp(layout.labels[i].text, "name") == 0) {
			named = true;
			assert_true(fabs(layout.labels[i].y - axis_pixel(&layout.y, 5)) > 7);
		}
	assert_true(named);
	chart_layout_finish(&layout);
	chart_finish(&chart);
}

/* ---- gnuplot --------------------------------------------------------------------------------- */

static void draws(const void *context)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct chart charts[4];
	char *drawings[4] = {NULL};

	(void)context;
	make_chart(&charts[0], "a", true);
	chart_init(&charts[1]);
	make_chart(&charts[2], "<b>`x`", false);
	make_chart(&charts[3], "c", false);
	charts[3].small = true;
	enum pmpp_status status = gnuplot_draw(charts, 4, drawings, &error);
	for (size_t i = 0; i < 4; i++)
		chart_finish(&charts[i]);
	if (status == PMPP_UNAVAILABLE) {
		pmpp_error_clear(&error);
		test_skip("gnuplot is not installed");
	}
	test_ok(status, &error);
	assert_null(drawings[1]);
	assert_non_null(strstr(drawings[0], "id=\"title-1\""));
	assert_non_null(strstr(drawings[2], "id=\"title-2\""));
	assert_non_null(strstr(drawings[2], ">&lt;b&gt;&#96;x&#96;</text>"));
	assert_non_null(strstr(drawings[3], "viewBox=\"0 0 340 "));
	for (size_t i = 0; i < 4; i++)
		free(drawings[i]);
}

int main(int argc, char **argv)
{
	static const unsigned shapes[] = {CHART_POINTS, CHART_LINE, CHART_LINE_NO_POINTS};
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
		test_add(&list, ticks_are, &axes[i], "ticks: %g to %g%s", axes[i].low, axes[i].high,
			axes[i].log ? ", log" : "");
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		test_add(&list, range_is, &ranges[i], "range %zu", i);
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
		test_add(&list, script_has_no_text, hostile[i], "script: hostile text %zu", i);
	test_add(&list, long_texts_are_cut, NULL, "texts of 1 MB are cut");
	test_add(&list, points_can_be_missing, NULL, "missing points");
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
		test_add(&list, numbers_are_finite, &shapes[i], "absurd numbers, shape %u", i);
	test_add(&list, crowded_names_are_left_out, NULL, "crowded names are left out");
	test_add(&list, names_avoid_lines, NULL, "no lines through names");
	test_add(&list, draws, NULL, "gnuplot draws");
	return test_run(&list, argc, argv);
}
