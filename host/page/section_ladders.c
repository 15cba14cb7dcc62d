#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/page/sections.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"

/* The rows of one table: those of a problem on the sides that have it as their main problem, or all
 * other rows of a family. */
struct ladder {
	struct page *page;
	size_t family;
	size_t problem;    /* SIZE_MAX: all other rows */
	size_t first, end; /* the rows of the problem or family */
	size_t rows;
	bool timed, peers; /* a row has a time; a row was timed in turn with a library */
	unsigned marks;    /* of all times */
	bool named[COMPARE_MAX_SIDES]; /* the file of the side is named */
};

/* Returns the next row of the ladder from index *i on, and sets *i to the index after it; NULL: none. */
static const struct page_row *next_row(const struct ladder *ladder, size_t *i)
{
	while (*i < ladder->end - ladder->first) {
		const struct page_row *row = &ladder->page->rows[ladder->first + (*i)++];
		if (row->main == (ladder->problem != SIZE_MAX))
			return row;
	}
	return NULL;
}

/* The marks of a time, with the one of a fallback. */
static unsigned marks_of(const struct page_row *row)
{
	return flag_marks_of_cell(row->cell) |
	       (row->timed ? flag_marks_of_row(row->result) & FLAG_MARK_FALLBACK : 0);
}

/* Sets the range of the rows, and the members that depend on it. Returns the number of rows. */
static size_t set_rows(struct ladder *ladder, size_t problem, size_t first, size_t end)
{
	const struct page_row *row;

	*ladder = (struct ladder){.page = ladder->page,
		.family = ladder->family,
		.problem = problem,
		.first = first,
		.end = end};
	for (size_t i = 0; (row = next_row(ladder, &i)); ladder->rows++) {
		ladder->timed |= row->timed;
		ladder->peers |= row->timed && peer_list_fastest(&row->result->peers);
		ladder->marks |= marks_of(row);
	}
	return ladder->rows;
}

/* ---- Table ----------------------------------------------------------------------------------- */

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
	struct table_cell *shown = table_format(table, "%s%s ± %s", time, marks, width);
	if (shown)
		shown->value = cell->median_ns;
}

static void put_claim(struct page *page, struct table *table, const struct page_row *row)
{
	const struct claim_record *claim = &row->result->claim;
	const char *verdict = claim_verdict_name(claim_record_verdict(claim));
	char observed[PAGE_CLAIM_BYTES];

	page_format_claim(page, row, observed);
	if (row->timed && claim->record.present && claim->text && verdict)
		table_format(table, "%s: %s%s%s", text_or_empty(claim->text), verdict,
			*observed ? ", " : "", observed);
	else
		table_text(table, "");
}

/* "1.08 [1.07, 1.09] x cublas-f32" */
static void put_peer(struct table *table, const struct page_row *row)
{
	const struct peer_record *peer = row->timed ? peer_list_fastest(&row->result->peers) : NULL;

	if (!peer)
		table_text(table, "");
	else if (isfinite(peer->ci95[0]) && isfinite(peer->ci95[1]))
		table_format(table, "%.3f [%.3f, %.3f] x %s", peer->ratio, peer->ci95[0],
			peer->ci95[1], text_or_empty(peer->variant));
	else
		table_format(table, "%.3f x %s", peer->ratio, text_or_empty(peer->variant));
}

/* Returns "h200.json", or "5 runs (median)"; malloc'ed. */
static char *source_of(const struct page *page, const struct page_row *row)
{
	const struct page_input *input = page->input;
	char *text = NULL;

	if (row->cell->runs > 1 && row->cell->runs > (int64_t)row->result->repetitions.runs.count)
		text_format(&text, "%lld runs (median)", (long long)row->cell->runs);
	for (size_t i = 0; i < input->file_count && !text; i++)
		if (&input->files[i].document == row->cell->shown_in)
			text_set(&text, page_file_name(&input->files[i]));
	return text;
}

/* Returns whether the rows of a side are from several files. */
static bool has_files(const struct page *page, size_t side)
{
	return page->comparison.sides.items[side].files.count > 1;
}

