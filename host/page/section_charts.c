/* Sections that are charts of the rows in the ladders' tables: rooflines, parity, sweeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/parity.h"
#include "host/page/sections.h"
#include "host/report/format.h"

/* ---- Rooflines ------------------------------------------------------------------------------- */

/* Returns whether a side has a row for its roofline, or (floors) for the chart of floors. */
static bool has_rows(const struct page *page, size_t side, bool floors)
{
	const struct roofs_record *roofs = page->sides[side].roofs;
	bool known = roofs &&
		     (roofs->copy_gbps > 0 || roofs->read_gbps > 0 || roofs->fma_gflops.f32 > 0);

	for (size_t i = 0; i < page->row_count; i++) {
		const struct page_row *row = &page->rows[i];
		const struct work_record *work = &row->result->work;
		bool placed = known && work->record.present && work->flops > 0 &&
			      work->bytes_compulsory > 0;
		if (row->side == side && row->main && row->timed &&
			(floors ? row->share > 0 : placed))
			return true;
	}
	return false;
}

void section_rooflines(struct page *page)
{
	bool begun = false;

	for (size_t side = 0; side < page->side_count; side++) {
		bool placed = has_rows(page, side, false), floors = has_rows(page, side, true);
		if (!placed && !floors)
			continue;
		if (!begun)
			html_markup(page->out,
				"<p>Higher is faster. A point near a line uses most of what the device "
				"can do: the sloping line is the measured bandwidth of its memory, a "
				"horizontal line its measured rate of one type of operations. Farther "
				"right means more operations per byte of compulsory traffic (each input "
				"read once, each output written once). The name of a family is at its "
				"fastest variant. The dash above such a point is its <em>floor</em>: the "
				"rate if the variant took only the time that its busiest resource needs. "
				"The second chart has the same floors as a part of the time, for all "
				"variants.</p>\n");
		begun = true;
		page_heading(page, page->sides[side].name);
		html_markup(page->out, "<div class=\"pair\">\n");
		if (placed)
			page_chart(page, "roofline", "side", side, NULL, 0);
		if (floors)
			page_chart(page, "shares", "side", side, NULL, 0);
		html_markup(page->out, "</div>\n");
	}
}

/* ---- Parity ---------------------------------------------------------------------------------- */

static void put_pair(struct table *table, const struct parity_pair *pair)
{
	static const char *const bits[] = {
		[TRUTH_UNKNOWN] = "", [TRUTH_NO] = "differ", [TRUTH_YES] = "identical"};

	table_row(table, STYLE_PLAIN);
	table_format(table, "%s/%s", pair->family, pair->variant);
	table_text(table, pair->problem);
	table_number(table, format_ratio, pair->ratio);
	if (isfinite(pair->ci95[0]) && isfinite(pair->ci95[1]))
		table_format(table, "%.3f to %.3f", pair->ci95[0], pair->ci95[1]);
	else
		table_text(table, "unknown");
	table_number(table, format_percent, 100 * pair->tolerance);
	table_text(table, verdict_words[pair->verdict]);
	table_text(table, bits[pair->bits]);
	table_text(table, pair->in_turn ? "in turn" : "in separate runs");
}

static void put_pairs(struct page *page, const struct parity_pairs *pairs)
{
	static const struct table_column columns[] = {{.title = "variant"}, {.title = "problem"},
		{.title = "ratio", .align = TABLE_RIGHT},
		{.title = "95 % interval", .align = TABLE_RIGHT},
		{.title = "tolerance", .align = TABLE_RIGHT}, {.title = "verdict"},
		{.title = "bits"}, {.title = "measured"}};
	struct table table;

	table_init(&table, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pairs->count; i++)
		put_pair(&table, &pairs->items[i]);
	page_table_begin(page, "Table: all ratios");
	page_put_table(page, &table, page->sides[pairs->sides[0]].device_name);
	page_table_end(page);
}

/* Writes "95 of 127 variants are SAME, 8 FAST, 16 SLOW, 8 AMBG." */
static void put_counts(struct page *page, const struct parity_pairs *pairs)
{
	size_t counts[VERDICT_COUNT] = {0}, in_turn = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		counts[pairs->items[i].verdict]++;
		in_turn += pairs->items[i].in_turn;
	}
	html_format(page->out, "%zu of %zu variants are SAME", counts[VERDICT_SAME], pairs->count);
	for (int v = VERDICT_FAST; v <= VERDICT_AMBG; v++)
		if (counts[v])
			html_format(page->out, ", %zu %s", counts[v], verdict_words[v]);
	html_format(
		page->out, "; %zu of %zu are within 5 %%.", parity_pairs_near(pairs), pairs->count);
	if (in_turn == 0)
		html_markup(page->out,
			" The two backends were timed in separate runs. <code>pmpp-run parity</code> "
			"times them in turn, which is more exact.");
}

