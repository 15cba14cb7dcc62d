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
	int columns;
};

/* Prints the name in its columns, and beside it the text, wrapped. A longer name leaves fewer columns for
 * the first line. */
static void put_columns(const struct explain_page *page, const char *name, enum style name_style,
	int name_columns, const char *text, enum style text_style)
{
	const bool colour = page->style->colour;
	const char *line;

	for (;; name = "") {
		int more = wrap_columns(name) + 2 - name_columns;
		int used = name_columns + (more > 0 ? more : 0);
		int length = wrap_next(&text, page->columns - used, &line);
		if (length == 0 && !*name)
			return;
		fputs(style_code(colour, name_style), page->out);
		format_put_padded(page->out, name, used);
		fprintf(page->out, "%s%s%.*s%s\n", style_code(colour, STYLE_PLAIN),
			style_code(colour, text_style), length, line,
			style_code(colour, STYLE_PLAIN));
	}
}

static void put_fact(void *context, const char *name, const char *text, enum style style)
{
	const struct explain_page *page = context;

	if (!*name && !*text)
		fputc('\n', page->out);
	put_columns(page, name, STYLE_DIM, NAME_COLUMNS, text, style);
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
	put_columns(page, left, STYLE_PLAIN, NUMBER_COLUMNS + columns + 2, text_or_empty(text),
		note->weight > NOTE_QUIET ? STYLE_YELLOW : STYLE_PLAIN);
	if (page->style->verbose && note->detail)
		put_columns(page, "", STYLE_PLAIN, NUMBER_COLUMNS + columns + 4, note->detail,
			STYLE_DIM);
	free(text);
}

static void put_count(const struct explain_page *page, size_t count, const char *what)
{
	if (count)
		fprintf(page->out, "       %zu note%s %s\n", count, count == 1 ? "" : "s", what);
}

/* Prints the lines of the kernel that have notes, each with its notes to its right. */
static void put_notes(void *context, const struct explanation_record *entry)
{
	const struct explain_page *page = context;
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

/* ---- Page ---------------------------------------------------------------------------------- */

void explain_page(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style)
{
	int width = style->width ? style->width : EXPLAIN_PAGE_COLUMNS;
	struct explain_page page = {out, style, width < MAX_COLUMNS ? width : MAX_COLUMNS};
	const struct explain_writer writer = {&page, put_fact, put_notes};
	char *name = explain_text(explain_put_name, entries);
	char *problem = explain_text(explain_put_problem, entries);

	/* "scan/naive  title, sizes, macros" */
	put_columns(&page, text_or_empty(name), STYLE_BOLD, NAME_COLUMNS, text_or_empty(problem),
		STYLE_PLAIN);
	explain_put(&writer, entries, count, style->verbose);
	free(name);
	free(problem);
}
