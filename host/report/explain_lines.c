#include "host/report/explain_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/explain_text.h"

#define NUMBER_COLUMNS 7      /* for the number of a line */
#define SOURCE_MAX_COLUMNS 72 /* for the text of a line */
/* Maximum number of notes, so that a page fits one screen. If there are more, the notes without a
 * finding are left out. If there are still more, notes of lines that at least half of the lanes run
 * are also left out. */
#define MAX_NOTES 22
#define FEW_LANES 0.5    /* fewer lanes than this share make the note of a line BAD */
#define FULL_SIMT 0.9995 /* rounds to 100.0 % */

enum weight {
	QUIET,
	MINOR,
	BAD
};

struct note {
	int64_t line;
	size_t order;       /* notes of one line keep the order in which they were added */
	const char *source; /* text of the line; owned by the record */
	enum weight weight;
	unsigned times; /* number of equal notes on the line */
	char text[160];
	char detail[144]; /* shown with -v */
};

struct notes {
	struct note *items; /* owned */
	size_t count;
};

/* ---- Accesses ------------------------------------------------------------------------------ */

/* For atomic operations: ", 2 lanes per address"; else "". */
static void format_multiplicity(
	const struct access_record *access, struct note *note, char *ret_text, size_t size)
{
	double lanes = access->multiplicity;
	char number[32];

	*ret_text = '\0';
	if (!(lanes >= 1))
		return;
	format_short(lanes, number, sizeof number);
	snprintf(ret_text, size, ", %s lane%s per address", number, lanes > 1 ? "s" : "");
	if (lanes > 1)
		note->weight = BAD;
}

static void describe_shared(const struct access_record *access, struct note *note)
{
	char conflict[40] = "no conflict";
	bool unknown = access->ways < 0;
	char multiplicity[72];
	char number[32];

	note->weight = access->ways > 1 ? BAD : QUIET;
	if (access->ways > 1)
		snprintf(conflict, sizeof conflict, "%lld-way conflict", (long long)access->ways);
	if (unknown)
		snprintf(conflict, sizeof conflict, "conflicts unknown");
	format_multiplicity(access, note, multiplicity, sizeof multiplicity);
	snprintf(note->text, sizeof note->text, "%s: %s%s; %s",
		word_text(trace_kind_words, access->kind), conflict, multiplicity,
		word_text(access_coalescing_words, access->coalescing));
	snprintf(note->detail, sizeof note->detail, "%lld requests of %lld bytes per lane, %s",
		(long long)access->requests, (long long)access->width_bytes,
		text_or_empty(access->pattern));
	if (unknown)
		return;
	format_short(access->wavefronts_per_request, number, sizeof number);
	size_t used = strlen(note->detail);
	snprintf(note->detail + used, sizeof note->detail - used, ": %s wavefront%s each", number,
		strcmp(number, "1") == 0 ? "" : "s");
}

static void describe_global(
	const struct access_record *access, long long line_bytes, struct note *note)
{
	double sectors = access->sectors_per_request;
	char multiplicity[72];
	char number[32];

	note->weight = access->coalescing == ACCESS_COALESCED ? QUIET : BAD;
	format_multiplicity(access, note, multiplicity, sizeof multiplicity);
	format_short(sectors, number, sizeof number);
	snprintf(note->text, sizeof note->text, "%s %s: %s sector%s/request, %s%s; %s",
		word_text(trace_kind_words, access->kind), text_or_empty(access->operand), number,
		sectors == 1 ? "" : "s", text_or_empty(access->pattern), multiplicity,
		word_text(access_coalescing_words, access->coalescing));
	format_short(access->lines128_per_request, number, sizeof number);
	snprintf(note->detail, sizeof note->detail,
		"%lld requests of %lld bytes per lane: %s line%s of %lld, aligned to %lld, %.0f %% "
		"of sectors used",
		(long long)access->requests, (long long)access->width_bytes, number,
		strcmp(number, "1") == 0 ? "" : "s", line_bytes, (long long)access->alignment_bytes,
		100 * access->efficiency);
}

