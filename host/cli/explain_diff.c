#include "host/cli/explain_page.h"

#include <string.h>

#include "host/cli/explain_text.h"

#define TEXT_BYTES 900
#define SIDE_COLUMNS 42

/* The two texts in columns, each wrapped in its own. */
static void put_pair(FILE *out, const struct page_style *style, const char *name, const char *first,
	const char *second)
{
	const char *texts[2] = {first, second};

	for (;; name = "") {
		char cells[2][4 * SIDE_COLUMNS + 1];
		int used = 0;
		for (int side = 0; side < 2; side++) {
			const char *line;
			int length = text_wrap(&texts[side], SIDE_COLUMNS, &line);
			snprintf(cells[side], sizeof cells[side], "%.*s", length, line);
			used += length;
		}
		if (used == 0)
			return;
		fputs(style_code(style->colour, STYLE_DIM), out);
		put_padded(out, name, NAME_COLUMNS);
		fputs(style_code(style->colour, STYLE_PLAIN), out);
		put_padded(out, cells[0], *cells[1] ? SIDE_COLUMNS + 2 : 0);
		fprintf(out, "%s\n", cells[1]);
	}
}

static void put_facts(FILE *out, const struct page_style *style, const json_t *first,
	const json_t *second, const struct fact *facts, size_t count)
{
	char texts[2][TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		facts[i].text(first, texts[0], sizeof texts[0]);
		facts[i].text(second, texts[1], sizeof texts[1]);
		/* A cell without a word would look like the other one's. */
		if (*texts[0] || *texts[1])
			put_pair(out, style, facts[i].name, *texts[0] ? texts[0] : "-",
				*texts[1] ? texts[1] : "-");
	}
}

static void open_text(const json_t *entry, char *text, size_t size)
{
	checklist_names(entry, "open", text, size);
}

static void unknown_text(const json_t *entry, char *text, size_t size)
{
	checklist_names(entry, "unknown", text, size);
}

static void defects_text(const json_t *entry, char *text, size_t size)
{
	const json_t *defects = json_object_get(entry, "defects");

	*text = '\0';
	if (json_array_size(defects))
		defect_text(json_array_get(defects, 0), text, size);
}

static const struct fact head_facts[] = {{"DEFECT", defects_text}};
static const struct fact open_facts[] = {{"open", open_text}, {"unknown", unknown_text}};

static void put_heads(
	FILE *out, const json_t *first, const json_t *second, const struct page_style *style)
{
	const json_t *const entries[2] = {first, second};
	char names[2][160];
	char texts[2][TEXT_BYTES];

	for (int side = 0; side < 2; side++)
		explain_head(entries[side], names[side], sizeof names[side], texts[side],
			sizeof texts[side]);
	fputs(style_code(style->colour, STYLE_BOLD), out);
	put_padded(out, "", NAME_COLUMNS);
	put_padded(out, names[0], SIDE_COLUMNS + 2);
	fprintf(out, "%s%s\n", names[1], style_code(style->colour, STYLE_PLAIN));
	put_pair(out, style, "problem", texts[0], texts[1]);
	put_pair(out, style, "technique", row_text(first, "technique"),
		row_text(second, "technique"));
	put_pair(out, style, "idea", row_text(first, "idea"), row_text(second, "idea"));
}

static void put_all_lines(FILE *out, const json_t *entries, const struct page_style *style)
{
	const json_t *entry;
	char name[160];
	char text[TEXT_BYTES];
	size_t i;

	json_array_foreach(entries, i, entry)
	{
		explain_head(entry, name, sizeof name, text, sizeof text);
		fprintf(out, "%s%s%s\n", style_code(style->colour, STYLE_BOLD), name,
			style_code(style->colour, STYLE_PLAIN));
		launch_facts[0].text(entry, text, sizeof text);
		put_fact(out, style, STYLE_PLAIN, launch_facts[0].name, text);
		put_lines(out, entry, style);
	}
}

void explain_diff(
	FILE *out, const json_t *first, const json_t *second, const struct page_style *style)
{
	const json_t *a = json_array_get(first, 0);
	const json_t *b = json_array_get(second, 0);
	size_t launches = json_array_size(first);

	if (json_array_size(second) > launches)
		launches = json_array_size(second);
	put_heads(out, a, b, style);
	for (size_t i = 0; i < launches; i++) {
		const json_t *left = json_array_get(first, i);
		const json_t *right = json_array_get(second, i);
		put_facts(out, style, left, right, head_facts, 1);
		put_facts(out, style, left, right, launch_facts, launch_fact_count);
		put_facts(out, style, left, right, traced_facts, traced_fact_count);
	}
	put_facts(out, style, a, b, variant_facts, variant_fact_count);
	put_facts(out, style, a, b, open_facts, 2);
	fputc('\n', out);
	put_all_lines(out, first, style);
	fputc('\n', out);
	put_all_lines(out, second, style);
}