static void put_row(const struct ladder *ladder, struct table *table, const struct page_row *row)
{
	struct page *page = ladder->page;
	const struct derived_record *derived = &row->result->derived;
	bool known = row->timed && derived->record.present;
	char limit[64] = "", step[80];

	if (known)
		format_limit(derived, limit, sizeof limit);
	const char *base = page_step_base(page, row);
	snprintf(step, sizeof step, base ? "x of %s" : "x", base);
	page_table_row(page, table, row);
	table_text(table, row->label);
	table_text(table, row->result->technique);
	table_text(table, page->sides[row->side].name);
	table_text(table, page->problems[row->problem].text);
	put_time(table, row);
	page_table_number(table, row->rate, row->unit);
	page_table_number(table, known ? derived->step : NAN, step);
	put_claim(page, table, row);
	table_text(table, limit);
	page_table_number(table, 100 * row->share, "%");
	page_table_number(table, known ? derived->intensity : NAN, "");
	put_peer(table, row);
	char *source = source_of(page, row);
	table_text(table, source);
	free(source);
}

static void put_table(const struct ladder *ladder, const char *caption)
{
	static const struct table_column all[] = {{.title = "variant"}, {.title = "technique"},
		{.title = "device"}, {.title = "problem"}, {.title = "time", .align = TABLE_RIGHT},
		{.title = "rate", .align = TABLE_RIGHT}, {.title = "step", .align = TABLE_RIGHT},
		{.title = "claim"}, {.title = "limited by"},
		{.title = "floor", .align = TABLE_RIGHT},
		{.title = "FLOP/byte", .align = TABLE_RIGHT}, {.title = "library"},
		{.title = "file"}};
	struct table table;
	const struct page_row *row;
	bool several = false;

	table_init(&table, all, sizeof all / sizeof *all);
	if (!table.failed) {
		table.columns[2].absent = ladder->page->side_count == 1;
		table.columns[3].absent = ladder->problem != SIZE_MAX;
		table.columns[11].absent = !ladder->peers;
		table.columns[12].absent = ladder->problem != SIZE_MAX;
		for (size_t side = 0; side < ladder->page->side_count; side++)
			several |= has_files(ladder->page, side);
		table.columns[12].absent |= !several;
	}
	for (size_t i = 0; (row = next_row(ladder, &i));)
		put_row(ladder, &table, row);
	page_put_table(ladder->page, &table, caption);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

/* Explains the marks in the table. */
static void put_legend(const struct ladder *ladder)
{
	FILE *out = ladder->page->out;
	const char *separator = "<p class=\"note\">";

	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++)
		if (ladder->marks >> i & 1) {
			html_markup(out, separator);
			html_format(out, "%s %s: %s", flag_marks[i].mark, flag_marks[i].name,
				flag_marks[i].meaning);
			separator = "; ";
		}
	html_markup(out, ladder->marks ? ".</p>\n" : "");
}

/* Returns the note on a timed row; malloc'ed. NULL: none. */
typedef char *note_fn(struct ladder *ladder, const struct page_row *row);

/* Writes the notes on the rows in one paragraph. */
static void put_notes(struct ladder *ladder, const char *introduction, note_fn *note_of)
{
	FILE *out = ladder->page->out;
	const struct page_row *row;
	bool any = false;

	for (size_t i = 0; (row = next_row(ladder, &i));) {
		char *note = row->timed ? note_of(ladder, row) : NULL;
		if (!note)
			continue;
		html_markup(out, any ? "; " : "<p class=\"note\">");
		html_markup(out, any ? "" : introduction);
		html_text(out, note);
		any = true;
		free(note);
	}
	html_markup(out, any ? ".</p>\n" : "");
}

/* Returns "NVIDIA H200, CUDA, LABEL: TEXT"; malloc'ed. NULL: the row has no such text. */
static char *row_note(const struct ladder *ladder, const struct page_row *row, const char *text)
{
	char *note = NULL;

	if (text)
		text_format(
			&note, "%s, %s: %s", ladder->page->sides[row->side].name, row->label, text);
	return note;
}

