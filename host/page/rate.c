#include "host/page/rate.h"

#include <math.h>
#include <string.h>

#include "common/family.h"
#include "host/page/problems.h"

static double figure_of(const struct result_row *row, enum rate_figure figure)
{
	const double figures[] = {
		[RATE_METRIC] = row->derived.metric,
		[RATE_GFLOPS] = row->derived.gflops,
		[RATE_GBPS] = row->derived.gbps,
	};
	bool known =
		row->derived.record.present && isfinite(figures[figure]) && figures[figure] > 0;

	return known ? figures[figure] : NAN;
}

/* Returns whether all timed rows have the figure, and at least one row is timed. *ret_name: the
 * name of the family's own figure, which all rows share. */
static bool all_have(const struct page *page, const size_t *order, size_t count,
	enum rate_figure figure, const char **ret_name)
{
	const char *name = NULL;
	bool any = false;

	for (size_t i = 0; i < count; i++)
		for (size_t side = 0; side < page->side_count; side++) {
			const struct comparison_row *row = &page->comparison.rows.items[order[i]];
			if (!page_is_timed(row, side))
				continue;
			const struct result_row *result = page_row(page, row, side);
			if (!result || isnan(figure_of(result, figure)))
				return false;
			const char *own = result->derived.metric_name;
			if (figure == RATE_METRIC && (!own || (name && strcmp(name, own) != 0)))
				return false;
			name = own;
			any = true;
		}
	*ret_name = name;
	return any;
}

struct rate_kind rate_kind_of(const struct page *page, const size_t *order, size_t count)
{
	static const char *const names[] = {[RATE_GFLOPS] = "GFLOP/s", [RATE_GBPS] = "GB/s"};
	const char *family_name = page->comparison.rows.items[order[0]].family;
	const struct family *family = family_find(text_or_empty(family_name));
	const char *own = NULL;

	if (all_have(page, order, count, RATE_METRIC, &own))
		return (struct rate_kind){RATE_METRIC, own,
			family ? family->metric.kind == METRIC_NS_EACH
			       : strncmp(own, "ns", 2) == 0};
	bool memory = family && family_is_about_memory(family);
	enum rate_figure figure = !memory && all_have(page, order, count, RATE_GFLOPS, &own)
					  ? RATE_GFLOPS
					  : RATE_GBPS;
	return (struct rate_kind){figure, names[figure], false};
}

char *rate_axis_name(const struct rate_kind *kind)
{
	char *text = NULL;

	text_format(&text, "%s (%s is better)", kind->name, kind->less_is_better ? "less" : "more");
	return text;
}

struct rate rate_of(const struct page *page, const struct rate_kind *kind,
	const struct comparison_row *row, size_t side)
{
	const struct rate unknown = {NAN, NAN, NAN};
	const struct cell_record *cell = &row->cells.items[side];
	const struct result_row *result =
		page_is_timed(row, side) ? page_row(page, row, side) : NULL;
	double figure = result ? figure_of(result, kind->figure) : NAN;
	double median = result ? result_row_median_ns(result) : NAN;

	if (!isfinite(figure) || !isfinite(median))
		return unknown;
	/* The cell has the median of all runs, but the figure is from one run: convert it. */
	double work = kind->less_is_better ? figure / median : figure * median;
	double ns[] = {cell->median_ns, cell->ci95_ns[0], cell->ci95_ns[1]}, rates[3];
	for (size_t i = 0; i < 3; i++)
		rates[i] = kind->less_is_better ? work * ns[i] : work / ns[i];
	return (struct rate){rates[0], fmin(rates[1], rates[2]), fmax(rates[1], rates[2])};
}
