#include "host/page/annotated_source.h"

#include "host/io/sources.h"
#include "host/page/access_note.h"
#include "host/record/explanation.h"
#include "host/report/explain_text.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text of the traced kernel file; NULL if this program has no such file, or another
 * version of it. */
static const char *source_of(const struct explanation_record *entry)
{
	const char *text = entry->file ? sources_embedded(entry->file) : NULL;
	char hash[SHA256_DIGEST_STRING_LENGTH];

	if (!text || !entry->source_sha256)
		return NULL;
	SHA256Data((const uint8_t *)text, strlen(text), hash);
	return strcmp(hash, entry->source_sha256) == 0 ? text : NULL;
}

struct listing {
	struct page *page;
	const struct explanation_record *entry;
	const struct access_model *model; /* NULL: the file has impossible values */
};

/* ---- Notes of a line ------------------------------------------------------------------------- */

static void use_line(int64_t line, int64_t after, int64_t *next)
{
	if (line > after && (*next == 0 || line < *next))
		*next = line;
}

/* Returns the first line behind `after` that has a record; 0: none. */
static int64_t next_line(const struct explanation_record *entry, int64_t after)
{
	int64_t next = 0;

	for (size_t i = 0; i < entry->lines.count; i++)
		use_line(entry->lines.items[i].line, after, &next);
	for (size_t i = 0; i < entry->accesses.count; i++)
		use_line(entry->accesses.items[i].line, after, &next);
	for (size_t i = 0; i < entry->branches.count; i++)
		use_line(entry->branches.items[i].line, after, &next);
	return next;
}

static const struct line_record *record_of(const struct explanation_record *entry, int64_t line)
{
	for (size_t i = 0; i < entry->lines.count; i++)
		if (entry->lines.items[i].line == line)
			return &entry->lines.items[i];
	return NULL;
}

/* Writes each access of a line; equal ones once. Returns whether there is one. */
static bool put_accesses(const struct listing *listing, int64_t line, bool write)
{
	const struct access_list *accesses = &listing->entry->accesses;
	bool any = false;

	for (size_t i = 0; i < accesses->count; i++) {
		unsigned times = 0, earlier = 0;
		if (accesses->items[i].line != line)
			continue;
		any = true;
		for (size_t k = 0; k < accesses->count; k++) {
			bool equal = access_note_equal(&accesses->items[i], &accesses->items[k]);
			times += equal;
			earlier += equal && k < i;
		}
		if (write && !earlier)
			access_note(listing->page, &accesses->items[i], listing->model, times);
	}
	return any;
}

static struct branch_sum branches_of(const struct explanation_record *entry, int64_t line)
{
	struct branch_sum sum = {0};

	for (size_t i = 0; i < entry->branches.count; i++) {
		const struct branch_record *branch = &entry->branches.items[i];
		if (branch->line != line || branch->divergent <= 0)
			continue;
		sum.count++;
		sum.executions += (double)branch->executions;
		sum.divergent += (double)branch->divergent;
		if (!sum.shown || branch->divergent > sum.shown->divergent)
			sum.shown = branch;
	}
	return sum;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void put_counts(FILE *out, const struct line_record *line)
{
	if (!line || line->warp_executions < 0 || !(line->simt >= 0 && line->simt <= 1)) {
		html_markup(out, "<td></td><td></td>");
		return;
	}
	fprintf(out,
		"<td class=\"number\">%lld</td><td class=\"number share\">%.1f %% <meter max=\"100\""
		" value=\"%.1f\" aria-hidden=\"true\"></meter></td>",
		(long long)line->warp_executions, 100 * line->simt, 100 * line->simt);
}

/* Writes a source line with its counts, then its notes. */
static void put_line(const struct listing *listing, int64_t number, const char *text)
{
	FILE *out = listing->page->out;
	const struct line_record *line = record_of(listing->entry, number);
	struct branch_sum branches = branches_of(listing->entry, number);

	fprintf(out, "<tr%s><th scope=\"row\" class=\"number\">%lld</th>",
		line ? "" : " class=\"quiet\"", (long long)number);
	put_counts(out, line);
	html_markup(out, "<td><code>");
	html_name(out, text);
	html_markup(out, "</code></td></tr>\n");
	if (!put_accesses(listing, number, false) && !branches.count)
		return;
	html_markup(out, "<tr class=\"notes\"><td colspan=\"4\">\n");
	put_accesses(listing, number, true);
	if (branches.count)
		access_note_branch(listing->page, &branches, listing->model);
	html_markup(out, "</td></tr>\n");
}

/* Writes the file up to the end of the function that has the last record. Other kernels may
 * follow. */
static void put_file(const struct listing *listing, const char *text)
{
	bool over = false;

	for (int64_t number = 1; *text && !over; number++) {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);
		put_line(listing, number, line);
		over = *text == '}' && !next_line(listing->entry, number);
		text += length + (text[length] == '\n');
		listing->page->failed |= !line;
		free(line);
	}
}

void annotated_source(struct page *page, const struct explanation_record *entry, const char *name)
{
	const char *text = source_of(entry);
	struct access_model model;
	struct listing listing = {page, entry, access_model_record_read(&entry->model, &model)};
	char file[200];

	if (!next_line(entry, 0))
		return;
	explain_text_file(entry, file, sizeof file);
	html_markup(page->out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\"");
	html_attribute(page->out, "aria-label", name);
	html_markup(page->out, "><table class=\"source\"><caption>");
	html_name(page->out, file);
	html_markup(
		page->out, text ? ""
				: ": only the counted lines, because this program does not have "
				  "the file that was traced");
	html_markup(page->out, "</caption>\n<thead><tr><th scope=\"col\">Line</th>"
			       "<th scope=\"col\">Warp executions</th><th scope=\"col\">Active "
			       "lanes</th><th scope=\"col\">Source</th></tr></thead>\n<tbody>\n");
	if (text)
		put_file(&listing, text);
	for (int64_t line = text ? 0 : next_line(entry, 0); line; line = next_line(entry, line)) {
		const struct line_record *record = record_of(entry, line);
		put_line(&listing, line, record ? record->text : NULL);
	}
	html_markup(page->out, "</tbody></table></div>\n");
}