/* Notes that a variant ran with smaller tiles. */
static char *fallback_note(struct ladder *ladder, const struct page_row *row)
{
	return row_note(ladder, row, row->result->fallback);
}

/* Names the library that was timed in turn with the variant. */
static char *library_note(struct ladder *ladder, const struct page_row *row)
{
	return row_note(ladder, row, row->result->peer);
}

/* Returns "NVIDIA H200, CUDA: times from h200.json", once for each side that has several files. */
static char *source_note(struct ladder *ladder, const struct page_row *row)
{
	char *note = NULL;

	if (ladder->named[row->side] || !has_files(ladder->page, row->side))
		return NULL;
	char *source = source_of(ladder->page, row);
	text_format(&note, "%s: times from %s", ladder->page->sides[row->side].name,
		text_or_empty(source));
	ladder->named[row->side] = true;
	free(source);
	return note;
}

static void put_all_notes(struct ladder *ladder)
{
	put_legend(ladder);
	put_notes(ladder, "", fallback_note);
	put_notes(ladder,
		"Libraries timed in turn with the variants. Ratio: time of the library / time of the "
		"variant. ",
		library_note);
}

/* ---- Section --------------------------------------------------------------------------------- */

static void put_ladder(struct ladder *ladder)
{
	struct page *page = ladder->page;
	char *caption = NULL;

	text_format(&caption, "%s, %s", page->families[ladder->family].name,
		page->problems[ladder->problem].text);
	html_markup(page->out, "<div class=\"ladder\">\n");
	if (ladder->timed)
		page_chart(page, "ladder", "problem", ladder->problem, NULL, 0);
	put_table(ladder, text_or_empty(caption));
	html_markup(page->out, "</div>\n");
	put_all_notes(ladder);
	put_notes(ladder, "", source_note);
	free(caption);
}

static void put_family(struct page *page, size_t family)
{
	const struct family *known = family_find(page->families[family].name);
	struct ladder ladder = {.page = page, .family = family};
	size_t first, end;
	char *summary = NULL;

	html_markup(page->out, "<h3>");
	html_name(page->out, page->families[family].name);
	if (known) {
		html_markup(page->out, " <span class=\"title\">");
		html_text(page->out, known->title);
		html_markup(page->out, "</span>");
	}
	html_markup(page->out, "</h3>\n");
	for (size_t p = page->families[family].first; p < page->families[family].end; p++) {
		const struct page_problem *problem = &page->problems[p];
		if (set_rows(&ladder, p, problem->first, problem->first + problem->count))
			put_ladder(&ladder);
	}
	end = page_family_rows(page, family, &first);
	if (set_rows(&ladder, SIZE_MAX, first, end)) {
		text_format(&summary, "Table: %s at other sizes", page->families[family].name);
		page_table_begin(page, text_or_empty(summary));
		put_table(&ladder, text_or_empty(summary));
		page_table_end(page);
		put_all_notes(&ladder);
	}
	free(summary);
}

/* Names the sides whose CPU other programs used. */
static void put_loads(struct page *page)
{
	for (size_t i = 0; i < page->side_count; i++) {
		const char *load = page->comparison.sides.items[i].load;
		if (!load)
			continue;
		html_markup(page->out, "<p class=\"note\">");
		html_format(page->out, "%s: %s.", page->sides[i].name, load);
		html_markup(page->out, "</p>\n");
	}
}

void section_ladders(struct page *page)
{
	if (!page->row_count)
		return;
	html_markup(page->out,
		"<p>Read a chart from top to bottom: each variant adds the technique behind its name. A "
		"bar is the rate on one device, and the factor behind it is the step over the variant "
		"that it improves. The small triangle is the rate that the book's claim promises: the "
		"claim holds if the bar reaches it. <em>Another problem</em>: the variant rounds its "
		"inputs or has another layout, so it is no answer to the problem of the family. Click a "
		"title of the table to sort it.</p>\n");
	put_loads(page);
	for (size_t family = 0; family < page->family_count; family++)
		put_family(page, family);
}
