#include "host/cli/explain_page.h"

#include <string.h>

#include "host/cli/explain_text.h"

#define TEXT_BYTES 900

/* Behind what fills so many columns but for two, and in columns of its own below. */
static void put_rest(FILE *out, const char *text, int used)
{
	const char *line;
	int length = text_wrap(&text, PAGE_COLUMNS - used, &line);

	for (int gap = 2; length > 0; gap = NAME_COLUMNS) {
		fprintf(out, "%*s%.*s\n", gap, "", length, line);
		length = text_wrap(&text, PAGE_COLUMNS - NAME_COLUMNS, &line);
	}
}

static void put_head(FILE *out, const json_t *entry, const struct page_style *style)
{
	char name[160];
	char text[TEXT_BYTES];
	const char *technique = row_text(entry, "technique");
	bool named = *technique && strcmp(technique, "-") != 0;

	explain_head(entry, name, sizeof name, text, sizeof text);
	fprintf(out, "%s%s%s", style_code(style->colour, STYLE_BOLD), name,
		style_code(style->colour, STYLE_PLAIN));
	put_rest(out, text, (int)strlen(name) + 2);
	snprintf(text, sizeof text, "%s%s%s", named ? technique : "", named ? ": " : "",
		row_text(entry, "idea"));
	put_fact(out, style, STYLE_PLAIN, "technique", text);
}

static void put_defects(FILE *out, const json_t *entry, const struct page_style *style)
{
	const json_t *defect;
	char text[TEXT_BYTES];
	size_t i;

	json_array_foreach(json_object_get(entry, "defects"), i, defect)
	{
		defect_text(defect, text, sizeof text);
		put_fact(out, style, STYLE_RED, "DEFECT", text);
	}
}

static void put_facts(FILE *out, const json_t *entry, const struct fact *facts, size_t count,
	const struct page_style *style)
{
	char text[TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		facts[i].text(entry, text, sizeof text);
		put_fact(out, style, STYLE_PLAIN, facts[i].name, text);
	}
}

/* What is open; with -v the checklist of six. */
static void put_checklist(FILE *out, const json_t *entry, const struct page_style *style)
{
	const json_t *checks = json_object_get(entry, "checklist");
	const char *name = style->verbose ? "checklist" : "open";
	const json_t *check;
	char text[TEXT_BYTES];
	size_t shown = 0;
	size_t i;

	json_array_foreach(checks, i, check)
	{
		bool open = strcmp(row_text(check, "state"), "open") == 0;
		if (!open && !style->verbose)
			continue;
		snprintf(text, sizeof text, "%s%s%s%s%s", row_text(check, "item"),
			style->verbose ? ", " : "", style->verbose ? row_text(check, "state") : "",
			*row_text(check, "text") ? ": " : "", row_text(check, "text"));
		put_fact(out, style, open ? STYLE_YELLOW : STYLE_PLAIN, shown++ ? "" : name, text);
	}
	if (style->verbose || json_array_size(checks) == 0)
		return;
	checklist_names(entry, "unknown", text, sizeof text);
	if (*text)
		put_fact(out, style, STYLE_PLAIN, "unknown", text);
	else if (shown == 0)
		put_fact(out, style, STYLE_GREEN, name, "nothing of the checklist of six");
}

void explain_page(FILE *out, const json_t *entries, const struct page_style *style)
{
	const json_t *first = json_array_get(entries, 0);
	const json_t *entry;
	size_t i;

	put_head(out, first, style);
	json_array_foreach(entries, i, entry) put_defects(out, entry, style);
	json_array_foreach(entries, i, entry)
	{
		if (i > 0)
			fputc('\n', out);
		put_facts(out, entry, launch_facts, launch_fact_count, style);
		put_lines(out, entry, style);
		put_facts(out, entry, traced_facts, traced_fact_count, style);
	}
	if (json_array_size(entries) > 1)
		fputc('\n', out);
	put_facts(out, first, variant_facts, variant_fact_count, style);
	put_checklist(out, first, style);
}

void explain_lost_page(FILE *out, const json_t *row, const struct page_style *style)
{
	const char *status = row_text(row, "status");
	char words[40];

	put_head(out, row, style);
	status_words(status, words, sizeof words);
	put_fact(out, style, word_style(status), words, row_text(row, "reason"));
}
