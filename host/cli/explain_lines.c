#include "host/cli/explain_text.h"

#include "common/model/access.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_COLUMNS 36
#define NOTE_COLUMN (7 + SOURCE_COLUMNS + 2)
/* Above so many notes those that find nothing wrong are left out: a page is a screen. */
#define QUIET_NOTES 22
#define FULL_SIMT 0.9995 /* what rounds to 100.0 % */

struct note {
	int line;
	size_t order;       /* notes of a line stay in the order in which they were made */
	const char *source; /* text of the line; the JSON's */
	bool bad;
	unsigned times; /* so often on one line */
	char text[112];
	char detail[144]; /* of -v */
};

struct notes {
	struct note *items; /* owned */
	size_t count;
};

/* ---- Accesses ------------------------------------------------------------------------------ */

static double number_of(const json_t *object, const char *field)
{
	const json_t *value = json_object_get(object, field);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_shared(const json_t *access)
{
	return strcmp(row_text(access, "space"), "shared") == 0;
}

const char *access_coalescing(const json_t *access)
{
	double bytes = number_of(access, "active_lanes") * number_of(access, "width_bytes");

	if (is_shared(access))
		return "n/a (shared)";
	return number_of(access, "sectors_per_request") <= ceil(bytes / SECTOR_BYTES) + 1
		       ? "coalesced"
		       : "uncoalesced";
}

void explain_complete(json_t *entries)
{
	json_t *entry, *access;
	size_t i, j;

	json_array_foreach(entries, i, entry)
	{
		json_array_foreach(json_object_get(entry, "accesses"), j, access)
			json_object_set_new(
				access, "coalescing", json_string(access_coalescing(access)));
	}
}

static void describe_shared(const json_t *access, struct note *note)
{
	double ways = number_of(access, "ways");
	char number[32];

	note->bad = ways > 1;
	if (ways > 1)
		snprintf(note->text, sizeof note->text, "%s: %.0f-way conflict; %s",
			row_text(access, "kind"), ways, access_coalescing(access));
	else
		snprintf(note->text, sizeof note->text, "%s: no conflict; %s",
			row_text(access, "kind"), access_coalescing(access));
	format_short(number_of(access, "wavefronts_per_request"), number, sizeof number);
	snprintf(note->detail, sizeof note->detail,
		"%.0f requests of %.0f bytes a lane, %s: %s wavefronts each",
		number_of(access, "requests"), number_of(access, "width_bytes"),
		row_text(access, "pattern"), number);
}

static void describe_global(const json_t *access, struct note *note)
{
	const char *coalescing = access_coalescing(access);
	double sectors = number_of(access, "sectors_per_request");
	char number[32];

	note->bad = strcmp(coalescing, "coalesced") != 0;
	format_short(sectors, number, sizeof number);
	snprintf(note->text, sizeof note->text, "%s %s: %s sector%s/request, %s; %s",
		row_text(access, "kind"), row_text(access, "operand"), number,
		sectors == 1 ? "" : "s", row_text(access, "pattern"), coalescing);
	format_short(number_of(access, "lines128_per_request"), number, sizeof number);
	snprintf(note->detail, sizeof note->detail,
		"%.0f requests of %.0f bytes a lane: %s lines of 128, aligned to %.0f, %.0f %% of sectors used",
		number_of(access, "requests"), number_of(access, "width_bytes"), number,
		number_of(access, "alignment_bytes"), 100 * number_of(access, "efficiency"));
}

/* ---- Notes --------------------------------------------------------------------------------- */

static struct note *add_note(struct notes *notes, const json_t *of)
{
	struct note *note = &notes->items[notes->count];

	*note = (struct note){.line = (int)number_of(of, "line"),
		.order = notes->count,
		.source = row_text(of, "text"),
		.times = 1};
	notes->count++;
	return note;
}

static void note_accesses(struct notes *notes, const json_t *entry)
{
	const json_t *access;
	char number[32];
	size_t i;

	json_array_foreach(json_object_get(entry, "accesses"), i, access)
	{
		struct note *note = add_note(notes, access);
		(is_shared(access) ? describe_shared : describe_global)(access, note);
		if (!(number_of(access, "multiplicity") >= 1))
			continue;
		note = add_note(notes, access);
		format_short(number_of(access, "multiplicity"), number, sizeof number);
		note->bad = number_of(access, "multiplicity") > 1;
		snprintf(note->text, sizeof note->text, "atomic: %s lane%s on one address", number,
			strcmp(number, "1") == 0 ? "" : "s");
	}
}

static void note_lines(struct notes *notes, const json_t *entry, bool every)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(entry, "lines"), i, line)
	{
		double simt = number_of(line, "simt");
		if (simt < FULL_SIMT) {
			struct note *note = add_note(notes, line);
			note->bad = true;
			snprintf(note->text, sizeof note->text,
				"%.0f warp-executions, %.1f %% of lanes",
				number_of(line, "warp_executions"), 100 * simt);
		} else if (every) {
			snprintf(add_note(notes, line)->text, sizeof notes->items->text,
				"%.0f warp-executions", number_of(line, "warp_executions"));
		}
	}
}

