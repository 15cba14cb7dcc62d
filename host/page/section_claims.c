#include "host/page/side_rows.h"

#include "host/report/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Claims ---------------------------------------------------------------------------------- */

static bool has_claim(const struct side_row *row)
{
	return row->row->claim.record.present && row->row->claim.text;
}

static enum claim_verdict verdict_of_row(const struct side_row *row)
{
	return row->ns > 0 ? claim_record_verdict(&row->row->claim) : CLAIM_NOT_APPLICABLE;
}

static bool same_limit(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* The texts may be of different versions of the program. */
static bool same_claim(const struct side_row *a, const struct side_row *b)
{
	return same_limit(a->row->claim.expected, b->row->claim.expected) &&
	       same_limit(a->row->claim.at_most, b->row->claim.at_most) &&
	       text_equal(a->row->variant, b->row->variant) &&
	       text_equal(a->row->family, b->row->family);
}

/* The rows of one claim by side; NULL: the side has no such row. */
struct claim_line {
	const struct side_row **cells;
	size_t verdicts[CLAIM_VERDICT_COUNT]; /* number of sides with each verdict */
};

struct claim_lines {
	struct claim_line *items;      /* owned */
	const struct side_row **cells; /* of all lines; owned */
	size_t count;
	bool *shown; /* by side: the side has a verdict; owned */
};

static void lines_finish(struct claim_lines *lines)
{
	free(lines->items);
	free(lines->cells);
	free(lines->shown);
}

static struct claim_line *find_line(
	struct claim_lines *lines, const struct side_row *row, size_t side_count)
{
	for (size_t i = 0; i < lines->count; i++)
		for (size_t side = 0; side < side_count; side++) {
			const struct side_row *cell = lines->items[i].cells[side];
			if (cell && same_claim(cell, row))
				return &lines->items[i];
		}
	struct claim_line *line = &lines->items[lines->count];
	*line = (struct claim_line){.cells = lines->cells + lines->count++ * side_count};
	return line;
}

/* Makes the lines of the main problems. */
static bool lines_make(
	const struct page *page, const struct side_rows *rows, struct claim_lines *ret_lines)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += has_claim(&rows->items[i]) && rows->items[i].main;
	struct claim_lines lines = {.items = calloc(count + 1, sizeof *lines.items),
		.cells = calloc((count + 1) * (page->side_count + 1), sizeof *lines.cells),
		.shown = calloc(page->side_count + 1, sizeof *lines.shown)};
	bool ok = lines.items && lines.cells && lines.shown;
	for (size_t i = 0; i < rows->count && ok; i++) {
		const struct side_row *row = &rows->items[i];
		if (!has_claim(row) || !row->main)
			continue;
		struct claim_line *line = find_line(&lines, row, page->side_count);
		if (line->cells[row->side])
			continue;
		line->cells[row->side] = row;
		if (verdict_of_row(row) != CLAIM_NOT_APPLICABLE) {
			line->verdicts[verdict_of_row(row)]++;
			lines.shown[row->side] = true;
		}
	}
	if (!ok)
		lines_finish(&lines);
	*ret_lines = ok ? lines : (struct claim_lines){0};
	return ok;
}

