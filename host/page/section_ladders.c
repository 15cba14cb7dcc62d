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
		page_table_status(table, row);
		return;
	}
	format_ns(cell->median_ns, time, sizeof time);
	format_percent(
		50 * (cell->ci95_ns[1] - cell->ci95_ns[0]) / cell->median_ns, width, sizeof width);
	flag_marks_format(marks_of(row), marks);
	struct table_cell *shown = table_format(table, "%s%s ± %s", time, marks, width);
	if (shown)
		shown->value = cell->median_ns;
}

static void put_claim(struct page *page, struct table *table, const struct page_row *row)
{
	const char *verdict = claim_verdict_name(page_claim(row));
	char observed[PAGE_CLAIM_BYTES];

	page_format_claim(page, row, observed);
	if (verdict)
		table_format(table, "%s: %s%s%s", row->result->claim.text, verdict,
			*observed ? ", " : "", observed);
	else
		table_text(table, "");
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
	const struct page_input *input = page->input;
	size_t i = 0;

	while (&input->files[i].document != cell->shown_in)
		i++;
	const char *name = input->files[i].name, *path = input->files[i].path;
	const char *slash = strrchr(path, '/');
	if (cell->runs > 1 && cell->runs > (int64_t)row->result->repetitions.runs.count)
		table_format(table, "%lld runs (median)", (long long)cell->runs);
	else
		table_text(table, name ? name : slash ? slash + 1 : path);
}

static void put_row(struct page *page, struct table *table, const struct page_row *row)
{
	const struct derived_record *derived = &row->result->derived;
	const char *base = page_step_base(page, row);
	bool known = row->timed && derived->record.present;
	char limit[64] = "", step[80];

	if (known)
		format_limit(derived, limit, sizeof limit);
	snprintf(step, sizeof step, base ? "x of %s" : "x", base);
	struct table_row *made = table_row(table, STYLE_PLAIN);
	if (made)
		snprintf(made->id, sizeof made->id, "r%zu", (size_t)(row - page->rows));
	table_text(table, row->label);
	put_technique(table, row);
	table_text(table, page->side_count > 1 ? page->sides[row->side].name : NULL);
	table_text(table, row->main ? NULL : page->problems[row->problem].text);
	put_time(table, row);
	page_table_number(table, row->rate, row->unit);
	page_table_number(table, known ? derived->step : NAN, step);
	put_claim(page, table, row);
	table_text(table, limit);
	page_table_number(table, 100 * row->share, "%");
	page_table_number(table, known ? derived->intensity : NAN, "");
	put_peer(table, row);
	if (page->comparison.sides.items[row->side].files.count > 1)
		put_file(page, table, row);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct table_column columns[] = {{.title = "variant"}, {.title = "technique"},
	{.title = "device"}, {.title = "problem"}, {.title = "time", .align = TABLE_RIGHT},
	{.title = "rate", .align = TABLE_RIGHT}, {.title = "step", .align = TABLE_RIGHT},
	{.title = "claim"}, {.title = "limited by"}, {.title = "floor", .align = TABLE_RIGHT},
	{.title = "FLOP/byte", .align = TABLE_RIGHT}, {.title = "library"}, {.title = "file"}};

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

/* Writes the table of the main rows of a problem, below their chart, or (SIZE_MAX) the table of a
 * family's other rows. The rows have the indexes first to end - 1. */
static void put_table(
	struct page *page, size_t first, size_t end, size_t problem, const char *caption)
{
	bool of_chart = problem != SIZE_MAX, timed = false;
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = first; i < end; i++) {
		const struct page_row *row = &page->rows[i];
		if (row->main != of_chart)
			continue;
		put_row(page, &table, row);
		timed |= row->timed;
	}
	if (of_chart && timed)
		html_format(page->out, PAGE_CHART("ladder", " data-problem=\"%zu\""), problem);
	drop_columns(&table);
	(of_chart ? page_put_table : page_fold_table)(page, &table, caption);
}

/* ---- Section --------------------------------------------------------------------------------- */

static void put_family(struct page *page, const struct page_family *family)
{
	const struct family *known = family_find(family->name);
	char *caption = NULL;

	html_format(page->out, "<h3><bdi>%.200s</bdi><span class=\"title\"> %s</span></h3>\n",
		family->name, known ? known->title : "");
	for (size_t p = family->first_problem; p < family->end_problem; p++) {
		const struct page_problem *problem = &page->problems[p];
		text_format(&caption, "%s, %s", family->name, problem->text);
		put_table(page, problem->first, problem->end, p, text_or_empty(caption));
	}
	text_format(&caption, "%s at other sizes", family->name);
	put_table(page, family->first, family->end, SIZE_MAX, text_or_empty(caption));
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
