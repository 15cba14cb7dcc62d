#include "host/page/parts.h"

#include "common/array.h"

#include <stdlib.h>
#include <string.h>

#include "host/page/figure.h"

/* Adds an insertion at the end of the text so far. */
static bool add_place(struct page *page, enum place_kind kind, size_t chart)
{
	struct page_parts *parts = page->parts;
	struct page_place *larger =
		array_resize(parts->places, parts->place_count + 1, sizeof *larger);

	if (larger)
		parts->places = larger;
	if (!larger || fflush(page->out) != 0) {
		parts->failed = true;
		return false;
	}
	parts->places[parts->place_count++] =
		(struct page_place){.kind = kind, .offset = parts->length, .chart = chart};
	return true;
}

bool page_chart(struct page *page, struct chart *chart)
{
	struct page_parts *parts = page->parts;
	struct chart *larger = array_resize(parts->charts, parts->chart_count + 1, sizeof *larger);

	if (!larger)
		return false;
	parts->charts = larger;
	if (!add_place(page, PLACE_CHART, parts->chart_count))
		return false;
	parts->charts[parts->chart_count++] = *chart;
	chart_init(chart);
	return true;
}

void page_table_begin(struct page *page, const char *summary)
{
	html_markup(page->out, "<details");
	add_place(page, PLACE_OPEN, 0);
	html_markup(page->out, "><summary>");
	html_title(page->out, summary);
	html_markup(page->out, "</summary>\n");
}

void page_table_end(struct page *page)
{
	html_markup(page->out, "</details>\n");
}

void page_section_begin(struct page *page, const char *id, const char *heading)
{
	struct page_parts *parts = page->parts;
	struct page_heading *larger =
		array_resize(parts->headings, parts->heading_count + 1, sizeof *larger);

	html_markup(page->out, "<section");
	html_attribute(page->out, "id", id);
	html_markup(page->out, ">\n<h2>");
	html_text(page->out, heading);
	html_markup(page->out, "</h2>\n");
	if (!larger) {
		parts->failed = true;
		return;
	}
	parts->headings = larger;
	larger[parts->heading_count++] = (struct page_heading){strdup(id), strdup(heading)};
	parts->failed |=
		!larger[parts->heading_count - 1].id || !larger[parts->heading_count - 1].text;
}

void page_section_end(struct page *page)
{
	html_markup(page->out, "</section>\n");
}

void page_put_sign(const struct page *page, size_t side)
{
	const struct chart_series series = {.tint = page->sides[side].tint,
		.mark = page->sides[side].mark,
		.shape = CHART_POINTS};

	figure_put_sign(&series, page->out);
}

void page_parts_finish(struct page_parts *parts)
{
	for (size_t i = 0; i < parts->chart_count; i++)
		chart_finish(&parts->charts[i]);
	for (size_t i = 0; i < parts->heading_count; i++) {
		free(parts->headings[i].id);
		free(parts->headings[i].text);
	}
	free(parts->text);
	free(parts->places);
	free(parts->charts);
	free(parts->headings);
	free(parts->results);
}

void page_put_flags(struct html_table *table, unsigned flags)
{
	char text[128] = "";
	size_t used = 0;

	for (unsigned i = 0; timing_flag_words[i] && used < sizeof text; i++)
		if (flags & 1u << i)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
				used ? ", " : "", timing_flag_words[i]);
	html_cell(table, text);
}
