#include "host/page/parity_chart.h"
#include "host/page/parts.h"

#include "host/report/format.h"

#include <math.h>
#include <stdlib.h>

/* ---- The table ------------------------------------------------------------------------------- */

static const struct html_column columns[] = {{"variant", HTML_LEFT}, {"problem", HTML_LEFT},
	{"ratio", HTML_RIGHT}, {"95 % interval", HTML_RIGHT}, {"tolerance", HTML_RIGHT},
	{"verdict", HTML_LEFT}, {"bits", HTML_LEFT}, {"measured", HTML_LEFT}};

static void put_row(struct html_table *table, const struct parity_pair *pair)
{
	static const char *const bits[] = {
		[TRUTH_UNKNOWN] = "", [TRUTH_NO] = "differ", [TRUTH_YES] = "identical"};
	char *name = NULL;
	char tolerance[32];

	text_format(&name, "%s/%s", pair->family, pair->variant);
	html_row_begin(table);
	html_cell_name(table, name);
	html_cell_name(table, pair->problem);
	html_cell_format(table, "%.3f", pair->ratio);
	if (isfinite(pair->ci95[0]) && isfinite(pair->ci95[1]))
		html_cell_format(table, "%.3f to %.3f", pair->ci95[0], pair->ci95[1]);
	else
		html_cell(table, "unknown");
	format_percent(100 * pair->tolerance, tolerance, sizeof tolerance);
	html_cell(table, tolerance);
	html_cell(table, verdict_words[pair->verdict]);
	html_cell(table, bits[pair->bit_identical]);
	html_cell(table, pair->in_turn ? "in turn" : "in separate runs");
	html_row_end(table);
	free(name);
}

static void put_table(struct page *page, const struct parity_sides *sides)
{
	struct html_table table = {0};

	page_table_begin(page, "Table: all ratios");
	html_table_begin(&table, page->out, page->sides[sides->sides[0]].device_name, columns,
		sizeof columns / sizeof *columns);
	for (size_t i = 0; i < sides->count; i++)
		put_row(&table, &sides->items[i]);
	html_table_end(&table);
	page_table_end(page);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void put_introduction(FILE *out)
{
	html_markup(out,
		"<p>Each kernel exists in OpenCL and in CUDA, as the same algorithm. These charts show "
		"the ratio of the two times on the same device. A ratio of 1 means equal times. On an "
		"axis &ldquo;time OpenCL / time CUDA&rdquo;, a ratio above 1 means that OpenCL is "
		"slower. The horizontal line through a point is its 95&nbsp;% interval. In these "
		"charts, colour and mark show the verdict.</p>\n<ul>\n"
		"<li>SAME: the whole interval is within the tolerance. Most variants have the tolerance "
		"of the dashed lines on both sides of 1.</li>\n"
		"<li>FAST or SLOW: the difference is larger than the tolerance. The legend of the chart "
		"names the backend that is faster or slower.</li>\n"
		"<li>AMBG: the interval contains a limit, so there is no verdict on the speed.</li>\n</ul>\n");
}

/* Writes "95 of 127 variants are SAME, 8 FAST, 16 SLOW, 8 AMBG." */
static void put_counts(const struct page *page, const struct parity_sides *sides)
{
	size_t counts[VERDICT_COUNT] = {0}, in_turn = 0, wider = 0;
	double tolerance = parity_chart_tolerance(sides);
	FILE *out = page->out;

	for (size_t i = 0; i < sides->count; i++) {
		counts[sides->items[i].verdict]++;
		in_turn += sides->items[i].in_turn;
		wider += sides->items[i].tolerance > tolerance;
	}
	html_markup(out, "<p>");
	html_format(out, "%zu of %zu variants are SAME", counts[VERDICT_SAME], sides->count);
	for (int v = VERDICT_FAST; v <= VERDICT_AMBG; v++)
		if (counts[v])
			html_format(out, ", %zu %s", counts[v], verdict_words[v]);
	html_markup(out, ".");
	if (tolerance > 0)
		html_format(out, " The tolerance is %.3g %%%s.", 100 * tolerance,
			wider ? " or, for variants with more noise, wider" : "");
	if (in_turn == 0)
		html_markup(out,
			" The two backends were timed in separate runs. "
			"<code>pmpp-run parity</code> times them in turn, which is more exact.");
	html_markup(out, "</p>\n");
}

/* ---- The section ----------------------------------------------------------------------------- */

static bool put_device(struct page *page, const struct parity_sides *sides)
{
	struct chart families, differences;

	if (!parity_chart_families(page, sides, &families))
		return false;
	if (!parity_chart_differences(page, sides, &differences)) {
		chart_finish(&families);
		return false;
	}
	html_markup(page->out, "<h3>");
	html_name(page->out, page->sides[sides->sides[0]].device_name);
	html_markup(page->out, "</h3>\n");
	put_counts(page, sides);
	bool ok = page_chart(page, &families) &&
		  (differences.series_count == 0 || page_chart(page, &differences));
	chart_finish(&families);
	chart_finish(&differences);
	put_table(page, sides);
	return ok;
}

bool section_parity(struct page *page)
{
	struct parity_pairs pairs;
	bool ok = parity_pairs_make(page, &pairs);

	if (pairs.count) {
		page_section_begin(page, "parity", "OpenCL against CUDA");
		put_introduction(page->out);
	}
	for (size_t i = 0; i < pairs.count && ok; i++)
		ok = put_device(page, &pairs.items[i]);
	if (pairs.count)
		page_section_end(page);
	parity_pairs_finish(&pairs);
	return ok;
}
