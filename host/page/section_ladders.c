#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/page/section.h"
#include "host/report/flag_marks.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The marks of a time, with the one of a fallback. */
static unsigned marks_of(const struct page_row *row)
{
	return flag_marks_of_cell(row->cell) |
	       (row->timed ? flag_marks_of_row(row->result) & FLAG_MARK_FALLBACK : 0);
}

/* The technique, and what is special about the row: smaller tiles, or a library. */
static void put_technique(struct table *table, const struct page_row *row)
{
	const struct result_row *result = row->result;
	const char *more = !row->timed ? NULL : result->fallback ? result->fallback : result->peer;
	const char *technique = text_or_empty(result->technique);

	if (more)
		table_format(table, "%s%s%s", technique, *technique ? "; " : "", more);
	else
		table_text(table, technique);
}

static void put_time(struct table *table, const struct page_row *row)
{
	const struct cell_record *cell = row->cell;
	char time[32], width[32], marks[FLAG_MARKS_BYTES];

	if (!row->timed) {
		format_status(cell->status, time, sizeof time);
		table_text(table, cell->status == OUTCOME_OK ? "not timed" : time);
		return;
	}
	format_ns(cell->median_ns, time, sizeof time);
	format_percent(
		50 * (cell->ci95_ns[1] - cell->ci95_ns[0]) / cell->median_ns, width, sizeof width);
	flag_marks_format(marks_of(row), marks);
	table_format(table, "%s%s ± %s", time, marks, width)->value = cell->median_ns;
}

/* "tiled >= 1.2 x naive: holds, 5.591 [5.584, 5.594] x of naive": without what is unknown. */
static void put_claim(
	struct table *table, const struct page_row *row, const struct variant *variant)
{
	const struct claim_record *claim = &row->result->claim;
	const char *verdict = claim_verdict_name(page_claim(row));
	const char *base = !variant              ? NULL
			   : variant->claim.over ? variant->claim.over
						 : variant->base;
	char text[200] = "";

	if (verdict)
		text_append(text, sizeof text, "%s: %s", claim->text, verdict);
	if (verdict && isfinite(claim->observed)) {
		text_append(text, sizeof text, ", %.4g", claim->observed);
		if (isfinite(claim->ci95[0]) && isfinite(claim->ci95[1]))
			text_append(
				text, sizeof text, " [%.4g, %.4g]", claim->ci95[0], claim->ci95[1]);
		if (base)
			text_append(text, sizeof text, " x of %s", base);
	}
	table_text(table, text);
}

/* "1.08 [1.07, 1.09] x cublas-f32" */
static void put_peer(struct table *table, const struct page_row *row)
{
	const struct peer_record *peer = row->timed ? peer_list_fastest(&row->result->peers) : NULL;
	char interval[64] = "";

	if (peer && isfinite(peer->ci95[0]) && isfinite(peer->ci95[1]))
		snprintf(interval, sizeof interval, " [%.3f, %.3f]", peer->ci95[0], peer->ci95[1]);
	if (peer)
		table_format(
			table, "%.3f%s x %s", peer->ratio, interval, text_or_empty(peer->variant));
	else
		table_text(table, "");
}

/* "h200.json", or "5 runs (median)" */
static void put_file(const struct page *page, struct table *table, const struct page_row *row)
{
	const struct cell_record *cell = row->cell;
	const struct result_files *input = page->input;
	size_t i = 0;

	while (&input->items[i].document != cell->shown_in)
		i++;
	const char *name = input->items[i].name, *path = input->items[i].path;
	const char *slash = strrchr(path, '/');
	if (cell->runs > 1 && cell->runs > (int64_t)row->result->repetitions.runs.count)
		table_format(table, "%lld runs (median)", (long long)cell->runs);
	else
		table_text(table, name ? name : slash ? slash + 1 : path);
}

