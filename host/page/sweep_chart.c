#include "host/page/sweep_chart.h"

#include "common/model/last_level_cache.h"
#include "common/number_text.h"
#include "host/page/axis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEGA 1e6

/* Charts with this many lines or fewer are small. */
#define SMALL_LINES 3

/* Fraction of the width that is reserved for names, to the right of the lines. */
#define NAME_SPACE 0.25

/* Minimum distance of two names, as a fraction of the height. */
#define NAME_HEIGHT 0.06

/* A cache is marked if the factor between its size and the sizes of the chart is at most this. */
#define CACHE_NEAR 4.0

/* ---- Sweeps ---------------------------------------------------------------------------------- */

static double bytes_of(const struct side_row *row)
{
	return row->row->work.record.present ? row->row->work.bytes_compulsory : NAN;
}

static bool is_usable(const struct side_row *row)
{
	return row->ns > 0 && bytes_of(row) > 0 && isfinite(bytes_of(row));
}

static int by_kind(const void *a, const void *b)
{
	const struct side_row *x = *(const struct side_row *const *)a;
	const struct side_row *y = *(const struct side_row *const *)b;
	int order = (x->side > y->side) - (x->side < y->side);

	if (order == 0)
		order = strcmp(x->kind, y->kind);
	if (order == 0)
		order = (bytes_of(x) > bytes_of(y)) - (bytes_of(x) < bytes_of(y));
	/* The rows are in one array, so their addresses have an order. */
	return order ? order : (x > y) - (x < y);
}

static int by_first(const void *a, const void *b)
{
	const struct sweep *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Returns the rows of one kind that begin at `first`. *ret_sizes: number of different sizes. */
static struct sweep sweep_at(const struct side_rows *rows, const struct side_row **sorted,
	size_t count, size_t first, size_t *ret_sizes)
{
	struct sweep sweep = {.rows = sorted + first, .first = SIZE_MAX};
	size_t sizes = 0;

	for (size_t i = first; i < count && sorted[i]->side == sorted[first]->side &&
			       strcmp(sorted[i]->kind, sorted[first]->kind) == 0;
		i++) {
		size_t index = (size_t)(sorted[i] - rows->items);
		sizes += sweep.count == 0 || bytes_of(sorted[i]) > bytes_of(sorted[i - 1]);
		sweep.first = index < sweep.first ? index : sweep.first;
		sweep.count++;
	}
	*ret_sizes = sizes;
	return sweep;
}

bool sweeps_make(const struct side_rows *rows, struct sweeps *ret_sweeps)
{
	struct sweeps sweeps = {.rows = calloc(rows->count + 1, sizeof *sweeps.rows),
		.items = calloc(rows->count + 1, sizeof *sweeps.items)};
	size_t count = 0;
	bool ok = sweeps.rows && sweeps.items;

	for (size_t i = 0; i < rows->count && ok; i++)
		if (is_usable(&rows->items[i]))
			sweeps.rows[count++] = &rows->items[i];
	if (count)
		qsort(sweeps.rows, count, sizeof *sweeps.rows, by_kind);
	for (size_t first = 0; first < count;) {
		size_t sizes;
		struct sweep sweep = sweep_at(rows, sweeps.rows, count, first, &sizes);
		first += sweep.count;
		if (sizes >= SWEEP_SIZES)
			sweeps.items[sweeps.count++] = sweep;
	}
	if (sweeps.count)
		qsort(sweeps.items, sweeps.count, sizeof *sweeps.items, by_first);
	if (!ok)
		sweeps_finish(&sweeps);
	*ret_sweeps = sweeps;
	return ok;
}

void sweeps_finish(struct sweeps *sweeps)
{
	free(sweeps->rows);
	free(sweeps->items);
	*sweeps = (struct sweeps){0};
}

bool sweeps_share_chart(const struct sweep *a, const struct sweep *b)
{
	return a->rows[0]->side == b->rows[0]->side &&
	       text_equal(a->rows[0]->row->family, b->rows[0]->row->family);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_unique(const struct sweeps *sweeps, size_t index)
{
	const struct sweep *own = &sweeps->items[index];

	for (size_t i = 0; i < sweeps->count; i++)
		if (i != index && sweeps_share_chart(&sweeps->items[i], own) &&
			text_equal(
				sweeps->items[i].rows[0]->row->variant, own->rows[0]->row->variant))
			return false;
	return true;
}

char *sweep_name(const struct sweeps *sweeps, size_t index)
{
	const struct result_row *row = sweeps->items[index].rows[0]->row;
	const char *choices[] = {row->dtype, row->op, row->data};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(text_or_empty(row->variant), out);
	if (!is_unique(sweeps, index)) {
		for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
			if (choices[i])
				fprintf(out, " %s", choices[i]);
		for (size_t i = 0; i < row->macros.count; i++)
			fprintf(out, " %s=%" PRId64, row->macros.items[i].name,
				row->macros.items[i].value);
	}
	fclose(out);
	return text;
}

/* ---- Caches ---------------------------------------------------------------------------------- */

struct cache {
	const char *name;
	double bytes; /* 0: unknown */
};

/* Uses the sizes from the table of known GPUs, else the size that the driver reports. */
static void find_caches(const struct page_side *side, struct cache ret_caches[2])
{
	const struct device_record *device = side->device;
	const struct limits_record *limits = side->view && side->view->limits.record.present
						     ? &side->view->limits
					     : device ? &device->limits
						      : NULL;
	/* These facts have no reported size and memory, so the result is 0 for an unknown
	 * device. */
	const struct cache_facts facts = {.vendor = text_or_empty(device ? device->vendor : NULL),
		.name = text_or_empty(device ? device->name : NULL),
		.is_gpu = device && text_equal(device->type, "gpu")};
	double last = (double)last_level_cache_bytes(&facts);
	double second = (double)last_level_cache_l2_bytes(&facts);
	double reported = limits && limits->record.present && limits->cache_bytes > 0
				  ? (double)limits->cache_bytes
				  : 0;

	ret_caches[0] = (struct cache){"cache", reported};
	ret_caches[1] = (struct cache){"second-level cache", 0};
	if (last > 0) {
		ret_caches[0] = (struct cache){"last-level cache", fmax(last, reported)};
		ret_caches[1].bytes = second < last ? second : 0;
	}
}

static bool add_caches(struct chart *chart, const struct page_side *side, double low, double high)
{
	struct cache caches[2];
	bool ok = true;

	find_caches(side, caches);
	for (size_t i = 0; i < 2 && ok; i++) {
		char number[32];
		char *name = NULL;
		double mega = caches[i].bytes / MEGA;
		if (!(mega > low / CACHE_NEAR) || mega > high * CACHE_NEAR)
			continue;
		format_number(mega, number, sizeof number);
		text_format(&name, "%s: %s MB", caches[i].name, number);
		ok = name && chart_add_rule(chart, true, mega, name);
		free(name);
	}
	return ok;
}

/* ---- Chart ----------------------------------------------------------------------------------- */

static bool add_line(
	struct chart *chart, const struct sweeps *sweeps, size_t index, bool bandwidth, size_t line)
{
	const struct sweep *sweep = &sweeps->items[index];
	char *name = sweep_name(sweeps, index);
	struct chart_series *series =
		name ? chart_add_series(chart, name, (unsigned)line % CHART_TINTS,
			       (unsigned)line % CHART_MARKS, CHART_LINE)
		     : NULL;
	bool ok = series != NULL;

	for (size_t i = 0; i < sweep->count && ok; i++) {
		double interval[2], rate = side_row_rate(sweep->rows[i], bandwidth);
		result_row_interval_ns(sweep->rows[i]->row, interval);
		ok = chart_add_point(series, bytes_of(sweep->rows[i]) / MEGA, rate,
			rate * sweep->rows[i]->ns / interval[1],
			rate * sweep->rows[i]->ns / interval[0], NULL);
	}
	free(name);
	return ok;
}

/* Returns the last point of the highest line that ends at `max` or below; NULL: none. */
static struct chart_point *highest_end(const struct chart *chart, double max, const char **ret_name)
{
	struct chart_point *best = NULL;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct chart_series *series = &chart->series[i];
		struct chart_point *end = &series->points[series->count - 1];
		if (!axis_shows(true, end->y) || end->y > max || (best && end->y <= best->y))
			continue;
		best = end;
		*ret_name = series->name;
	}
	return best;
}

/* Names the ends of lines. If several ends are near each other, only the highest one is named. */
static bool name_ends(struct chart *chart)
{
	double low = NAN, high = NAN, max = INFINITY;
	const char *name = NULL;

	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++) {
			double y = chart->series[s].points[i].y;
			low = fmin(low, axis_shows(true, y) ? y : NAN); /* fmin ignores NAN */
			high = fmax(high, axis_shows(true, y) ? y : NAN);
		}
	for (struct chart_point *end; (end = highest_end(chart, max, &name));) {
		end->name = strdup(name);
		if (!end->name)
			return false;
		max = fmin(end->y / pow(high / low, NAME_HEIGHT), 0.999 * end->y);
	}
	return true;
}

