#include "host/page/section.h"

#include <math.h>
#include <string.h>

#include "common/family.h"
#include "host/report/format.h"

/* ---- Data ------------------------------------------------------------------------------------ */

const char *page_device_name(const struct page *page, size_t device)
{
	size_t side = 0;

	while (page->sides[side].device != device)
		side++;
	return page->sides[side].device_name;
}

const char *page_file_name(const struct compared_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return file->name ? file->name : slash ? slash + 1 : file->path;
}

const char *page_family(const struct page *page, const struct page_row *row)
{
	return page->families[page->problems[row->problem].family].name;
}

size_t page_family_rows(const struct page *page, size_t family, size_t *ret_first)
{
	const struct page_family *of = &page->families[family];
	const struct page_problem *last = &page->problems[of->end - 1];

	*ret_first = page->problems[of->first].first;
	return last->first + last->count;
}

const struct page_row *page_fastest(const struct page *page, size_t family, size_t device)
{
	const struct page_row *best = NULL;
	size_t i, end = page_family_rows(page, family, &i);

	for (; i < end; i++) {
		const struct page_row *row = &page->rows[i];
		if (row->main && row->timed && page->sides[row->side].device == device &&
			!row->compared->peer &&
			variant_solves_family(page->families[family].name,
				text_or_empty(row->compared->variant)) &&
			(!best || row->cell->median_ns < best->cell->median_ns))
			best = row;
	}
	return best;
}

/* ---- Parts of the page ----------------------------------------------------------------------- */

void page_heading(struct page *page, const char *name)
{
	html_markup(page->out, "<h3>");
	html_name(page->out, name);
	html_markup(page->out, "</h3>\n");
}

void page_chart(struct page *page, const char *draw, const char *first, size_t first_value,
	const char *second, size_t second_value)
{
	fprintf(page->out, "<figure class=\"chart\" data-draw=\"%s\"", draw);
	if (first)
		fprintf(page->out, " data-%s=\"%zu\"", first, first_value);
	if (second)
		fprintf(page->out, " data-%s=\"%zu\"", second, second_value);
	html_markup(page->out, "></figure>\n");
}

void page_table_begin(struct page *page, const char *summary)
{
	html_markup(page->out, "<details><summary>");
	html_title(page->out, summary);
	html_markup(page->out, "</summary>\n");
}

void page_table_end(struct page *page)
{
	html_markup(page->out, "</details>\n");
}

void page_table_row(struct page *page, struct table *table, const struct page_row *row)
{
	struct table_row *made = table_row(table, STYLE_PLAIN);

	if (made)
		snprintf(made->id, sizeof made->id, "r%zu", (size_t)(row - page->rows));
}

void page_table_number(struct table *table, double value, const char *unit)
{
	char text[32];

	format_number(value, text, sizeof text);
	if (!(value > 0) || isinf(value)) {
		table_text(table, "");
		return;
	}
	struct table_cell *cell = table_format(table, "%s%s%s", text, *unit ? " " : "", unit);
	if (cell)
		cell->value = value;
}

void page_put_table(struct page *page, struct table *table, const char *caption)
{
	page->failed |= table->failed;
	table_put_html(table, page->out, caption);
	table_finish(table);
}

void page_format_flags(unsigned flags, char ret_text[PAGE_FLAGS_BYTES])
{
	size_t used = 0;

	*ret_text = '\0';
	for (unsigned i = 0; timing_flag_words[i]; i++)
		if (flags & 1u << i)
			used += (size_t)snprintf(ret_text + used, PAGE_FLAGS_BYTES - used, "%s%s",
				used ? ", " : "", timing_flag_words[i]);
}

static const struct variant *variant_of(const struct page *page, const struct page_row *row)
{
	const struct family *family = family_find(page_family(page, row));

	return family ? variant_find(family, text_or_empty(row->compared->variant)) : NULL;
}

const char *page_step_base(const struct page *page, const struct page_row *row)
{
	const struct variant *variant = variant_of(page, row);

	return variant ? variant->base : NULL;
}

const char *page_claim_base(const struct page *page, const struct page_row *row)
{
	const struct variant *variant = variant_of(page, row);

	return variant && variant->claim.over ? variant->claim.over : page_step_base(page, row);
}

void page_format_claim(
	const struct page *page, const struct page_row *row, char ret_text[PAGE_CLAIM_BYTES])
{
	const struct claim_record *claim = &row->result->claim;
	const char *base = page_claim_base(page, row);
	char interval[64] = "";

	*ret_text = '\0';
	if (isfinite(claim->ci95[0]) && isfinite(claim->ci95[1]))
		snprintf(
			interval, sizeof interval, " [%.4g, %.4g]", claim->ci95[0], claim->ci95[1]);
	if (isfinite(claim->observed))
		snprintf(ret_text, PAGE_CLAIM_BYTES, "%.4g%s%s%s", claim->observed, interval,
			base ? " x of " : "", text_or_empty(base));
}