/* Returns whether the claim holds on each side that has a verdict. */
static bool holds_everywhere(const struct claim_line *line)
{
	return line->verdicts[CLAIM_HOLDS] && !line->verdicts[CLAIM_FAILS] &&
	       !line->verdicts[CLAIM_UNDECIDED];
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Writes "5.591 [5.584, 5.594]", or without the interval; "" if unknown. */
static void format_observed(
	const struct claim_record *claim, bool with_interval, char *text, size_t size)
{
	text[0] = '\0';
	if (isfinite(claim->observed))
		snprintf(text, size, "%.4g", claim->observed);
	size_t used = strlen(text);
	if (used && with_interval && isfinite(claim->ci95[0]) && isfinite(claim->ci95[1]))
		snprintf(text + used, size - used, " [%.4g, %.4g]", claim->ci95[0], claim->ci95[1]);
}

static const char *verdict_text(const struct side_row *row)
{
	const char *name = claim_verdict_name(verdict_of_row(row));

	return name ? name : "n/a";
}

/* usual: the problem of most sides. */
static void put_cell(
	struct html_table *table, const struct side_row *row, bool with_interval, const char *usual)
{
	char observed[100];

	if (!row) {
		html_cell(table, "n/a");
		return;
	}
	format_observed(&row->row->claim, with_interval, observed, sizeof observed);
	bool applies = verdict_of_row(row) != CLAIM_NOT_APPLICABLE;
	bool other = applies && strcmp(row->problem, usual) != 0;
	html_cell_format(table, "%s%s%s%s%.80s%s", verdict_text(row),
		applies && *observed ? ": " : "", applies ? observed : "", other ? " [" : "",
		other ? row->problem : "", other ? "]" : "");
}

static const char *first_problem(const struct claim_line *line, size_t side_count)
{
	for (size_t side = 0; side < side_count; side++)
		if (line->cells[side] && verdict_of_row(line->cells[side]) != CLAIM_NOT_APPLICABLE)
			return line->cells[side]->problem;
	return "";
}

static const struct side_row *first_cell(const struct claim_line *line, size_t side_count)
{
	for (size_t side = 0; side + 1 < side_count; side++)
		if (line->cells[side])
			return line->cells[side];
	return line->cells[side_count - 1];
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Makes columns for two texts and for each shown side. malloc'ed. */
static struct html_column *make_columns(
	const struct page *page, const struct claim_lines *lines, size_t *ret_count)
{
	struct html_column *columns = calloc(page->side_count + 2, sizeof *columns);
	size_t count = 2;

	if (!columns)
		return NULL;
	columns[0].title = "variant";
	columns[1].title = "claim";
	for (size_t side = 0; side < page->side_count; side++)
		if (lines->shown[side])
			columns[count++].title = page->sides[side].name;
	*ret_count = count;
	return columns;
}

static bool put_lines(struct page *page, const struct claim_lines *lines, bool all)
{
	struct html_table table = {0};
	size_t column_count;
	struct html_column *columns = make_columns(page, lines, &column_count);

	if (!columns)
		return false;
	html_table_begin(&table, page->out,
		all ? "All claims, and the measured ratio of times"
		    : "Claims that do not hold on all devices, and the measured ratio of times",
		columns, column_count);
	for (size_t i = 0; i < lines->count; i++) {
		const struct claim_line *line = &lines->items[i];
		const struct result_row *row = first_cell(line, page->side_count)->row;
		char *name = side_row_name(row);
		if (!all && (holds_everywhere(line) || !*first_problem(line, page->side_count))) {
			free(name);
			continue;
		}
		html_row_begin(&table);
		html_cell_name(&table, name);
		html_cell_name(&table, row->claim.text);
		for (size_t side = 0; side < page->side_count; side++)
			if (lines->shown[side])
				put_cell(&table, line->cells[side], all,
					first_problem(line, page->side_count));
		html_row_end(&table);
		free(name);
	}
	html_table_end(&table);
	free(columns);
	return true;
}

/* Writes the number of verdicts on each side. */
static void put_counts(struct page *page, const struct claim_lines *lines)
{
	static const struct html_column columns[] = {{"side", HTML_LEFT}, {"holds", HTML_RIGHT},
		{"does not hold", HTML_RIGHT}, {"undecided", HTML_RIGHT}, {"n/a", HTML_RIGHT}};
	struct html_table table = {0};

	html_table_begin(&table, page->out, "Number of claims by verdict", columns,
		sizeof columns / sizeof *columns);
	for (size_t side = 0; side < page->side_count; side++) {
		size_t counts[CLAIM_VERDICT_COUNT] = {0}, unknown = 0;
		if (!lines->shown[side])
			continue;
		for (size_t i = 0; i < lines->count; i++) {
			const struct side_row *row = lines->items[i].cells[side];
			enum claim_verdict verdict =
				row ? verdict_of_row(row) : CLAIM_NOT_APPLICABLE;
			if (verdict == CLAIM_NOT_APPLICABLE)
				unknown++;
			else
				counts[verdict]++;
		}
		html_row_begin(&table);
		html_cell_name(&table, page->sides[side].name);
		for (int verdict = 0; verdict < CLAIM_VERDICT_COUNT; verdict++)
			html_cell_format(&table, "%zu", counts[verdict]);
		html_cell_format(&table, "%zu", unknown);
		html_row_end(&table);
	}
	html_table_end(&table);
}

/* Writes the claims at sizes that are not in the table above. */
static void put_other_sizes(struct page *page, const struct side_rows *rows)
{
	static const struct html_column columns[] = {{"variant", HTML_LEFT}, {"claim", HTML_LEFT},
		{"side", HTML_LEFT}, {"problem", HTML_LEFT}, {"verdict", HTML_LEFT},
		{"ratio", HTML_RIGHT}};
	struct html_table table = {0};
	bool begun = false;

	for (size_t i = 0; i < rows->count; i++) {
		const struct side_row *row = &rows->items[i];
		char observed[100];
		if (!has_claim(row) || row->main || verdict_of_row(row) == CLAIM_NOT_APPLICABLE)
			continue;
		if (!begun) {
			page_table_begin(page, "Table: claims at other problem sizes");
			html_table_begin(&table, page->out, "Claims at other problem sizes",
				columns, sizeof columns / sizeof *columns);
		}
		begun = true;
		char *name = side_row_name(row->row);
		format_observed(&row->row->claim, true, observed, sizeof observed);
		html_row_begin(&table);
		html_cell_name(&table, name);
		html_cell_name(&table, row->row->claim.text);
		html_cell_name(&table, page->sides[row->side].name);
		html_cell_name(&table, row->problem);
		html_cell(&table, verdict_text(row));
		html_cell(&table, observed);
		html_row_end(&table);
		free(name);
	}
	if (!begun)
		return;
	html_table_end(&table);
	page_table_end(page);
}

/* ---- The section ----------------------------------------------------------------------------- */

static void put_introduction(FILE *out)
{
	html_markup(out,
		"<p>The book <em>Programming Massively Parallel Processors</em> and this program "
		"state what each technique gains, for example "
		"&ldquo;tiled &gt;= 1.2 x naive&rdquo;. Each claim is checked on each GPU. The ratio is "
		"the time of the variant that the claim compares with (naive) divided by the time of the "
		"variant in the first column (tiled). If it is above 1, the variant in the first column "
		"is faster. The table of all claims has its 95&nbsp;% interval.</p>\n<ul>\n"
		"<li>holds: the whole interval is within the limits of the claim.</li>\n"
		"<li>does not hold: the whole interval is outside the limits.</li>\n"
		"<li>undecided: the interval contains a limit, the samples are noisy, or the device "
		"was throttled.</li>\n"
		"<li>n/a: one of the two variants has no time on this device at the size of the ladder.</li>\n</ul>\n"
		"<p>Claims are about GPUs, so CPUs are left out.</p>\n");
}

static bool put_section(
	struct page *page, const struct side_rows *rows, const struct claim_lines *lines)
{
	size_t hold = 0, open = 0;

	for (size_t i = 0; i < lines->count; i++) {
		hold += holds_everywhere(&lines->items[i]);
		open += !holds_everywhere(&lines->items[i]) &&
			*first_problem(&lines->items[i], page->side_count);
	}
	page_section_begin(page, "claims", "Claims of the book");
	put_introduction(page->out);
	put_counts(page, lines);
	html_markup(page->out, "<p>");
	html_format(page->out, "%zu %s on all devices with a verdict.%s", hold,
		hold == 1 ? "claim holds" : "claims hold",
		open ? " The table shows the others." : "");
	html_markup(page->out, "</p>\n");
	bool ok = !open || put_lines(page, lines, false);
	page_table_begin(page, "Table: all claims");
	ok = ok && put_lines(page, lines, true);
	page_table_end(page);
	put_other_sizes(page, rows);
	page_section_end(page);
	return ok;
}

bool section_claims(struct page *page)
{
	struct side_rows rows;
	struct claim_lines lines = {0};
	bool ok = side_rows_make(page, &rows), any = false;

	ok = ok && lines_make(page, &rows, &lines);
	for (size_t side = 0; side < page->side_count && ok; side++)
		any |= lines.shown[side];
	if (any)
		ok = put_section(page, &rows, &lines);
	lines_finish(&lines);
	side_rows_finish(&rows);
	return ok;
}
