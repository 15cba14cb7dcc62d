#include "host/page/parity_chart.h"

#include "host/page/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The axis is logarithmic if largest ratio / smallest ratio is above this limit. */
#define LOG_SPAN 4.0

/* ---- Axis ------------------------------------------------------------------------------------ */

/* The items can be in any order. */
double parity_chart_tolerance(const struct parity_sides *sides)
{
	double best = NAN;
	size_t max = 0;

	for (size_t i = 0; i < sides->count; i++) {
		size_t count = 0;
		for (size_t j = 0; j < sides->count; j++)
			count += sides->items[j].tolerance == sides->items[i].tolerance;
		if (count > max) {
			max = count;
			best = sides->items[i].tolerance;
		}
	}
	return best > 0 && best < 1 ? best : NAN;
}

static void widen(double range[2], double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	range[0] = fmin(range[0], value); /* fmin ignores NAN */
	range[1] = fmax(range[1], value);
}

static bool add_tolerance(struct chart *chart, double tolerance)
{
	char *name = NULL;

	text_format(&name, "tolerance: %.3g %%", 100 * tolerance);
	bool ok = name && chart_add_rule(chart, true, 1 - tolerance, NULL) &&
		  chart_add_rule(chart, true, 1 + tolerance, name);
	free(name);
	return ok;
}

/* The range contains 1, the limits of SAME, and all intervals. */
static bool set_axis(struct chart *chart, const struct page *page, const struct parity_sides *sides)
{
	double range[2] = {1, 1};
	double tolerance = parity_chart_tolerance(sides);
	char *label = NULL;

	widen(range, 1 - 2 * tolerance);
	widen(range, 1 + 2 * tolerance);
	for (size_t i = 0; i < sides->count; i++) {
		widen(range, sides->items[i].ratio);
		widen(range, sides->items[i].ci95[0]);
		widen(range, sides->items[i].ci95[1]);
	}
	text_format(&label, "time %s / time %s",
		page_backend_name(page->sides[sides->sides[0]].backend),
		page_backend_name(page->sides[sides->sides[1]].backend));
	bool log = range[1] / range[0] > LOG_SPAN;
	double space = 0.04 * (range[1] - range[0]);
	chart->x.low = log ? range[0] / 1.15 : range[0] - space;
	chart->x.high = log ? range[1] * 1.15 : range[1] + space;
	bool ok = label && chart_set_axis(&chart->x, label, log) &&
		  chart_add_rule(chart, true, 1, tolerance > 0 ? NULL : "equal times");
	if (ok && tolerance > 0)
		ok = add_tolerance(chart, tolerance);
	free(label);
	return ok;
}

