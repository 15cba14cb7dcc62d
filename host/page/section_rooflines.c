#include "host/page/roofline_chart.h"

#include "host/report/format.h"

#include <math.h>
#include <stdlib.h>

/* ---- The table ------------------------------------------------------------------------------- */

static const struct html_column columns[] = {{"variant", HTML_LEFT}, {"problem", HTML_LEFT},
	{"time", HTML_RIGHT}, {"FLOP/byte", HTML_RIGHT}, {"GFLOP/s", HTML_RIGHT},
	{"GB/s", HTML_RIGHT}, {"limited by", HTML_LEFT}, {"largest floor", HTML_LEFT},
	{"floor, % of time", HTML_RIGHT}};

static void put_number(struct html_table *table, double value)
{
	char text[32];

	format_number(value, text, sizeof text);
	html_cell(table, text);
}

static bool put_row(struct html_table *table, const struct side_row *row)
{
	const struct derived_record *derived = &row->row->derived;
	const char *limit = limited_by_name((enum limited_by)derived->limited_by);
	double intensity = roofline_chart_intensity(row->row);
	char *name = side_row_name(row->row);
	char text[32];

	html_row_begin(table);
	html_cell_name(table, name);
	html_cell_name(table, row->problem);
	format_ns(row->ns, text, sizeof text);
	html_cell(table, text);
	put_number(table, intensity > 0 ? intensity : NAN);
	put_number(table, side_row_rate(row, false));
	put_number(table, side_row_rate(row, true));
	html_cell(table, limit ? limit : "unknown");
	html_cell(table, derived->floor.record.present
				 ? word_text(floor_words, derived->floor.resource)
				 : "");
	put_number(table, 100 * roofline_chart_share(row));
	html_row_end(table);
	free(name);
	return name != NULL;
}

static bool put_table(struct page *page, const struct side_rows *rows, size_t side)
{
	struct html_table table = {0};
	bool ok = true;

	page_table_begin(page, "Table: intensities, rates and floors");
	html_table_begin(&table, page->out, page->sides[side].name, columns,
		sizeof columns / sizeof *columns);
	for (size_t i = 0; i < rows->count && ok; i++)
		if (rows->items[i].side == side && rows->items[i].main)
			ok = put_row(&table, &rows->items[i]);
	html_table_end(&table);
	page_table_end(page);
	return ok;
}

/* ---- The section ----------------------------------------------------------------------------- */

static void put_introduction(FILE *out)
{
	html_markup(out,
		"<p>A roofline shows how much of a device each variant uses. A line is the limit of one "
		"resource. A point near a line is a variant that uses most of this resource.</p>\n<ul>\n"
		"<li>A variant farther up is faster. A variant farther to the right makes more "
		"operations (floating-point or integer) per byte of compulsory traffic: each input read "
		"once and each output written once.</li>\n"
		"<li>The sloping line is the measured bandwidth of the device memory. Horizontal lines "
		"are the measured rates of arithmetic by type.</li>\n"
		"<li>A tick above a point is the rate that the variant's largest floor allows. A "
		"<em>floor</em> is the time that one resource needs for the work of the variant. A long "
		"line between a point and its tick means that the variant waits for memory or for other "
		"threads, or runs instructions that no floor counts.</li>\n"
		"<li>Colour and mark show what limits the variant. The name of a family is beside its "
		"fastest variant at full precision, where there is space.</li>\n</ul>\n"
		"<p>The second chart has the same floors as a percentage of the time. It also has the "
		"variants without arithmetic. At 100&nbsp;% a variant is as fast as the measured rates "
		"allow. Some variants are above 100&nbsp;%: a measured rate can be too low, "
		"especially on a CPU.</p>\n");
}

static bool put_side(struct page *page, const struct side_rows *rows, size_t side, bool *begun)
{
	struct chart roofline, shares;

	if (!roofline_chart(page, rows, side, &roofline))
		return false;
	if (!roofline_chart_shares(page, rows, side, &shares)) {
		chart_finish(&roofline);
		return false;
	}
	bool empty = roofline.series_count == 0 && shares.series_count == 0;
	if (empty)
		return true;
	if (!*begun) {
		page_section_begin(page, "rooflines", "Rooflines");
		put_introduction(page->out);
	}
	*begun = true;
	html_markup(page->out, "<h3>");
	html_name(page->out, page->sides[side].name);
	html_markup(page->out, "</h3>\n");
	bool ok = (roofline.series_count == 0 || page_chart(page, &roofline)) &&
		  (shares.series_count == 0 || page_chart(page, &shares)) &&
		  put_table(page, rows, side);
	chart_finish(&roofline);
	chart_finish(&shares);
	return ok;
}

bool section_rooflines(struct page *page)
{
	struct side_rows rows;
	bool begun = false;
	bool ok = side_rows_make(page, &rows);

	for (size_t side = 0; side < page->side_count && ok; side++)
		ok = put_side(page, &rows, side, &begun);
	if (begun)
		page_section_end(page);
	side_rows_finish(&rows);
	return ok;
}
