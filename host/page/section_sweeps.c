#include "host/page/sweep_chart.h"

#include "host/report/format.h"

#include <stdlib.h>

/* ---- The table ------------------------------------------------------------------------------- */

static const struct html_column columns[] = {{"variant", HTML_LEFT}, {"problem", HTML_LEFT},
	{"operands", HTML_RIGHT}, {"time", HTML_RIGHT}, {"±", HTML_RIGHT}, {"GB/s", HTML_RIGHT},
	{"GFLOP/s", HTML_RIGHT}};

static void put_row(struct html_table *table, const struct side_row *row)
{
	char *name = side_row_name(row->row);
	char text[32];

	html_row_begin(table);
	html_cell_name(table, name);
	html_cell_name(table, row->problem);
	format_bytes(row->row->work.bytes_compulsory, text, sizeof text);
	html_cell(table, text);
	format_ns(row->ns, text, sizeof text);
	html_cell(table, text);
	format_percent(100 * result_row_half_width(row->row), text, sizeof text);
	html_cell(table, text);
	format_number(side_row_rate(row, true), text, sizeof text);
	html_cell(table, text);
	format_number(side_row_rate(row, false), text, sizeof text);
	html_cell(table, text);
	html_row_end(table);
	free(name);
}

static void put_table(struct page *page, const struct sweeps *sweeps, size_t side)
{
	struct html_table table = {0};

	page_table_begin(page, "Table: rates by size");
	html_table_begin(&table, page->out, page->sides[side].name, columns,
		sizeof columns / sizeof *columns);
	for (size_t i = 0; i < sweeps->count; i++)
		for (size_t r = 0;
			sweeps->items[i].rows[0]->side == side && r < sweeps->items[i].count; r++)
			put_row(&table, sweeps->items[i].rows[r]);
	html_table_end(&table);
	page_table_end(page);
}

/* ---- The section ----------------------------------------------------------------------------- */

static void put_introduction(FILE *out)
{
	html_markup(out,
		"<p>These charts show how the rate of a variant depends on the size of its problem: the "
		"size of all operands together. Each line is a variant; higher is faster.</p>\n<ul>\n"
		"<li>Look for the size where a line becomes flat. Smaller problems are slow, because a "
		"launch takes some time and the device has too little work for its units.</li>\n"
		"<li>Look for lines that cross: another variant becomes the fastest one.</li>\n"
		"<li>A dashed vertical line is the size of a cache. Its label names the cache; "
		"&ldquo;cache&rdquo; alone is the last-level cache. To the left of the line all operands "
		"together fit in this cache. A cold sample starts with an empty cache, so only data that "
		"a variant reads again come from the cache.</li>\n</ul>\n");
}

/* Returns whether this sweep is in the chart of an earlier sweep. */
static bool is_drawn(const struct sweeps *sweeps, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (sweeps_share_chart(&sweeps->items[i], &sweeps->items[index]))
			return true;
	return false;
}

/* Adds either the small charts of a side, or the other charts. */
static bool put_charts(struct page *page, const struct sweeps *sweeps, size_t side, bool small)
{
	bool ok = true;

	for (size_t i = 0; i < sweeps->count && ok; i++) {
		struct chart chart;
		if (sweeps->items[i].rows[0]->side != side || is_drawn(sweeps, i))
			continue;
		ok = sweep_chart(page, sweeps, i, &chart) &&
		     (chart.small != small || page_chart(page, &chart));
		chart_finish(&chart);
	}
	return ok;
}

static bool has_side(const struct sweeps *sweeps, size_t side)
{
	for (size_t i = 0; i < sweeps->count; i++)
		if (sweeps->items[i].rows[0]->side == side)
			return true;
	return false;
}

static bool put_side(struct page *page, const struct sweeps *sweeps, size_t side)
{
	html_markup(page->out, "<h3>");
	html_name(page->out, page->sides[side].name);
	html_markup(page->out, "</h3>\n<div class=\"grid\">\n");
	bool ok = put_charts(page, sweeps, side, true);
	html_markup(page->out, "</div>\n");
	ok = ok && put_charts(page, sweeps, side, false);
	put_table(page, sweeps, side);
	return ok;
}

bool section_sweeps(struct page *page)
{
	struct side_rows rows;
	struct sweeps sweeps = {0};
	bool ok = side_rows_make(page, &rows);

	ok = ok && sweeps_make(&rows, &sweeps);
	if (sweeps.count) {
		page_section_begin(page, "sweeps", "Rate by problem size");
		put_introduction(page->out);
		for (size_t side = 0; side < page->side_count && ok; side++)
			ok = !has_side(&sweeps, side) || put_side(page, &sweeps, side);
		page_section_end(page);
	}
	sweeps_finish(&sweeps);
	side_rows_finish(&rows);
	return ok;
}
