#include <stdlib.h>
#include <string.h>

#include "host/page/sections.h"

/* A claim at a main problem, and its row on each side; NULL: none with a verdict. */
struct claim_line {
	const struct page_row *cells[COMPARE_MAX_SIDES];
	const struct page_row *first;
	size_t counts[CLAIM_VERDICT_COUNT];
};

static int claim_of(const struct page_row *row)
{
	const struct claim_record *claim = &row->result->claim;

	return row->main && row->timed && claim->record.present && claim->text
		       ? (int)claim_record_verdict(claim)
		       : CLAIM_NOT_APPLICABLE;
}

/* Adds a row to the line of its variant. Returns the number of lines. */
static size_t add_row(
	const struct page *page, struct claim_line *lines, size_t count, const struct page_row *row)
{
	struct claim_line *line = lines;

	while (line < lines + count &&
		(strcmp(line->first->label, row->label) != 0 ||
			page_family(page, line->first) != page_family(page, row)))
		line++;
	if (!line->first)
		line->first = row;
	if (!line->cells[row->side])
		line->counts[claim_of(row)]++;
	line->cells[row->side] = row;
	return line == lines + count ? count + 1 : count;
}

static void put_cell(
	const struct page *page, struct table *table, const struct page_row *row, size_t usual)
{
	char observed[PAGE_CLAIM_BYTES];

	if (!row) {
		table_text(table, "n/a");
		return;
	}
	page_format_claim(&row->result->claim, observed);
	bool other = row->problem != usual;
	table_format(table, "%s%s%s%s%s", claim_verdict_words[claim_of(row)], *observed ? ": " : "",
		observed, other ? " at " : "", other ? page->problems[row->problem].text : "");
}

/* Writes the claims that do not hold on all sides. */
static void put_table(
	struct page *page, const struct claim_line *lines, size_t count, const bool *shown)
{
	static const struct table_column columns[] = {{.title = "variant"}, {.title = "claim"}};
	struct table table;

	table_init(&table, columns, 2);
	for (size_t side = 0; side < page->side_count; side++)
		if (shown[side])
			table_add_column(&table, &(struct table_column){.key = "side",
							 .title = page->sides[side].name});
	for (const struct claim_line *line = lines; line < lines + count; line++) {
		if (!line->counts[CLAIM_FAILS] && !line->counts[CLAIM_UNDECIDED])
			continue;
		table_row(&table, STYLE_PLAIN);
		table_format(&table, "%s/%s", page_family(page, line->first), line->first->label);
		table_text(&table, line->first->result->claim.text);
		for (size_t side = 0; side < page->side_count; side++)
			if (shown[side])
				put_cell(page, &table, line->cells[side], line->first->problem);
	}
	page_put_table(page, &table,
		"Claims that do not hold on all devices, and the measured ratio of times");
}

/* Writes "NVIDIA H200, CUDA: 71 hold, 3 do not hold, 2 undecided." for each side. */
static void put_counts(
	struct page *page, const struct claim_line *lines, size_t count, const bool *shown)
{
	static const char *const words[] = {"hold", "do not hold", "undecided"};

	html_markup(page->out, "<ul>\n");
	for (size_t side = 0; side < page->side_count; side++) {
		size_t counts[CLAIM_VERDICT_COUNT] = {0};
		if (!shown[side])
			continue;
		for (size_t i = 0; i < count; i++)
			if (lines[i].cells[side])
				counts[claim_of(lines[i].cells[side])]++;
		html_markup(page->out, "<li>");
		html_name(page->out, page->sides[side].name);
		for (size_t i = 0; i < CLAIM_VERDICT_COUNT; i++)
			html_format(page->out, "%s%zu %s", i ? ", " : ": ", counts[i], words[i]);
		html_markup(page->out, "</li>\n");
	}
	html_markup(page->out, "</ul>\n");
}

static void put_section(
	struct page *page, const struct claim_line *lines, size_t count, const bool *shown)
{
	size_t hold = 0;

	for (size_t i = 0; i < count; i++)
		hold += !lines[i].counts[CLAIM_FAILS] && !lines[i].counts[CLAIM_UNDECIDED];
	html_markup(page->out,
		"<p>The book <em>Programming Massively Parallel Processors</em> and this program state "
		"what each technique gains, for example &ldquo;tiled &gt;= 1.2 x naive&rdquo;. The ratio "
		"is the time of the variant that the claim compares with (naive) divided by the time of "
		"the variant (tiled). A claim holds if the whole 95&nbsp;% interval of the ratio is "
		"within its limits, and does not hold if the whole interval is outside. Otherwise, or if "
		"the samples are noisy, it is undecided. The tables of the ladders have all claims. "
		"Claims are about GPUs, so CPUs are left out.</p>\n");
	put_counts(page, lines, count, shown);
	html_markup(page->out, "<p>");
	html_format(page->out, "%zu of %zu claims hold on all devices with a verdict.%s", hold,
		count, hold < count ? " The table shows the others." : "");
	html_markup(page->out, "</p>\n");
	if (hold < count)
		put_table(page, lines, count, shown);
}

void section_claims(struct page *page)
{
	struct claim_line *lines = calloc(page->row_count + 1, sizeof *lines);
	bool shown[COMPARE_MAX_SIDES] = {false};
	size_t count = 0;

	page->failed |= !lines;
	for (size_t i = 0; lines && i < page->row_count; i++)
		if (claim_of(&page->rows[i]) != CLAIM_NOT_APPLICABLE) {
			count = add_row(page, lines, count, &page->rows[i]);
			shown[page->rows[i].side] = true;
		}
	if (count)
		put_section(page, lines, count, shown);
	free(lines);
}
