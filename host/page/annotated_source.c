#include "host/page/annotated_source.h"

#include "host/io/sources.h"
#include "host/page/data.h"
#include "host/report/explain_notes.h"
#include "host/report/explain_text.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>

struct listing {
	struct page *page;
	const struct access_model *model; /* NULL: the file has impossible values */
	struct explain_notes notes;
	size_t next; /* index of the first note of the lines to come */
};

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

/* ---- Accesses and branches ------------------------------------------------------------------- */

#define DRAWING "</p>\n" PAGE_CHART("lanes", " data-drawing=\"%zu\"")

static void put_no_drawing(struct page *page, bool present)
{
	html_format(page->out, "No drawing: %s.</p>",
		present ? "the file has no usable example"
			: "the file has no example. Run explain again");
}

static void put_access(
	struct page *page, const struct explain_note *note, const struct access_model *model)
{
	const struct request_record *record = &note->access->request;
	bool shared = note->access->space == TRACE_SHARED;
	struct warp_access request;

	if (model && !model->banks && shared) {
		html_markup(page->out, "No drawing: the banks of the model are unknown.</p>");
	} else if (model && request_record_read(note->access, model, &request)) {
		html_format(page->out,
			"Drawn: warp %lld of block %lld; %lld of %lld requests have its pattern "
			"(<bdi>%.200s</bdi>). %s",
			(long long)record->warp, (long long)record->block,
			(long long)record->requests, (long long)note->access->requests,
			record->pattern, note->detail);
		html_format(page->out, DRAWING, data_add_request(page, &request, shared));
	} else {
		put_no_drawing(page, record->record.present);
	}
}

static void put_branch(
	struct page *page, const struct split_record *split, const struct access_model *model)
{
	uint64_t lanes, first;

	if (!model || !split_record_read(split, model, &lanes, &first)) {
		put_no_drawing(page, split->record.present);
		return;
	}
	html_format(page->out,
		"Drawn: warp %lld of block %lld. %d of %d active lanes run first, and the others wait "
		"for them.",
		(long long)split->warp, (long long)split->block, __builtin_popcountll(first),
		__builtin_popcountll(lanes));
	if (split->lanes > 0)
		html_format(page->out,
			" Over all divergent executions, %.1f %% of the active lanes run first.",
			100.0 * (double)split->first_lanes / (double)split->lanes);
	html_format(page->out, DRAWING, data_add_split(page, model, lanes, first));
}

/* Writes a line of text that opens to show a caption and a drawing. A finding is open. */
static void put_note(const struct listing *listing, const struct explain_note *note)
{
	FILE *out = listing->page->out;

	html_markup(out, note->weight == NOTE_BAD
				 ? "<details class=\"access finding\" open><summary>"
				 : "<details class=\"access\"><summary>");
	if (note->times > 1)
		html_format(out, "%u times: ", note->times);
	html_format(out, "<strong>%s</strong>, <bdi>%.200s</bdi>%s</summary>\n<p>",
		note->branch                          ? "branch"
		: note->access->space == TRACE_SHARED ? "shared memory"
						      : "global memory",
		note->text, note->branch ? " executions" : "");
	if (note->branch)
		put_branch(listing->page, &note->branch->split, listing->model);
	else
		put_access(listing->page, note, listing->model);
	html_markup(out, "</details>\n");
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void put_counts(FILE *out, const struct line_record *line)
{
	if (!line || line->warp_executions < 0 || !(line->simt >= 0 && line->simt <= 1))
		html_markup(out, "<td></td><td></td>");
	else
		html_format(out,
			"<td class=\"number\">%lld</td><td class=\"number share\">%.1f %% <meter "
			"max=\"100\" value=\"%.1f\" aria-hidden=\"true\"></meter></td>",
			(long long)line->warp_executions, 100 * line->simt, 100 * line->simt);
}

/* Writes a source line with its counts, then its notes. */
static void put_line(struct listing *listing, int64_t number, const char *text)
{
	FILE *out = listing->page->out;
	const struct explain_note *first = &listing->notes.items[listing->next];
	const struct explain_note *end = &listing->notes.items[listing->notes.count], *note;
	const struct line_record *executed = NULL;
	const char *begin = "<tr class=\"notes\"><td colspan=\"4\">\n";

	for (note = first; note < end && note->line <= number; note++)
		executed = note->executed ? note->executed : executed;
	end = note;
	listing->next += (size_t)(end - first);
	html_markup(out, executed ? "<tr>" : "<tr class=\"quiet\">");
	html_format(out, "<th scope=\"row\" class=\"number\">%lld</th>", (long long)number);
	put_counts(out, executed);
	html_format(out, "<td><code><bdi>%.200s</bdi></code></td></tr>\n", text);
	for (note = first; note < end; note++) {
		if (note->executed)
			continue;
		html_markup(out, begin);
		put_note(listing, note);
		begin = "";
	}
	html_markup(out, *begin ? "" : "</td></tr>\n");
}

/* Writes the file up to the end of the function that has the last note. Other kernels may follow. */
static void put_file(struct listing *listing, const char *text)
{
	bool over = false;

	for (int64_t number = 1; *text && !over; number++) {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);
		put_line(listing, number, line);
		over = *text == '}' && listing->next == listing->notes.count;
		text += length + (text[length] == '\n');
		listing->page->failed |= !line;
		free(line);
	}
}

void annotated_source(void *context, const struct explanation_record *entry)
{
	struct page *page = context;
	const char *text = source_of(entry);
	struct access_model model;
	struct listing listing = {page, access_model_record_read(&entry->model, &model),
		explain_notes_make(entry, true), 0};

	page->failed |= !listing.notes.items;
	if (!listing.notes.count) {
		explain_notes_finish(&listing.notes);
		return;
	}
	char *file = explain_text(explain_put_file, entry);
	html_format(page->out,
		/* Names must be different, because screen readers list tables by their names. */
		"<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%.60s/%.60s, "
		"launch %lld: annotated source\"><table class=\"source\"><caption><bdi>%.200s</bdi>%s</caption>\n<thead><tr>"
		"<th scope=\"col\">Line</th><th scope=\"col\">Warp executions</th>"
		"<th scope=\"col\">Active lanes</th><th scope=\"col\">Source</th></tr></thead>\n"
		"<tbody>\n",
		entry->family, entry->variant,
		entry->launch.record.present ? (long long)entry->launch.index : 1, file,
		text ? ""
		     : ": only the counted lines, because this program does not have the file that "
		       "was traced");
	if (text)
		put_file(&listing, text);
	while (!text && listing.next < listing.notes.count) {
		const struct explain_note *note = &listing.notes.items[listing.next];
		put_line(&listing, note->line, note->source);
	}
	html_markup(page->out, "</tbody></table></div>\n");
	explain_notes_finish(&listing.notes);
	free(file);
}