static bool set_titles(struct chart *chart, const struct page_side *side, const char *family)
{
	char *title = NULL;

	text_format(&title, "%s on %s", text_or_empty(family), side->name);
	bool ok = title && chart_set_titles(chart, title,
				   "One line for each variant: its rate against the size of the "
				   "operands. Dashed lines are the sizes of caches.");
	free(title);
	return ok;
}

static size_t count_lines(const struct sweeps *sweeps, const struct sweep *of)
{
	size_t count = 0;

	for (size_t i = 0; i < sweeps->count; i++)
		count += sweeps_share_chart(&sweeps->items[i], of);
	return count;
}

bool sweep_chart(
	const struct page *page, const struct sweeps *sweeps, size_t index, struct chart *ret_chart)
{
	const struct sweep *own = &sweeps->items[index];
	const struct page_side *side = &page->sides[own->rows[0]->side];
	bool bandwidth = side_row_is_bandwidth(own->rows[own->count - 1]->row);
	double low = NAN, high = NAN;
	struct chart chart;
	size_t lines = 0;

	chart_init(&chart);
	chart_init(ret_chart);
	chart.small = count_lines(sweeps, own) <= SMALL_LINES;
	bool ok = set_titles(&chart, side, own->rows[0]->row->family) &&
		  chart_set_axis(&chart.x, "MB of all operands", true) &&
		  chart_set_axis(&chart.y, bandwidth ? "GB/s" : "GFLOP/s", true);
	for (size_t i = 0; i < sweeps->count && ok; i++) {
		const struct sweep *sweep = &sweeps->items[i];
		if (!sweeps_share_chart(sweep, own))
			continue;
		ok = add_line(&chart, sweeps, i, bandwidth, lines++);
		low = fmin(low, bytes_of(sweep->rows[0]) / MEGA); /* fmin ignores NAN */
		high = fmax(high, bytes_of(sweep->rows[sweep->count - 1]) / MEGA);
	}
	if (!chart.small) {
		chart.x.high = high * pow(high / low, NAME_SPACE);
		ok = ok && name_ends(&chart);
	}
	ok = ok && add_caches(&chart, side, low, high);
	if (ok)
		*ret_chart = chart;
	else
		chart_finish(&chart);
	return ok;
}