static void describe(const struct access_record *access, long long line_bytes, struct note *note)
{
	if (access->space == TRACE_SHARED)
		describe_shared(access, note);
	else
		describe_global(access, line_bytes, note);
}

bool explain_lines_access(const struct access_record *access, char *ret_text, size_t size)
{
	struct note note = {0};

	describe(access, LINE_BYTES, &note);
	snprintf(ret_text, size, "%s", note.text);
	return note.weight == BAD;
}

/* ---- Notes --------------------------------------------------------------------------------- */

static struct note *add_note(struct notes *notes, int64_t line, const char *source)
{
	struct note *note = &notes->items[notes->count];

	*note = (struct note){
		.line = line, .order = notes->count, .source = text_or_empty(source), .times = 1};
	notes->count++;
	return note;
}

static void note_accesses(struct notes *notes, const struct explanation_record *entry)
{
	long long line_bytes = entry->model.record.present ? entry->model.line_bytes : LINE_BYTES;

	for (size_t i = 0; i < entry->accesses.count; i++) {
		const struct access_record *access = &entry->accesses.items[i];
		describe(access, line_bytes, add_note(notes, access->line, access->text));
	}
}

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

static void note_lines(struct notes *notes, const struct explanation_record *entry, bool every)
{
	const double usable = usable_share(entry);

	for (size_t i = 0; i < entry->lines.count; i++) {
		const struct line_record *line = &entry->lines.items[i];
		long long times = line->warp_executions;
		const char *plural = times == 1 ? "" : "s";
		if (line->simt < FULL_SIMT * usable) {
			struct note *note = add_note(notes, line->line, line->text);
			note->weight = line->simt < FEW_LANES ? BAD : MINOR;
			snprintf(note->text, sizeof note->text,
				"%lld warp-execution%s, %.1f %% of lanes", times, plural,
				100 * line->simt);
		} else if (every) {
			struct note *note = add_note(notes, line->line, line->text);
			snprintf(note->text, sizeof note->text, "%lld warp-execution%s", times,
				plural);
		}
	}
}

/* Branches are sorted by line. Several branches on one line (a macro) become one note. */
static void note_branches(struct notes *notes, const struct explanation_record *entry)
{
	const struct branch_list *branches = &entry->branches;
	size_t next = 0;

	for (size_t i = 0; i < branches->count; i = next) {
		const struct branch_record *first = &branches->items[i];
		long long divergent = 0;
		long long executions = 0;
		unsigned count = 0;
		for (next = i; next < branches->count; next++) {
			const struct branch_record *branch = &branches->items[next];
			if (branch->line != first->line)
				break;
			if (branch->divergent <= 0)
				continue;
			divergent += branch->divergent;
			executions += branch->executions;
			count++;
		}
		if (count == 0)
			continue;
		struct note *note = add_note(notes, first->line, first->text);
		note->weight = BAD;
		if (count == 1)
			snprintf(note->text, sizeof note->text, "diverges %lld of %lld", divergent,
				executions);
		else
			snprintf(note->text, sizeof note->text, "%u branches: diverge %lld of %lld",
				count, divergent, executions);
	}
}

static int compare_notes(const void *a, const void *b)
{
	const struct note *x = a;
	const struct note *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* An earlier equal note of the same line; NULL = none. */
static struct note *find_same(const struct notes *notes, const struct note *note)
{
	for (size_t i = notes->count; i-- > 0 && notes->items[i].line == note->line;)
		if (strcmp(notes->items[i].text, note->text) == 0 &&
			strcmp(notes->items[i].detail, note->detail) == 0)
			return &notes->items[i];
	return NULL;
}

/* An unrolled loop turns one access into several equal ones. */
static void merge_notes(struct notes *notes)
{
	size_t count = notes->count;

	notes->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct note *same = find_same(notes, &notes->items[i]);
		if (same)
			same->times++;
		else
			notes->items[notes->count++] = notes->items[i];
	}
}

