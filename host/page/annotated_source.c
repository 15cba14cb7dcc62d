#include "host/page/annotated_source.h"

#include "host/io/sources.h"
#include "host/page/access_note.h"
#include "host/record/trace_example.h"
#include "host/report/explain_text.h"

#include <math.h>
#include <sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Source lines ---------------------------------------------------------------------------- */

struct span {
	const char *text;
	size_t length;
};

/* Removes the next line from *text. Returns false at the end. */
static bool next_line(const char **text, struct span *ret_line)
{
	if (!**text)
		return false;
	size_t length = strcspn(*text, "\n");
	*ret_line = (struct span){*text, length};
	*text += length + ((*text)[length] == '\n');
	return true;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

enum note_kind {
	NOTE_LINE,
	NOTE_ACCESS,
	NOTE_BRANCH
};

/* One record of a source line. */
struct note {
	int64_t line;
	enum note_kind kind;
	size_t index; /* index in the list of its kind */
	const char *text;
};

struct notes {
	struct note *items; /* owned; by line, kind and index */
	size_t count;
};

static int compare_notes(const void *a, const void *b)
{
	const struct note *x = a;
	const struct note *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static bool collect_notes(const struct explanation_record *entry, struct notes *ret_notes)
{
	size_t max = entry->lines.count + entry->accesses.count + entry->branches.count;
	struct notes notes = {.items = calloc(max + 1, sizeof *notes.items)};

	if (!notes.items)
		return false;
	for (size_t i = 0; i < entry->lines.count; i++)
		notes.items[notes.count++] = (struct note){
			entry->lines.items[i].line, NOTE_LINE, i, entry->lines.items[i].text};
	for (size_t i = 0; i < entry->accesses.count; i++)
		notes.items[notes.count++] = (struct note){entry->accesses.items[i].line,
			NOTE_ACCESS, i, entry->accesses.items[i].text};
	for (size_t i = 0; i < entry->branches.count; i++)
		notes.items[notes.count++] = (struct note){entry->branches.items[i].line,
			NOTE_BRANCH, i, entry->branches.items[i].text};
	qsort(notes.items, notes.count, sizeof *notes.items, compare_notes);
	*ret_notes = notes;
	return true;
}

const char *annotated_source_text(const struct explanation_record *entry)
{
	const char *text = entry->file ? sources_embedded(entry->file) : NULL;
	char hash[SHA256_DIGEST_STRING_LENGTH];

	if (!text || !entry->source_sha256)
		return NULL;
	SHA256Data((const uint8_t *)text, strlen(text), hash);
	return strcmp(hash, entry->source_sha256) == 0 ? text : NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

struct listing {
	struct page *page;
	FILE *out;
	const struct explanation_record *entry;
	struct notes notes;
	const struct access_model *model; /* NULL: the file has impossible values */
	size_t next;                      /* the first note that is not yet written */
};

static void put_counts(FILE *out, const struct line_record *line)
{
	double share = line->simt;

	if (line->warp_executions < 0 || !(share >= 0 && share <= 1)) {
		html_markup(out, "<td></td><td></td>");
		return;
	}
	fprintf(out,
		"<td class=\"number\">%lld</td><td class=\"number share\">%.1f %% <meter max=\"100\""
		" value=\"%.1f\" aria-hidden=\"true\"></meter></td>",
		(long long)line->warp_executions, 100 * share, 100 * share);
}

static void put_accesses(struct listing *listing, size_t end)
{
	const struct access_list *accesses = &listing->entry->accesses;

	while (listing->next < end && listing->notes.items[listing->next].kind == NOTE_ACCESS) {
		const struct access_record *access =
			&accesses->items[listing->notes.items[listing->next++].index];
		unsigned times = 1;
		while (listing->next < end &&
			listing->notes.items[listing->next].kind == NOTE_ACCESS &&
			access_note_equal(access,
				&accesses->items[listing->notes.items[listing->next].index])) {
			listing->next++;
			times++;
		}
		access_note(listing->page, access, listing->model, times);
	}
}

static struct branch_sum sum_branches(const struct listing *listing, size_t first, size_t end)
{
	struct branch_sum sum = {0};

	for (size_t i = first; i < end; i++) {
		const struct note *note = &listing->notes.items[i];
		if (note->kind != NOTE_BRANCH)
			continue;
		const struct branch_record *branch = &listing->entry->branches.items[note->index];
		if (branch->divergent <= 0)
			continue;
		sum.count++;
		sum.executions += (double)branch->executions;
		sum.divergent += (double)branch->divergent;
		if (!sum.shown || branch->divergent > sum.shown->divergent)
			sum.shown = branch;
	}
	return sum;
}

/* Writes the notes of a line below it. */
static void put_figures(struct listing *listing, size_t end)
{
	struct branch_sum branches = sum_branches(listing, listing->next, end);
	const bool accesses =
		listing->next < end && listing->notes.items[listing->next].kind == NOTE_ACCESS;

	if (accesses || branches.count) {
		html_markup(listing->out, "<tr class=\"notes\"><td colspan=\"4\">\n");
		put_accesses(listing, end);
		if (branches.count)
			access_note_branch(listing->page, &branches, listing->model);
		html_markup(listing->out, "</td></tr>\n");
	}
	listing->next = end;
}

/* Writes a source line with its counts, then its notes. text NULL: unknown. */
static void put_line(struct listing *listing, int64_t number, const char *text)
{
	const struct note *notes = listing->notes.items;
	size_t end = listing->next;
	const struct line_record *counted = NULL;
	FILE *out = listing->out;

	while (end < listing->notes.count && notes[end].line == number)
		end++;
	while (listing->next < end && notes[listing->next].kind == NOTE_LINE)
		counted = &listing->entry->lines.items[notes[listing->next++].index];
	fprintf(out, "<tr%s><th scope=\"row\" class=\"number\">%lld</th>",
		counted ? "" : " class=\"quiet\"", (long long)number);
	if (counted)
		put_counts(out, counted);
	else
		html_markup(out, "<td></td><td></td>");
	html_markup(out, "<td>");
	if (text && *text) {
		html_markup(out, "<code>");
		html_name(out, text);
		html_markup(out, "</code>");
	}
	html_markup(out, "</td>");
	html_markup(out, "</tr>\n");
	put_figures(listing, end);
}

/* Writes a note in place of the rest of the file, which has other kernels. first: its first
 * line. */
static void put_rest(FILE *out, int64_t first, const char *text)
{
	struct span line;
	int64_t last = first - 1;

	while (next_line(&text, &line))
		last++;
	if (last < first)
		return;
	html_markup(out, "<tr class=\"quiet\"><td colspan=\"4\">");
	html_format(out, "Lines %lld to %lld of the file were not executed.", (long long)first,
		(long long)last);
	html_markup(out, "</td></tr>\n");
}

/* Writes the lines up to the end of the function that has the last note. Other kernels may
 * follow. */
static bool put_file(struct listing *listing, const char *text)
{
	struct span line;
	bool over = false;
	int64_t number = 1;

	while (listing->next < listing->notes.count && listing->notes.items[listing->next].line < 1)
		listing->next++;
	for (; !over && next_line(&text, &line); number++) {
		char *copy = strndup(line.text, line.length);
		if (!copy)
			return false;
		put_line(listing, number, copy);
		free(copy);
		over = listing->next == listing->notes.count && *line.text == '}';
	}
	put_rest(listing->out, number, text);
	return true;
}

/* Writes only lines with notes. Their texts are from the notes. */
static void put_noted_lines(struct listing *listing)
{
	while (listing->next < listing->notes.count) {
		const struct note *note = &listing->notes.items[listing->next];
		const char *text = NULL;
		for (size_t i = listing->next; !text && i < listing->notes.count &&
					       listing->notes.items[i].line == note->line;
			i++)
			text = listing->notes.items[i].text;
		put_line(listing, note->line, text);
	}
}

/* ---- Public ---------------------------------------------------------------------------------- */

static void begin_listing(
	FILE *out, const struct explanation_record *entry, const char *name, bool whole)
{
	char file[200];

	explain_text_file(entry, file, sizeof file);
	html_markup(out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\"");
	html_attribute(out, "aria-label", name);
	html_markup(out, "><table class=\"source\"><caption>");
	html_name(out, file);
	if (!whole)
		html_text(out, ": only the counted lines, because this program does not have the "
			       "file that was traced");
	html_markup(out, "</caption>\n<thead><tr><th scope=\"col\">Line</th>"
			 "<th scope=\"col\">Warp executions</th>"
			 "<th scope=\"col\">Active lanes</th>"
			 "<th scope=\"col\">Source</th></tr></thead>\n<tbody>\n");
}

void annotated_source(struct page *page, const struct explanation_record *entry, const char *name)
{
	const char *text = annotated_source_text(entry);
	struct access_model model;
	struct listing listing = {.page = page,
		.out = page->out,
		.entry = entry,
		.model = access_model_record_read(&entry->model, &model)};

	if (!collect_notes(entry, &listing.notes)) {
		page->failed = true;
		return;
	}
	if (listing.notes.count) {
		begin_listing(page->out, entry, name, text);
		if (text)
			page->failed |= !put_file(&listing, text);
		else
			put_noted_lines(&listing);
		html_markup(page->out, "</tbody></table></div>\n");
	}
	free(listing.notes.items);
}