void section_parity(struct page *page)
{
	bool begun = false;

	for (size_t d = 0; d < page->device_count; d++) {
		const struct parity_pairs *pairs = &page->pairs[d];
		if (!pairs->count)
			continue;
		if (!begun)
			html_markup(page->out,
				"<p>Each kernel exists in OpenCL and in CUDA, as the same algorithm. A "
				"mark is the time of OpenCL divided by the time of CUDA on one device: right "
				"of 1, OpenCL is slower. SAME: the whole 95&nbsp;% interval is within the "
				"tolerance. FAST or SLOW: OpenCL differs by more than the tolerance. AMBG: "
				"the interval contains a limit of the tolerance.</p>\n");
		begun = true;
		page_heading(page, page_device_name(page, d));
		html_markup(page->out, "<p>");
		put_counts(page, pairs);
		html_markup(page->out, "</p>\n<div class=\"pair\">\n");
		page_chart(page, "parity", "device", d, NULL, 0);
		page_chart(page, "differences", "device", d, NULL, 0);
		html_markup(page->out, "</div>\n");
		put_pairs(page, pairs);
	}
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

/* Minimum number of sizes of a sweep. page.js has the same number. */
#define SWEEP_SIZES 3

/* Sorts by side and by everything else except the size. */
static int by_kind(const void *a, const void *b)
{
	const struct page_row *x = *(const struct page_row *const *)a;
	const struct page_row *y = *(const struct page_row *const *)b;
	const struct comparison_row *of = x->compared, *other = y->compared;
	const char *const texts[][2] = {{of->variant, other->variant}, {of->dtype, other->dtype},
		{of->op, other->op}, {of->data, other->data}};
	int order = (x->side > y->side) - (x->side < y->side);

	for (size_t i = 0; i < sizeof texts / sizeof *texts && order == 0; i++)
		order = strcmp(text_or_empty(texts[i][0]), text_or_empty(texts[i][1]));
	return order;
}

static int by_kind_and_problem(const void *a, const void *b)
{
	const struct page_row *x = *(const struct page_row *const *)a;
	const struct page_row *y = *(const struct page_row *const *)b;
	int order = by_kind(a, b);

	return order ? order : (x->problem > y->problem) - (x->problem < y->problem);
}

/* Sets swept[side] if a variant of the family has times at SWEEP_SIZES sizes or more. */
static void find_sweeps(struct page *page, size_t family, bool swept[COMPARE_MAX_SIDES])
{
	size_t i, count = 0, sizes = 0, end = page_family_rows(page, family, &i);
	const struct page_row **rows = calloc(end - i + 1, sizeof *rows);

	page->failed |= !rows;
	for (; rows && i < end; i++)
		if (page->rows[i].timed)
			rows[count++] = &page->rows[i];
	if (count)
		qsort(rows, count, sizeof *rows, by_kind_and_problem);
	for (i = 0; i < count; i++) {
		if (i == 0 || by_kind(&rows[i - 1], &rows[i]) != 0)
			sizes = 0;
		else if (rows[i - 1]->problem == rows[i]->problem)
			continue;
		swept[rows[i]->side] |= ++sizes >= SWEEP_SIZES;
	}
	free(rows);
}

void section_sweeps(struct page *page)
{
	bool begun = false;

	for (size_t family = 0; family < page->family_count; family++) {
		bool swept[COMPARE_MAX_SIDES] = {false};
		find_sweeps(page, family, swept);
		for (size_t side = 0; side < page->side_count; side++) {
			if (!swept[side])
				continue;
			if (!begun)
				html_markup(page->out,
					"<p>How the rate of a variant depends on the size of its operands. "
					"Each line is a variant; higher is faster. Small problems are slow, "
					"because a launch takes some time and the device has too little "
					"work. Where lines cross, another variant becomes the fastest one. "
					"A dashed vertical line is the size of a cache: left of it all "
					"operands fit in the cache.</p>\n<div class=\"columns\">\n");
			begun = true;
			page_chart(page, "sweep", "family", family, "side", side);
		}
	}
	if (begun)
		html_markup(page->out, "</div>\n");
}