static size_t drop_below(struct notes *notes, enum weight min)
{
	size_t kept = 0;
	size_t count = notes->count;

	for (size_t i = 0; i < count; i++)
		if (notes->items[i].weight >= min)
			notes->items[kept++] = notes->items[i];
	notes->count = kept;
	return count - kept;
}

/* ---- Public -------------------------------------------------------------------------------- */

/* The source text takes two fifths of the page. */
static int source_columns(const struct page_style *style)
{
	int columns = (explain_text_columns(style) - NUMBER_COLUMNS - 2) * 2 / 5;

	return columns < SOURCE_MAX_COLUMNS ? columns : SOURCE_MAX_COLUMNS;
}

static int note_column(const struct page_style *style)
{
	return NUMBER_COLUMNS + source_columns(style) + 2;
}

/* Prints wrapped text in the column of notes. The caller has already printed the columns to the
 * left of the first line. */
static void put_text(FILE *out, const char *text, enum style text_style, int indent,
	const struct page_style *style)
{
	const char *line;
	int columns = explain_text_columns(style) - note_column(style) - indent;
	int length = wrap_next(&text, columns, &line);

	for (int start = indent; length > 0; start = note_column(style) + indent) {
		fprintf(out, "%*s%s%.*s%s\n", start, "", style_code(style->colour, text_style),
			length, line, style_code(style->colour, STYLE_PLAIN));
		length = wrap_next(&text, columns, &line);
	}
}

static void put_note(FILE *out, const struct note *note, bool first, const struct page_style *style)
{
	char source[4 * SOURCE_MAX_COLUMNS + 8] = "";
	char text[192] = "";

	if (first) {
		wrap_cut(note->source, source_columns(style), source, sizeof source);
		fprintf(out, "%5lld  ", (long long)note->line);
	} else {
		fprintf(out, "%*s", NUMBER_COLUMNS, "");
	}
	format_put_padded(out, source, source_columns(style) + 2);
	if (note->times > 1)
		snprintf(text, sizeof text, "%ux ", note->times);
	snprintf(text + strlen(text), sizeof text - strlen(text), "%s", note->text);
	put_text(out, text, note->weight > QUIET ? STYLE_YELLOW : STYLE_PLAIN, 0, style);
	if (!style->verbose || !*note->detail)
		return;
	fprintf(out, "%*s", note_column(style), "");
	put_text(out, note->detail, STYLE_DIM, 2, style);
}

void explain_lines_put(
	FILE *out, const struct explanation_record *entry, const struct page_style *style)
{
	struct notes notes = {0};
	char file[200];
	size_t max = entry->accesses.count + entry->lines.count + entry->branches.count;
	size_t left_out = 0;
	size_t minor = 0;
	int64_t line = 0;

	notes.items = calloc(max + 1, sizeof *notes.items);
	if (!notes.items)
		return;
	note_accesses(&notes, entry);
	note_lines(&notes, entry, style->verbose);
	note_branches(&notes, entry);
	qsort(notes.items, notes.count, sizeof *notes.items, compare_notes);
	merge_notes(&notes);
	if (!style->verbose && notes.count > MAX_NOTES)
		left_out = drop_below(&notes, MINOR);
	if (!style->verbose && notes.count > MAX_NOTES)
		minor = drop_below(&notes, BAD);
	if (notes.count && entry->file) {
		explain_text_file(entry, file, sizeof file);
		fprintf(out, "%s%s%s\n", style_code(style->colour, STYLE_DIM), file,
			style_code(style->colour, STYLE_PLAIN));
	}
	for (size_t i = 0; i < notes.count; i++) {
		put_note(out, &notes.items[i], notes.items[i].line != line, style);
		line = notes.items[i].line;
	}
	if (left_out)
		fprintf(out, "       %zu note%s without a finding: -v shows all notes\n", left_out,
			left_out == 1 ? "" : "s");
	if (minor)
		fprintf(out,
			"       %zu note%s of lines that at least half of the lanes run: not "
			"shown\n",
			minor, minor == 1 ? "" : "s");
	free(notes.items);
}
