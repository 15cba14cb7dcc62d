#include "host/page/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"

/* ---- Data ------------------------------------------------------------------------------------ */

size_t page_device(const struct page *page, const struct page_row *row)
{
	return page->sides[row->side].device;
}

const char *page_device_name(const struct page *page, size_t device)
{
	size_t side = 0;

	while (page->sides[side].device != device)
		side++;
	return page->sides[side].device_name;
}

const char *page_family(const struct page *page, const struct page_row *row)
{
	return page->families[page->problems[row->problem].family].name;
}

const char *page_step_base(const struct page *page, const struct page_row *row)
{
	const struct family *family = family_find(page_family(page, row));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(row->compared->variant)) : NULL;

	return variant ? variant->base : NULL;
}

enum claim_verdict page_claim(const struct page_row *row)
{
	const struct claim_record *claim = &row->result->claim;

	return row->timed && claim->record.present && claim->text ? claim_record_verdict(claim)
								  : CLAIM_NOT_APPLICABLE;
}

/* ---- Parts of the page ----------------------------------------------------------------------- */

void page_table_number(struct table *table, double value, const char *unit)
{
	char text[32];

	format_number(value, text, sizeof text);
	if (!(value > 0) || isinf(value)) {
		table_text(table, "");
		return;
	}
	table_format(table, "%s%s%s", text, *unit ? " " : "", unit)->value = value;
}

void page_put_table(struct page *page, struct table *table, const char *caption, bool folded)
{
	page->failed |= table->failed;
	if (table->row_count && folded)
		html_format(page->out, "<details><summary>Table: %.300s</summary>\n", caption);
	if (table->row_count)
		table_put_html(table, page->out, caption);
	html_markup(page->out, table->row_count && folded ? "</details>\n" : "");
	table_finish(table);
}