static bool set_titles(struct chart *chart, const struct page *page,
	const struct parity_sides *sides, const char *what, const char *description)
{
	char *title = NULL;

	text_format(&title, "%s against %s on %s: %s",
		page_backend_name(page->sides[sides->sides[0]].backend),
		page_backend_name(page->sides[sides->sides[1]].backend),
		page->sides[sides->sides[0]].device_name, what);
	bool ok = title && chart_set_titles(chart, title, description);
	free(title);
	return ok;
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* Returns the chart row of a pair; SIZE_MAX: the pair has none. */
typedef size_t row_fn(const struct chart *chart, const struct parity_sides *sides, size_t pair);

/* Returns "SLOW: OpenCL is slower". malloc'ed; NULL if there is no memory. */
static char *verdict_name(
	const struct page *page, const struct parity_sides *sides, enum verdict verdict)
{
	const char *backend = page_backend_name(page->sides[sides->sides[0]].backend);
	char *text = NULL;

	if (verdict == VERDICT_FAST || verdict == VERDICT_SLOW)
		text_format(&text, "%s: %s is %s", verdict_words[verdict], backend,
			verdict == VERDICT_FAST ? "faster" : "slower");
	else
		text_format(&text, "%s: %s", verdict_words[verdict],
			verdict == VERDICT_SAME ? "equal within the tolerance" : "not certain");
	return text;
}

static bool add_verdict(struct chart *chart, const struct page *page,
	const struct parity_sides *sides, enum verdict verdict, row_fn *row_of)
{
	struct chart_series *series = NULL;
	char *name = verdict_name(page, sides, verdict);
	bool ok = name != NULL;

	for (size_t i = 0; i < sides->count && ok; i++) {
		const struct parity_pair *pair = &sides->items[i];
		size_t row = row_of(chart, sides, i);
		if (pair->verdict != verdict || row == SIZE_MAX)
			continue;
		if (!series)
			series = chart_add_series(
				chart, name, (unsigned)verdict, (unsigned)verdict, CHART_POINTS);
		ok = series && chart_add_point(series, pair->ratio, (double)row, pair->ci95[0],
				       pair->ci95[1], NULL);
	}
	free(name);
	return ok;
}

static bool add_verdicts(struct chart *chart, const struct page *page,
	const struct parity_sides *sides, row_fn *row_of)
{
	bool ok = true;

	for (enum verdict verdict = VERDICT_SAME; verdict <= VERDICT_AMBG && ok; verdict++)
		ok = add_verdict(chart, page, sides, verdict, row_of);
	return ok;
}

/* ---- Families -------------------------------------------------------------------------------- */

static size_t row_of_family(
	const struct chart *chart, const struct parity_sides *sides, size_t pair)
{
	for (size_t row = 0; row < chart->row_count; row++)
		if (strcmp(chart->rows[row], sides->items[pair].family) == 0)
			return row;
	return SIZE_MAX;
}

bool parity_chart_families(
	const struct page *page, const struct parity_sides *sides, struct chart *ret_chart)
{
	struct chart chart;

	chart_init(ret_chart);
	if (sides->count == 0)
		return true;
	chart_init(&chart);
	bool ok =
		set_titles(&chart, page, sides, "all variants",
			"One row for each family, one point for each variant: the ratio of its two "
			"times.") &&
		set_axis(&chart, page, sides);
	for (size_t i = 0; i < sides->count && ok; i++)
		if (row_of_family(&chart, sides, i) == SIZE_MAX)
			ok = chart_add_row(&chart, sides->items[i].family);
	ok = ok && add_verdicts(&chart, page, sides, row_of_family);
	if (ok)
		*ret_chart = chart;
	else
		chart_finish(&chart);
	return ok;
}

/* ---- Differences ----------------------------------------------------------------------------- */

/* Sorts by ratio, the largest one first. */
static size_t row_of_difference(
	const struct chart *chart, const struct parity_sides *sides, size_t pair)
{
	const struct parity_pair *own = &sides->items[pair];
	size_t row = 0;

	(void)chart;
	if (own->verdict == VERDICT_SAME)
		return SIZE_MAX;
	for (size_t i = 0; i < sides->count; i++) {
		const struct parity_pair *other = &sides->items[i];
		row += other->verdict != VERDICT_SAME &&
		       (other->ratio > own->ratio || (other->ratio == own->ratio && i < pair));
	}
	return row;
}

/* Returns "matmul/tiled16", with the problem if the variant has several pairs. malloc'ed. */
static char *name_of(const struct parity_sides *sides, size_t pair)
{
	const struct parity_pair *own = &sides->items[pair];
	size_t count = 0;
	char *text = NULL;

	for (size_t i = 0; i < sides->count; i++)
		count += strcmp(sides->items[i].family, own->family) == 0 &&
			 strcmp(sides->items[i].variant, own->variant) == 0;
	text_format(&text, "%s/%s%s%s", own->family, own->variant, count > 1 ? " " : "",
		count > 1 ? own->problem : "");
	return text;
}

/* Adds the names in the order of the rows. */
static bool add_names(struct chart *chart, const struct parity_sides *sides)
{
	size_t *pairs = calloc(sides->count + 1, sizeof *pairs);
	size_t count = 0;
	bool ok = pairs != NULL;

	for (size_t i = 0; i < sides->count && ok; i++) {
		size_t row = row_of_difference(chart, sides, i);
		if (row == SIZE_MAX)
			continue;
		pairs[row] = i;
		count++;
	}
	for (size_t row = 0; row < count && ok; row++) {
		char *name = name_of(sides, pairs[row]);
		ok = name && chart_add_row(chart, name);
		free(name);
	}
	free(pairs);
	return ok;
}

bool parity_chart_differences(
	const struct page *page, const struct parity_sides *sides, struct chart *ret_chart)
{
	struct chart chart;

	chart_init(ret_chart);
	chart_init(&chart);
	bool ok = add_names(&chart, sides);
	if (ok && chart.row_count)
		ok = set_titles(&chart, page, sides, "variants that are not SAME",
			     "One row for each variant that is faster, slower or not certain: the "
			     "ratio of its two times, with its 95 % interval.") &&
		     set_axis(&chart, page, sides) &&
		     add_verdicts(&chart, page, sides, row_of_difference);
	if (ok && chart.row_count)
		*ret_chart = chart;
	else
		chart_finish(&chart);
	return ok;
}
