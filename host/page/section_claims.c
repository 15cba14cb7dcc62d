#include <string.h>

#include "host/page/sections.h"

/* Returns the verdict about the claim of a row that the charts show. */
static int claim_of(const struct page_row *row)
{
	const struct claim_record *claim = &row->result->claim;

	return row->main && row->timed && claim->record.present && claim->text
		       ? (int)claim_record_verdict(claim)
		       : CLAIM_NOT_APPLICABLE;
}

/* Writes "NVIDIA H200, CUDA: 71 hold, 3 do not hold, 2 undecided" for each side with a verdict.
 * Returns the number of claims that do not hold or are undecided. */
static size_t put_counts(struct page *page)
{
	static const char *const words[] = {"hold", "do not hold", "undecided"};
	size_t open = 0;

	html_markup(page->out, "<ul>\n");
	for (size_t side = 0; side < page->side_count; side++) {
		size_t counts[CLAIM_VERDICT_COUNT] = {0}, all = 0;
		for (size_t i = 0; i < page->row_count; i++)
			if (page->rows[i].side == side && claim_of(&page->rows[i]) >= 0) {
				counts[claim_of(&page->rows[i])]++;
				all++;
			}
		if (all == 0)
			continue;
		open += all - counts[CLAIM_HOLDS];
		html_markup(page->out, "<li>");
		html_name(page->out, page->sides[side].name);
		for (size_t i = 0; i < CLAIM_VERDICT_COUNT; i++)
			html_format(page->out, "%s%zu %s", i ? ", " : ": ", counts[i], words[i]);
		html_markup(page->out, "</li>\n");
	}
	html_markup(page->out, "</ul>\n");
	return open;
}

/* Writes the claims that do not hold or are undecided. */
static void put_table(struct page *page)
{
	static const struct table_column columns[] = {{.title = "variant"}, {.title = "claim"},
		{.title = "device"}, {.title = "problem"}, {.title = "verdict"},
		{.title = "ratio of times"}};
	char observed[PAGE_CLAIM_BYTES];
	struct table table;

	table_init(&table, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < page->row_count; i++) {
		const struct page_row *row = &page->rows[i];
		if (claim_of(row) <= CLAIM_HOLDS)
			continue;
		page_format_claim(page, row, observed);
		table_row(&table, STYLE_PLAIN);
		table_format(&table, "%s/%s", page_family(page, row), row->label);
		table_text(&table, row->result->claim.text);
		table_text(&table, page->sides[row->side].name);
		table_text(&table, page->problems[row->problem].text);
		table_text(&table, claim_verdict_words[claim_of(row)]);
		table_text(&table, observed);
	}
	page_put_table(page, &table, "Claims that do not hold or are undecided");
}

void section_claims(struct page *page)
{
	bool any = false;

	for (size_t i = 0; i < page->row_count; i++)
		any |= claim_of(&page->rows[i]) >= 0;
	if (!any)
		return;
	html_markup(page->out,
		"<p>The book <em>Programming Massively Parallel Processors</em> and this program state "
		"what each technique gains, for example &ldquo;tiled &gt;= 1.2 x naive&rdquo;. The ratio "
		"is the time of the variant that the claim compares with (naive) divided by the time of "
		"the variant (tiled). A claim holds if the whole 95&nbsp;% interval of the ratio is "
		"within its limits, and does not hold if the whole interval is outside. Otherwise, or if "
		"the samples are noisy, it is undecided. The tables of the ladders have all claims. "
		"Claims are about GPUs, so CPUs are left out.</p>\n");
	if (put_counts(page))
		put_table(page);
}
