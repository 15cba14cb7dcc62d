#include "host/report/explain_page.h"

#include <string.h>

#include "host/report/explain_lines.h"
#include "host/report/explain_text.h"

#define TEXT_BYTES 900
#define SIDE_MAX_COLUMNS ((PAGE_MAX_COLUMNS - NAME_COLUMNS - 2) / 2)

/* Columns of each of the two sides. */
static int side_columns(const struct page_style *style)
{
	return (explain_text_columns(style) - NAME_COLUMNS - 4) / 2;
}

/* Prints the two texts side by side, each wrapped in its own column. */
static void put_pair(FILE *out, const struct page_style *style, enum style text_style,
	const char *name, const char *first, const char *second)
{
	const char *texts[2] = {first, second};

	for (;; name = "") {
		/* A long name leaves fewer columns for the first line of the first text. */
		int shift = explain_text_name_columns(name) - NAME_COLUMNS;
		char cells[2][4 * SIDE_MAX_COLUMNS + 1];
		int used = 0;
		for (int side = 0; side < 2; side++) {
			const char *line;
			int length = wrap_next(
				&texts[side], side_columns(style) - (side ? 0 : shift), &line);
			snprintf(cells[side], sizeof cells[side], "%.*s", length, line);
			used += length;
		}
		if (used == 0)
			return;
		explain_text_put_name(out, style, name);
		fputs(style_code(style->colour, text_style), out);
		format_put_padded(out, cells[0], *cells[1] ? side_columns(style) + 2 - shift : 0);
		fprintf(out, "%s%s\n", cells[1], style_code(style->colour, STYLE_PLAIN));
	}
}

/* first, second: NULL if the variant has fewer launches than the other variant. */
static void put_facts(FILE *out, const struct page_style *style,
	const struct explanation_record *first, const struct explanation_record *second,
	const struct fact *facts, size_t count)
{
	const struct explanation_record *const entries[2] = {first, second};
	char texts[2][TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		for (int side = 0; side < 2; side++) {
			*texts[side] = '\0';
			if (entries[side])
				facts[i].text(entries[side], texts[side], sizeof texts[side]);
		}
		/* An empty cell would look as if the text belonged to both columns. */
		if (*texts[0] || *texts[1])
			put_pair(out, style, STYLE_PLAIN, facts[i].name, *texts[0] ? texts[0] : "-",
				*texts[1] ? texts[1] : "-");
	}
}

static void open_text(const struct explanation_record *entry, char *text, size_t size)
{
	explain_text_checklist(entry, CHECK_OPEN, text, size);
}

static void unknown_text(const struct explanation_record *entry, char *text, size_t size)
{
	explain_text_checklist(entry, CHECK_UNKNOWN, text, size);
}

static void defects_text(const struct explanation_record *entry, char *text, size_t size)
{
	*text = '\0';
	if (entry->defects.count)
		explain_text_defect(&entry->defects.items[0], text, size);
}

static const struct fact head_facts[] = {{"DEFECT", defects_text}};
static const struct fact open_facts[] = {{"open", open_text}, {"unknown", unknown_text}};

static void put_heads(FILE *out, const struct explanation_record *first,
	const struct explanation_record *second, const struct page_style *style)
{
	const struct explanation_record *const entries[2] = {first, second};
	char names[2][160];
	char texts[2][TEXT_BYTES], files[2][TEXT_BYTES];

	for (int side = 0; side < 2; side++)
		explain_text_head(entries[side], names[side], sizeof names[side], texts[side],
			sizeof texts[side]);
	bool twins = strcmp(names[0], names[1]) == 0;
	for (int side = 0; side < 2; side++) {
		explain_text_file(entries[side], files[side], sizeof files[side]);
		/* "CUDA kernel cuda_kernels/..." */
		if (twins)
			snprintf(names[side] + strlen(names[side]),
				sizeof names[side] - strlen(names[side]), " (%.*s)",
				(int)strcspn(files[side], " "), files[side]);
	}
	put_pair(out, style, STYLE_BOLD, "", names[0], names[1]);
	put_pair(out, style, STYLE_PLAIN, "problem", texts[0], texts[1]);
	put_pair(out, style, STYLE_PLAIN, "file", files[0], files[1]);
	put_pair(out, style, STYLE_PLAIN, "technique", text_or_empty(first->technique),
		text_or_empty(second->technique));
	put_pair(out, style, STYLE_PLAIN, "idea", text_or_empty(first->idea),
		text_or_empty(second->idea));
}

static void put_all_lines(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style)
{
	char name[160];
	char text[TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		explain_text_head(&entries[i], name, sizeof name, text, sizeof text);
		fprintf(out, "%s%s%s\n", style_code(style->colour, STYLE_BOLD), name,
			style_code(style->colour, STYLE_PLAIN));
		launch_facts[0].text(&entries[i], text, sizeof text);
		explain_text_put_fact(out, style, STYLE_PLAIN, launch_facts[0].name, text);
		explain_lines_put(out, &entries[i], style);
	}
}

void explain_diff(FILE *out, const struct explanation_record *first, size_t first_count,
	const struct explanation_record *second, size_t second_count,
	const struct page_style *style)
{
	size_t launches = first_count > second_count ? first_count : second_count;

	put_heads(out, first, second, style);
	for (size_t i = 0; i < launches; i++) {
		const struct explanation_record *left = i < first_count ? &first[i] : NULL;
		const struct explanation_record *right = i < second_count ? &second[i] : NULL;
		put_facts(out, style, left, right, head_facts, 1);
		put_facts(out, style, left, right, launch_facts, launch_fact_count);
		put_facts(out, style, left, right, traced_facts, traced_fact_count);
	}
	put_facts(out, style, first, second, variant_facts, variant_fact_count);
	put_facts(out, style, first, second, open_facts, 2);
	fputc('\n', out);
	put_all_lines(out, first, first_count, style);
	fputc('\n', out);
	put_all_lines(out, second, second_count, style);
}
