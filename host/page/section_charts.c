/* Sections that are charts of the rows in the ladders' tables: rooflines, parity, sweeps. */
#include <math.h>

#include "host/page/section.h"

void section_rooflines(struct page *page)
{
	for (size_t side = 0; side < page->side_count; side++) {
		if (page->comparison.sides.items[side].rows == 0)
			continue;
		html_format(page->out,
			"<div class=\"pair\">\n" PAGE_CHART("roofline", " data-side=\"%zu\"")
				PAGE_CHART("shares", " data-side=\"%zu\"") "</div>\n",
			side, side);
	}
}

/* Minimum number of sizes of a sweep. page.js has the same number, for each variant. */
#define SWEEP_SIZES 3

void section_sweeps(struct page *page)
{
	bool any = false;

	for (size_t f = 0; f < page->family_count; f++)
		for (size_t side = 0; side < page->side_count; side++) {
			size_t problems = 0;
			for (size_t p = page->families[f].first_problem;
				p < page->families[f].end_problem; p++)
				problems += page->problems[p].timed[side] > 0;
			if (problems < SWEEP_SIZES)
				continue;
			html_markup(page->out, any ? "" : "<div class=\"pair\">\n");
			any = true;
			html_format(page->out,
				PAGE_CHART("sweep", " data-family=\"%zu\" data-side=\"%zu\""), f,
				side);
		}
	html_markup(page->out, any ? "</div>\n" : "");
}

/* ---- Parity ---------------------------------------------------------------------------------- */

static void put_pair(struct page *page, struct table *table, const struct page_pair *pair)
{
	static const char *const bits[] = {
		[TRUTH_UNKNOWN] = "", [TRUTH_NO] = "differ", [TRUTH_YES] = "identical"};

	table_row(table, STYLE_PLAIN);
	table_format(table, "%s/%s", page_family(page, pair->row), pair->row->label);
	table_text(table, page->problems[pair->row->problem].text);
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

/* Writes "NVIDIA H200: 95 of 127 variants are SAME, 8 FAST, 16 SLOW, 8 AMBG; ...", the charts and the
 * table. */
static void put_pairs(struct page *page, size_t device, size_t all)
{
	static const struct table_column columns[] = {{.title = "variant"}, {.title = "problem"},
		{.title = "ratio", .align = TABLE_RIGHT},
		{.title = "95 % interval", .align = TABLE_RIGHT},
		{.title = "tolerance", .align = TABLE_RIGHT}, {.title = "verdict"},
		{.title = "bits"}, {.title = "measured"}};
	size_t counts[VERDICT_COUNT] = {0};
	struct table table;
	char text[200] = "";

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < page->pair_count; i++)
		if (page_device(page, page->pairs[i].row) == device) {
			put_pair(page, &table, &page->pairs[i]);
			counts[page->pairs[i].verdict]++;
		}
	for (int v = VERDICT_FAST; v <= VERDICT_AMBG; v++)
		if (counts[v])
			text_append(text, sizeof text, ", %zu %s", counts[v], verdict_words[v]);
	html_format(page->out,
		"<p>%s: %zu of %zu variants are SAME%s; %zu of %zu are within 5 %%.</p>\n",
		page_device_name(page, device), counts[VERDICT_SAME], all, text,
		page_count_pairs(page, device, true), all);
	html_format(page->out,
		"<div class=\"pair\">\n" PAGE_CHART("parity", " data-device=\"%zu\"")
			PAGE_CHART("differences", " data-device=\"%zu\"") "</div>\n",
		device, device);
	snprintf(text, sizeof text, "all ratios, %s", page_device_name(page, device));
	page_put_table(page, &table, text, true);
}

void section_parity(struct page *page)
{
	for (size_t d = 0; d < page->device_count; d++)
		if (page_count_pairs(page, d, false))
			put_pairs(page, d, page_count_pairs(page, d, false));
}
