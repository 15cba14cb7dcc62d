#include "host/page/chart.h"

#include "common/array.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Charts own their texts. The members are const, because drawing does not change them. */
static void drop(const char *text)
{
	free((void *)(uintptr_t)text);
}

/* Replaces a text by a copy. NULL: no text. */
static bool replace(const char **text, const char *value)
{
	char *copy = value ? strdup(value) : NULL;

	if (value && !copy)
		return false;
	drop(*text);
	*text = copy;
	return true;
}

/* Returns the array with space for one more element. NULL: no memory; the array is unchanged. */
static void *grown(void *items, size_t count, size_t size)
{
	/* Grow by powers of two, because a chart has up to thousands of points. */
	if (count & (count - 1) || (count == 0 && items))
		return items;
	return array_resize(items, count ? 2 * count : 1, size);
}

bool chart_set_titles(struct chart *chart, const char *title, const char *description)
{
	const char *copy = NULL;

	if (!replace(&copy, title))
		return false;
	if (!replace(&chart->description, description)) {
		drop(copy);
		return false;
	}
	drop(chart->title);
	chart->title = copy;
	return true;
}

bool chart_set_axis(struct chart_axis *axis, const char *label, bool log)
{
	if (!replace(&axis->label, label))
		return false;
	axis->log = log;
	return true;
}

bool chart_add_row(struct chart *chart, const char *name)
{
	char *copy = strdup(name ? name : "");
	const char **rows = copy ? grown(chart->rows, chart->row_count, sizeof *rows) : NULL;

	if (!rows) {
		free(copy);
		return false;
	}
	chart->rows = rows;
	rows[chart->row_count++] = copy;
	return true;
}

struct chart_series *chart_add_series(
	struct chart *chart, const char *name, unsigned tint, unsigned mark, enum chart_shape shape)
{
	const char *copy = NULL;

	if (!replace(&copy, name))
		return NULL;
	struct chart_series *series = grown(chart->series, chart->series_count, sizeof *series);
	if (!series) {
		drop(copy);
		return NULL;
	}
	chart->series = series;
	series += chart->series_count++;
	*series = (struct chart_series){.name = copy,
		.tint = tint % CHART_TINTS,
		.mark = mark % CHART_MARKS,
		.shape = shape};
	return series;
}

bool chart_add_point(
	struct chart_series *series, double x, double y, double low, double high, const char *name)
{
	const char *copy = NULL;

	if (!replace(&copy, name))
		return false;
	struct chart_point *points = grown(series->points, series->count, sizeof *points);
	if (!points) {
		drop(copy);
		return false;
	}
	series->points = points;
	points[series->count++] =
		(struct chart_point){.x = x, .y = y, .low = low, .high = high, .name = copy};
	return true;
}

bool chart_add_rule(struct chart *chart, bool vertical, double at, const char *name)
{
	const char *copy = NULL;

	if (!replace(&copy, name))
		return false;
	struct chart_rule *rules = grown(chart->rules, chart->rule_count, sizeof *rules);
	if (!rules) {
		drop(copy);
		return false;
	}
	chart->rules = rules;
	rules[chart->rule_count++] =
		(struct chart_rule){.vertical = vertical, .at = at, .name = copy};
	return true;
}

void chart_init(struct chart *chart)
{
	*chart = (struct chart){.x = {.low = NAN, .high = NAN}, .y = {.low = NAN, .high = NAN}};
}

void chart_finish(struct chart *chart)
{
	for (size_t i = 0; i < chart->row_count; i++)
		drop(chart->rows[i]);
	for (size_t i = 0; i < chart->rule_count; i++)
		drop(chart->rules[i].name);
	for (size_t s = 0; s < chart->series_count; s++) {
		for (size_t i = 0; i < chart->series[s].count; i++)
			drop(chart->series[s].points[i].name);
		drop(chart->series[s].name);
		free(chart->series[s].points);
	}
	free(chart->rows);
	free(chart->rules);
	free(chart->series);
	drop(chart->title);
	drop(chart->description);
	drop(chart->x.label);
	drop(chart->y.label);
	chart_init(chart);
}