/* ladder: the table is of one ladder, and charts link to its rows. */
static void put_row(struct page *page, struct table *table, const struct page_row *row, bool ladder)
{
	const struct derived_record *derived = &row->result->derived;
	const struct family *family = family_find(page_family(page, row));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(row->compared->variant)) : NULL;
	bool known = row->timed && derived->record.present, of_chart = ladder && row->main;
	char limit[64] = "", step[80] = "x";

	if (known)
		format_limit(derived, limit, sizeof limit);
	if (page_step_base(page, row))
		snprintf(step, sizeof step, "x of %s", page_step_base(page, row));
	struct table_row *made = table_row(table, STYLE_PLAIN);
	if (ladder)
		snprintf(made->id, sizeof made->id, "r%zu", (size_t)(row - page->rows));
	table_format(table, "%s%s%s", ladder ? "" : page_family(page, row), ladder ? "" : "/",
		row->label);
	put_technique(table, row);
	table_text(table, ladder && page->side_count == 1 ? NULL : page->sides[row->side].name);
	table_text(table, of_chart ? NULL : page->problems[row->problem].text);
	put_time(table, row);
	table_text(table, ladder || row->timed ? NULL : row->cell->reason);
	page_table_number(table, row->rate, row->unit);
	page_table_number(table, known ? derived->step : NAN, step);
	put_claim(table, row, variant);
	table_text(table, limit);
	page_table_number(table, 100 * row->share, "%");
	page_table_number(table, known ? derived->intensity : NAN, "");
	put_peer(table, row);
	if (ladder && page->comparison.sides.items[row->side].files.count > 1)
		put_file(page, table, row);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct table_column columns[] = {{.title = "variant"}, {.title = "technique"},
	{.title = "device"}, {.title = "problem"}, {.title = "time", .align = TABLE_RIGHT},
	{.title = "reason"}, {.title = "rate", .align = TABLE_RIGHT},
	{.title = "step", .align = TABLE_RIGHT}, {.title = "claim"}, {.title = "limited by"},
	{.title = "floor", .align = TABLE_RIGHT}, {.title = "FLOP/byte", .align = TABLE_RIGHT},
	{.title = "library"}, {.title = "file"}};

/* Leaves out columns without a text. */
static void drop_columns(struct table *table)
{
	for (size_t c = 0; c < table->column_count; c++) {
		bool empty = true;
		for (size_t r = 0; r < table->row_count && empty; r++)
			empty = c >= table->rows[r].count ||
				text_equal(table->rows[r].cells[c].text, "");
		table->columns[c].absent = empty;
	}
}

void page_rows_table(struct page *page, struct table *table, size_t first, size_t end,
	page_row_filter *is_shown, bool ladder)
{
	table_init(table, columns, ARRAY_COUNT(columns));
	for (size_t i = first; i < end; i++)
		if (is_shown(&page->rows[i]))
			put_row(page, table, &page->rows[i], ladder);
	drop_columns(table);
}

static bool is_main(const struct page_row *row)
{
	return row->main;
}

static bool is_other(const struct page_row *row)
{
	return !row->main;
}

/* ---- Section --------------------------------------------------------------------------------- */

static void put_family(struct page *page, const struct page_family *family)
{
	const struct family *known = family_find(family->name);
	struct table table;
	char *caption = NULL;

	html_format(page->out, "<h3><bdi>%.200s</bdi><span class=\"title\"> %s</span></h3>\n",
		family->name, known ? known->title : "");
	for (size_t p = family->first_problem; p < family->end_problem; p++) {
		const struct page_problem *problem = &page->problems[p];
		bool timed = false;
		page_rows_table(page, &table, problem->first, problem->end, is_main, true);
		for (size_t i = problem->first; i < problem->end; i++)
			timed |= page->rows[i].main && page->rows[i].timed;
		if (timed)
			html_format(page->out, PAGE_CHART("ladder", " data-problem=\"%zu\""), p);
		text_format(&caption, "%s, %s", family->name, problem->text);
		page_put_table(page, &table, text_or_empty(caption), false);
	}
	text_format(&caption, "%s at other sizes", family->name);
	page_rows_table(page, &table, family->first, family->end, is_other, true);
	page_put_table(page, &table, text_or_empty(caption), true);
	free(caption);
}

void section_ladders(struct page *page)
{
	unsigned marks = 0;

	for (size_t i = 0; i < page->row_count; i++)
		marks |= marks_of(&page->rows[i]);
	flag_marks_put(page->out, "<p class=\"note\">", marks, ".</p>\n");
	for (size_t i = 0; i < page->family_count; i++)
		put_family(page, &page->families[i]);
}