static void note_branches(struct notes *notes, const json_t *entry)
{
	const json_t *branch;
	size_t i;

	json_array_foreach(json_object_get(entry, "branches"), i, branch)
	{
		if (!(number_of(branch, "divergent") > 0))
			continue;
		struct note *note = add_note(notes, branch);
		note->bad = true;
		snprintf(note->text, sizeof note->text, "diverges %.0f of %.0f",
			number_of(branch, "divergent"), number_of(branch, "executions"));
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

/* An earlier note that says the same of the same line; NULL without one. */
static struct note *find_same(const struct notes *notes, const struct note *note)
{
	for (size_t i = notes->count; i-- > 0 && notes->items[i].line == note->line;)
		if (strcmp(notes->items[i].text, note->text) == 0 &&
			strcmp(notes->items[i].detail, note->detail) == 0)
			return &notes->items[i];
	return NULL;
}

/* A loop that the compiler wrote out makes several accesses of one. */
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

static size_t drop_quiet(struct notes *notes)
{
	size_t kept = 0;
	size_t count = notes->count;

	for (size_t i = 0; i < count; i++)
		if (notes->items[i].bad)
			notes->items[kept++] = notes->items[i];
	notes->count = kept;
	return count - kept;
}

/* ---- Public -------------------------------------------------------------------------------- */

/* In the notes' column, wrapped; the source stands left of its first line. */
static void put_text(FILE *out, const char *text, enum style text_style, int indent,
	const struct page_style *style)
{
	const char *line;
	int length = text_wrap(&text, PAGE_COLUMNS - NOTE_COLUMN - indent, &line);

	for (int start = indent; length > 0; start = NOTE_COLUMN + indent) {
		fprintf(out, "%*s%s%.*s%s\n", start, "", style_code(style->colour, text_style),
			length, line, style_code(style->colour, STYLE_PLAIN));
		length = text_wrap(&text, PAGE_COLUMNS - NOTE_COLUMN - indent, &line);
	}
}

static void put_note(FILE *out, const struct note *note, bool first, const struct page_style *style)
{
	char source[4 * SOURCE_COLUMNS + 8] = "";
	char text[160] = "";

	if (first) {
		text_cut(note->source, SOURCE_COLUMNS, source, sizeof source);
		fprintf(out, "%5d  ", note->line);
	} else {
		fprintf(out, "%7s", "");
	}
	put_padded(out, source, SOURCE_COLUMNS + 2);
	if (note->times > 1)
		snprintf(text, sizeof text, "%ux ", note->times);
	snprintf(text + strlen(text), sizeof text - strlen(text), "%s", note->text);
	put_text(out, text, note->bad ? STYLE_YELLOW : STYLE_PLAIN, 0, style);
	if (!style->verbose || !*note->detail)
		return;
	fprintf(out, "%*s", NOTE_COLUMN, "");
	put_text(out, note->detail, STYLE_DIM, 2, style);
}

void put_lines(FILE *out, const json_t *entry, const struct page_style *style)
{
	const char *const lists[] = {"accesses", "accesses", "lines", "branches"};
	struct notes notes = {0};
	size_t most = 1;
	size_t left_out = 0;
	int line = 0;

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		most += json_array_size(json_object_get(entry, lists[i]));
	notes.items = calloc(most, sizeof *notes.items);
	if (!notes.items)
		return;
	note_accesses(&notes, entry);
	note_lines(&notes, entry, style->verbose);
	note_branches(&notes, entry);
	qsort(notes.items, notes.count, sizeof *notes.items, compare_notes);
	merge_notes(&notes);
	if (!style->verbose && notes.count > QUIET_NOTES)
		left_out = drop_quiet(&notes);
	if (notes.count && *row_text(entry, "file"))
		fprintf(out, "%s%s%s\n", style_code(style->colour, STYLE_DIM),
			row_text(entry, "file"), style_code(style->colour, STYLE_PLAIN));
	for (size_t i = 0; i < notes.count; i++) {
		put_note(out, &notes.items[i], notes.items[i].line != line, style);
		line = notes.items[i].line;
	}
	if (left_out)
		fprintf(out, "       %zu notes without a finding are left out: -v shows them\n",
			left_out);
	free(notes.items);
}
