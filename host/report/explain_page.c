#include "host/report/explain_page.h"

#include "host/report/explain_notes.h"
#include "host/report/explain_text.h"
#include "host/report/format.h"
#include "host/report/wrap.h"

#include <stdlib.h>

#define NAME_COLUMNS 12   /* for the name of a fact */
#define MAX_COLUMNS 160   /* longer lines are hard to read */
#define NUMBER_COLUMNS 7  /* for the number of a line */
#define SOURCE_COLUMNS 72 /* for the text of a line, at most */
/* Maximum number of notes, so that a page fits one screen. If there are more, the notes without a
 * finding are left out. If there are still more, notes of lines that at least half of the lanes run
 * are also left out. */
#define MAX_NOTES 22

struct explain_page {
	FILE *out;
	const struct page_style *style;
	const struct explained_variant *variants;
	size_t count; /* of variants: 1 or 2 */
	int columns;
};

/* ---- Columns ------------------------------------------------------------------------------- */

/* Prints the name in its columns, and beside it the texts (as many as variants), each wrapped in its own
 * column. A longer name leaves fewer columns for the first line. Prints nothing for empty texts. */
static void put_columns(const struct explain_page *page, const char *name, enum style name_style,
	int name_columns, const char *const *texts, size_t count, enum style text_style)
{
	const bool colour = page->style->colour;
	const char *rest[2] = {texts[0], texts[count - 1]};
	int columns = (page->columns - name_columns - (count == 2 ? 4 : 0)) / (int)count;

	for (;; name = "") {
		int more = wrap_columns(name) + 2 - name_columns;
		int used = 0;
		char cells[2][4 * MAX_COLUMNS + 1] = {""};
		more = more > 0 ? more : 0;
		for (size_t i = 0; i < count; i++) {
			const char *line;
			int length = wrap_next(&rest[i], columns - (i ? 0 : more), &line);
			snprintf(cells[i], sizeof cells[i], "%.*s", length, line);
			used += length;
		}
		if (used == 0 && !*name)
			return;
		fputs(style_code(colour, name_style), page->out);
		format_put_padded(page->out, name, name_columns + more);
		fprintf(page->out, "%s%s", style_code(colour, STYLE_PLAIN),
			style_code(colour, text_style));
		format_put_padded(page->out, cells[0], *cells[1] ? columns + 2 - more : 0);
		fprintf(page->out, "%s%s\n", cells[1], style_code(colour, STYLE_PLAIN));
	}
}

static void put_text(
	const struct explain_page *page, const char *name, const char *text, enum style text_style)
{
	put_columns(page, name, STYLE_DIM, NAME_COLUMNS, &text, 1, text_style);
}

/* Prints a fact of the launch of number `launch`, from 0. An empty text beside another one is printed as
 * "-". */
static void put_fact(const struct explain_page *page, size_t launch, const char *name, fact_fn *put,
	enum style text_style)
{
	char *texts[2] = {NULL, NULL};
	const char *shown[2];
	bool any = false;

	for (size_t i = 0; i < page->count; i++) {
		if (launch < page->variants[i].count)
			texts[i] = explain_text(put, &page->variants[i].entries[launch]);
		any |= *text_or_empty(texts[i]) != '\0';
		shown[i] = *text_or_empty(texts[i]) ? texts[i] : "-";
	}
	if (any)
		put_columns(page, name, STYLE_DIM, NAME_COLUMNS, shown, page->count, text_style);
	free(texts[0]);
	free(texts[1]);
}

static void put_facts(const struct explain_page *page, size_t launch, const struct fact *facts)
{
	for (; facts->name; facts++)
		put_fact(page, launch, facts->name, facts->put, STYLE_PLAIN);
}

/* ---- Notes of a launch --------------------------------------------------------------------- */

static void put_note(const struct explain_page *page, const struct explain_note *note, bool first)
{
	/* The source text takes two fifths of the page. */
	int columns = (page->columns - NUMBER_COLUMNS - 2) * 2 / 5;
	char source[4 * SOURCE_COLUMNS + 8], left[sizeof source + 24] = "", times[24] = "";
	char *text = NULL;

	columns = columns < SOURCE_COLUMNS ? columns : SOURCE_COLUMNS;
	wrap_cut(note->source, columns, source, sizeof source);
	if (first)
		snprintf(left, sizeof left, "%5lld  %s", (long long)note->line, source);
	if (note->times > 1)
		snprintf(times, sizeof times, "%ux ", note->times);
	text_format(&text, "%s%s", times, text_or_empty(note->text));
	put_columns(page, left, STYLE_PLAIN, NUMBER_COLUMNS + columns + 2,
		(const char *const[]){text_or_empty(text)}, 1,
		note->weight > NOTE_QUIET ? STYLE_YELLOW : STYLE_PLAIN);
	if (page->style->verbose && note->detail)
		put_columns(page, "", STYLE_PLAIN, NUMBER_COLUMNS + columns + 4,
			(const char *const[]){note->detail}, 1, STYLE_DIM);
	free(text);
}

static void put_count(const struct explain_page *page, size_t count, const char *what)
{
	if (count)
		fprintf(page->out, "       %zu note%s %s\n", count, count == 1 ? "" : "s", what);
}

