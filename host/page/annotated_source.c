#include "host/page/annotated_source.h"

#include "common/model/access.h"
#include "host/io/sources.h"
#include "host/page/data.h"
#include "host/record/explanation.h"
#include "host/report/explain_notes.h"
#include "host/report/explain_text.h"

#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#define SAME 0.05 /* figures that differ by less are printed as equal */

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

static void put_drawing(struct page *page, size_t drawing)
{
	html_markup(page->out, "</p>\n");
	page_chart(page, "lanes", "drawing", drawing, NULL, 0);
}

static void put_no_drawing(struct page *page, bool present)
{
	html_format(page->out, "No drawing: %s.</p>",
		present ? "the file has no usable example"
			: "the file has no example. Run explain again");
}

static const char *ending(uint64_t count, const char *plural)
{
	return count == 1 ? "" : plural;
}

/* Writes the figures of the drawn request, and returns its sectors or passes. */
static double put_request(FILE *out, const struct warp_access *request, bool shared)
{
	const struct access_model *model = request->model;
	unsigned lanes = (unsigned)__builtin_popcountll(request->lanes);

	html_format(out, "%u active lane%s, %u byte%s each: ", lanes, ending(lanes, "s"),
		request->width_bytes, ending(request->width_bytes, "s"));
	if (shared) {
		struct shared_cost cost = access_shared(request);
		html_format(out, "%u pass%s", cost.wavefronts, ending(cost.wavefronts, "es"));
		if (cost.ways > 1)
			html_format(out,
				" instead of %u, because one bank has %u words and serves "
				"one per pass",
				cost.phases, cost.ways);
		if (access_phase_lanes(model, request->width_bytes) < (int)model->lanes)
			html_format(out, "; %d lanes are served at a time",
				access_phase_lanes(model, request->width_bytes));
		html_markup(out, ". ");
		return cost.wavefronts;
	}
	struct global_cost cost = access_global(request);
	unsigned moved = cost.sectors * model->sector_bytes;
	html_format(out,
		"%u sector%s of %u bytes in %u line%s; %u bytes are transferred, %.1f %% of "
		"them requested. ",
		cost.sectors, ending(cost.sectors, "s"), model->sector_bytes, cost.lines,
		ending(cost.lines, "s"), moved, 100.0 * cost.bytes_unique / moved);
	return cost.sectors;
}

/* Compares the drawn request with all requests of the access. */
static void put_others(
	FILE *out, const struct access_record *access, const struct warp_access *drawn, double cost)
{
	const struct request_record *request = &access->request;
	bool shared = access->space == TRACE_SHARED;
	double mean = shared ? access->wavefronts_per_request : access->sectors_per_request;

	html_format(out,
		"Drawn: warp %lld of block %lld; %lld of %lld requests have its pattern "
		"(<bdi>%.200s</bdi>)",
		(long long)request->warp, (long long)request->block, (long long)request->requests,
		(long long)access->requests, request->pattern);
	if (fabs(mean - cost) >= SAME)
		html_format(out, "; the mean of all requests is %s %s",
			as_text(format_short, mean).text, shared ? "passes" : "sectors");
	html_markup(out, ".");
	if (shared && access->ways > (int64_t)access_shared(drawn).ways)
		html_format(out, " The worst request, a conflict of %lld ways, is not drawn.",
			(long long)access->ways);
}

static void put_access(
	struct page *page, const struct access_record *access, const struct access_model *model)
{
	bool shared = access->space == TRACE_SHARED;
	struct warp_access request;

	if (model && !model->banks && shared) {
		html_markup(page->out, "No drawing: the banks of the model are unknown.</p>");
	} else if (model && request_record_read(access, model, &request)) {
		put_others(page->out, access, &request, put_request(page->out, &request, shared));
		put_drawing(page, data_add_request(page, &request, shared));
	} else {
		put_no_drawing(page, access->request.record.present);
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
	put_drawing(page, data_add_split(page, model, lanes, first));
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
		put_access(listing->page, note->access, listing->model);
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

void annotated_source(struct page *page, const struct explanation_record *entry, const char *name)
{
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
		"<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">"
		"<table class=\"source\"><caption><bdi>%.200s</bdi>%s</caption>\n<thead><tr>"
		"<th scope=\"col\">Line</th><th scope=\"col\">Warp executions</th>"
		"<th scope=\"col\">Active lanes</th><th scope=\"col\">Source</th></tr></thead>\n"
		"<tbody>\n",
		name, file,
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
