#include "host/report/explain_notes.h"

#include "host/report/format.h"
#include "host/report/row_details.h"

#include <stdlib.h>

#define FEW_LANES 0.5    /* a line that fewer lanes run is a finding */
#define FULL_SIMT 0.9995 /* rounds to 100.0 % */

static struct explain_note *add_note(
	struct explain_notes *notes, int64_t line, const char *source, enum note_weight weight)
{
	struct explain_note *note = &notes->items[notes->count];

	*note = (struct explain_note){.line = line,
		.source = text_or_empty(source),
		.weight = weight,
		.times = 1,
		.order = notes->count++};
	return note;
}

/* ---- Accesses ------------------------------------------------------------------------------ */

static void note_access(struct explain_notes *notes, const struct access_record *access)
{
	bool shared = access->space == TRACE_SHARED;
	bool bad = access->multiplicity > 1 ||
		   (shared ? access->ways > 1 : access->coalescing != ACCESS_COALESCED);
	struct explain_note *note =
		add_note(notes, access->line, access->text, bad ? NOTE_BAD : NOTE_QUIET);
	const char *kind = word_text(trace_kind_words, access->kind);
	char *lanes = NULL;

	note->access = access;
	if (!shared)
		text_format(&note->text, "%s %s: %s sector%s/request, %s", kind,
			text_or_empty(access->operand),
			as_text(format_short, access->sectors_per_request).text,
			access->sectors_per_request == 1 ? "" : "s",
			text_or_empty(access->pattern));
	else if (access->ways > 1)
		text_format(&note->text, "%s: %lld-way conflict", kind, (long long)access->ways);
	else
		text_format(&note->text, "%s: %s", kind,
			access->ways < 0 ? "conflicts unknown" : "no conflict");
	if (access->multiplicity >= 1)
		text_format(&lanes, ", %s lane%s per address",
			as_text(format_short, access->multiplicity).text,
			access->multiplicity > 1 ? "s" : "");
	text_format(&note->text, "%s%s; %s", text_or_empty(note->text), text_or_empty(lanes),
		word_text(access_coalescing_words, access->coalescing));
	note->detail = row_details_fields(&access_type, access,
		"requests width_bytes pattern wavefronts_per_request lines128_per_request "
		"alignment_bytes efficiency");
	free(lanes);
}

/* ---- Lines and branches -------------------------------------------------------------------- */

/* The largest share of the lanes of a warp that a block can use: below 1 for a block that is smaller
 * than a warp, as in kernels for CPUs. */
static double usable_share(const struct explanation_record *entry)
{
	const int64_t *block = entry->launch.block;
	double width = entry->model.record.present ? (double)entry->model.width : 32;
	double threads =
		entry->launch.record.present ? (double)(block[0] * block[1] * block[2]) : width;

	return threads < width ? threads / width : 1;
}

static void note_line(
	struct explain_notes *notes, const struct line_record *line, double usable, bool every)
{
	bool full = !(line->simt < FULL_SIMT * usable);
	char share[40] = "";

	if (full && !every)
		return;
	struct explain_note *note = add_note(notes, line->line, line->text,
		full                     ? NOTE_QUIET
		: line->simt < FEW_LANES ? NOTE_BAD
					 : NOTE_MINOR);
	note->executed = line;
	if (!full)
		snprintf(share, sizeof share, ", %.1f %% of lanes", 100 * line->simt);
	text_format(&note->text, "%lld warp-execution%s%s", (long long)line->warp_executions,
		line->warp_executions == 1 ? "" : "s", share);
}

/* Branches are sorted by line. Several branches on one line (a macro) become one note. Returns the
 * index of the first branch of the next line. */
static size_t note_branches(
	struct explain_notes *notes, const struct branch_list *branches, size_t first)
{
	const struct branch_record *shown = NULL;
	long long divergent = 0, executions = 0;
	unsigned count = 0;
	size_t i = first;

	for (; i < branches->count && branches->items[i].line == branches->items[first].line; i++) {
		const struct branch_record *branch = &branches->items[i];
		if (branch->divergent <= 0)
			continue;
		divergent += branch->divergent;
		executions += branch->executions;
		count++;
		if (!shown || branch->divergent > shown->divergent)
			shown = branch;
	}
	if (!shown)
		return i;
	struct explain_note *note = add_note(notes, shown->line, shown->text, NOTE_BAD);
	note->branch = shown;
	if (count == 1)
		text_format(&note->text, "diverges %lld of %lld", divergent, executions);
	else
		text_format(&note->text, "%u branches: diverge %lld of %lld", count, divergent,
			executions);
	return i;
}

/* ---- Notes --------------------------------------------------------------------------------- */

static int compare_notes(const void *a, const void *b)
{
	const struct explain_note *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* An unrolled loop turns one access into several equal ones. Returns whether the note is counted in an
 * earlier one of its line. */
static bool is_merged(const struct explain_notes *notes, const struct explain_note *note)
{
	for (size_t i = notes->count; i-- > 0 && notes->items[i].line == note->line;)
		if (text_equal(notes->items[i].text, note->text) &&
			text_equal(notes->items[i].detail, note->detail)) {
			notes->items[i].times++;
			return true;
		}
	return false;
}

struct explain_notes explain_notes_make(const struct explanation_record *entry, bool every)
{
	size_t most = entry->accesses.count + entry->lines.count + entry->branches.count;
	struct explain_notes notes = {calloc(most + 1, sizeof *notes.items), 0};

	if (!notes.items)
		return notes;
	for (size_t i = 0; i < entry->accesses.count; i++)
		note_access(&notes, &entry->accesses.items[i]);
	for (size_t i = 0; i < entry->lines.count; i++)
		note_line(&notes, &entry->lines.items[i], usable_share(entry), every);
	for (size_t i = 0; i < entry->branches.count;)
		i = note_branches(&notes, &entry->branches, i);
	size_t count = notes.count;
	qsort(notes.items, count, sizeof *notes.items, compare_notes);
	notes.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct explain_note note = notes.items[i];
		if (!is_merged(&notes, &note)) {
			notes.items[notes.count++] = note;
			continue;
		}
		free(note.text);
		free(note.detail);
	}
	return notes;
}

void explain_notes_finish(struct explain_notes *notes)
{
	for (size_t i = 0; i < notes->count; i++) {
		free(notes->items[i].text);
		free(notes->items[i].detail);
	}
	free(notes->items);
	*notes = (struct explain_notes){0};
}
