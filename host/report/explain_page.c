#include "host/report/explain_page.h"

#include <string.h>

#include "host/report/explain_lines.h"
#include "host/report/explain_text.h"

#define TEXT_BYTES 900

/* Prints the text after `used - 2` printed columns of the first line. Further lines are indented.
 */
static void put_rest(FILE *out, const struct page_style *style, const char *text, int used)
{
	const char *line;
	int columns = explain_text_columns(style);
	int length = wrap_next(&text, columns - used, &line);

	for (int gap = 2; length > 0; gap = NAME_COLUMNS) {
		fprintf(out, "%*s%.*s\n", gap, "", length, line);
		length = wrap_next(&text, columns - NAME_COLUMNS, &line);
	}
}

static void put_head(
	FILE *out, const struct explanation_record *entry, const struct page_style *style)
{
	char name[160];
	char text[TEXT_BYTES];
	const char *technique = text_or_empty(entry->technique);
	bool named = *technique && strcmp(technique, "-") != 0;

	explain_text_head(entry, name, sizeof name, text, sizeof text);
	fprintf(out, "%s%s%s", style_code(style->colour, STYLE_BOLD), name,
		style_code(style->colour, STYLE_PLAIN));
	put_rest(out, style, text, (int)strlen(name) + 2);
	snprintf(text, sizeof text, "%s%s%s", named ? technique : "", named ? ": " : "",
		text_or_empty(entry->idea));
	explain_text_put_fact(out, style, STYLE_PLAIN, "technique", text);
}

static void put_defects(
	FILE *out, const struct explanation_record *entry, const struct page_style *style)
{
	char text[TEXT_BYTES];

	for (size_t i = 0; i < entry->defects.count; i++) {
		explain_text_defect(&entry->defects.items[i], text, sizeof text);
		explain_text_put_fact(out, style, STYLE_RED, "DEFECT", text);
	}
}

static void put_facts(FILE *out, const struct explanation_record *entry, const struct fact *facts,
	size_t count, const struct page_style *style)
{
	char text[TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		facts[i].text(entry, text, sizeof text);
		explain_text_put_fact(out, style, STYLE_PLAIN, facts[i].name, text);
	}
}

/* Prints the open items of the checklist; with -v all items. */
static void put_checklist(
	FILE *out, const struct explanation_record *entry, const struct page_style *style)
{
	const char *name = style->verbose ? "checklist" : "open";
	char text[TEXT_BYTES];
	size_t shown = 0;

	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		bool open = check->state == CHECK_OPEN;
		if (!open && !style->verbose)
			continue;
		snprintf(text, sizeof text, "%s%s%s%s%s", word_text(check_item_words, check->item),
			style->verbose ? ", " : "",
			style->verbose ? word_text(check_state_words, check->state) : "",
			check->text ? ": " : "", text_or_empty(check->text));
		explain_text_put_fact(
			out, style, open ? STYLE_YELLOW : STYLE_PLAIN, shown++ ? "" : name, text);
	}
	if (style->verbose || entry->checklist.count == 0)
		return;
	explain_text_checklist(entry, CHECK_UNKNOWN, text, sizeof text);
	if (*text)
		explain_text_put_fact(out, style, STYLE_PLAIN, "unknown", text);
	else if (shown == 0)
		explain_text_put_fact(out, style, STYLE_GREEN, name, "no item of the checklist");
}

void explain_page(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style)
{
	put_head(out, &entries[0], style);
	for (size_t i = 0; i < count; i++)
		put_defects(out, &entries[i], style);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			fputc('\n', out);
		put_facts(out, &entries[i], launch_facts, launch_fact_count, style);
		explain_lines_put(out, &entries[i], style);
		put_facts(out, &entries[i], traced_facts, traced_fact_count, style);
	}
	if (count > 1)
		fputc('\n', out);
	put_facts(out, &entries[0], variant_facts, variant_fact_count, style);
	put_checklist(out, &entries[0], style);
}

void explain_lost_page(
	FILE *out, const struct explanation_record *record, const struct page_style *style)
{
	char words[40];

	put_head(out, record, style);
	format_status(record->status, words, sizeof words);
	explain_text_put_fact(out, style, format_status_style(record->status), words,
		text_or_empty(record->reason));
}