/* Prints the lines of the kernel that have notes, each with its notes to its right. */
static void put_notes(const struct explain_page *page, const struct explanation_record *entry)
{
	struct explain_notes notes = explain_notes_make(entry, page->style->verbose);
	size_t of[NOTE_BAD + 1] = {0}, shown = notes.count;
	int64_t line = 0;

	for (size_t i = 0; i < notes.count; i++)
		of[notes.items[i].weight]++;
	enum note_weight least = NOTE_QUIET;
	while (!page->style->verbose && shown > MAX_NOTES && least < NOTE_BAD)
		shown -= of[least++];
	if (shown && entry->file) {
		fputs(style_code(page->style->colour, STYLE_DIM), page->out);
		explain_put_file(page->out, entry);
		fprintf(page->out, "%s\n", style_code(page->style->colour, STYLE_PLAIN));
	}
	for (size_t i = 0; i < notes.count; i++) {
		if (notes.items[i].weight < least)
			continue;
		put_note(page, &notes.items[i], notes.items[i].line != line);
		line = notes.items[i].line;
	}
	put_count(page, least > NOTE_QUIET ? of[NOTE_QUIET] : 0,
		"without a finding: -v shows all notes");
	put_count(page, least > NOTE_MINOR ? of[NOTE_MINOR] : 0,
		"of lines that at least half of the lanes run: not shown");
	explain_notes_finish(&notes);
}

/* ---- Pages --------------------------------------------------------------------------------- */

/* "scan/naive  title, sizes, macros" */
static void put_title(const struct explain_page *page, const struct explanation_record *entry)
{
	char *name = explain_text(explain_put_name, entry);
	char *problem = explain_text(explain_put_problem, entry);

	put_columns(page, text_or_empty(name), STYLE_BOLD, NAME_COLUMNS,
		(const char *const[]){text_or_empty(problem)}, 1, STYLE_PLAIN);
	free(name);
	free(problem);
}

static void put_head(const struct explain_page *page)
{
	if (page->count == 1) {
		put_title(page, page->variants->entries);
	} else {
		put_fact(page, 0, "", explain_put_name, STYLE_BOLD);
		put_fact(page, 0, "problem", explain_put_problem, STYLE_PLAIN);
		put_fact(page, 0, "file", explain_put_file, STYLE_PLAIN);
	}
	put_fact(page, 0, "technique", explain_put_technique, STYLE_PLAIN);
}

/* Prints the open items of the checklist; with -v all items. */
static void put_checklist(const struct explain_page *page, const struct explanation_record *entry)
{
	bool all = page->style->verbose, none = true;

	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		bool open = check->state == CHECK_OPEN;
		char *text = NULL;
		if (!open && !all)
			continue;
		text_format(&text, "%s%s%s%s%s", word_text(check_item_words, check->item),
			all ? ", " : "", all ? word_text(check_state_words, check->state) : "",
			check->text ? ": " : "", text_or_empty(check->text));
		put_text(page,
			!none ? ""
			: all ? "checklist"
			      : "open",
			text_or_empty(text), open ? STYLE_YELLOW : STYLE_PLAIN);
		none = false;
		free(text);
	}
	for (size_t i = 0; i < entry->checklist.count && none; i++)
		none = entry->checklist.items[i].state != CHECK_UNKNOWN;
	if (!all)
		put_fact(page, 0, "unknown", explain_put_unknown, STYLE_PLAIN);
	if (!all && none && entry->checklist.count)
		put_text(page, "open", "no item of the checklist", STYLE_GREEN);
}

/* The notes of two variants are too wide for two columns. */
static void put_both_notes(const struct explain_page *page)
{
	for (size_t v = 0; v < page->count; v++) {
		struct explain_page one = *page;
		one.variants = &page->variants[v];
		one.count = 1;
		fputc('\n', page->out);
		for (size_t i = 0; i < one.variants->count; i++) {
			put_title(&one, &one.variants->entries[i]);
			put_fact(&one, i, launch_facts->name, launch_facts->put, STYLE_PLAIN);
			put_notes(&one, &one.variants->entries[i]);
		}
	}
}

static void put_launch(const struct explain_page *page, size_t launch)
{
	if (launch > 0 && page->count == 1)
		fputc('\n', page->out);
	put_facts(page, launch, launch_facts);
	if (page->count == 1)
		put_notes(page, &page->variants[0].entries[launch]);
	put_facts(page, launch, traced_facts);
}

void explain_page(FILE *out, const struct explained_variant *variants, size_t count,
	const struct page_style *style)
{
	const struct explanation_record *entry = variants[0].entries;
	int width = style->width ? style->width : EXPLAIN_PAGE_COLUMNS;
	const struct explain_page page = {
		out, style, variants, count, width < MAX_COLUMNS ? width : MAX_COLUMNS};
	size_t launches = variants[0].count;
	char words[40];

	if (count == 2 && variants[1].count > launches)
		launches = variants[1].count;
	put_head(&page);
	if (count == 1 && entry->status >= 0) {
		format_status(entry->status, words, sizeof words);
		put_text(&page, words, text_or_empty(entry->reason),
			format_status_style(entry->status));
		return;
	}
	for (size_t i = 0; i < launches; i++)
		put_fact(&page, i, "DEFECT", explain_put_defects, STYLE_RED);
	for (size_t i = 0; i < launches; i++)
		put_launch(&page, i);
	if (launches > 1 && count == 1)
		fputc('\n', out);
	put_facts(&page, 0, variant_facts);
	if (count == 1) {
		put_checklist(&page, entry);
		return;
	}
	put_fact(&page, 0, "open", explain_put_open, STYLE_PLAIN);
	put_fact(&page, 0, "unknown", explain_put_unknown, STYLE_PLAIN);
	put_both_notes(&page);
}
