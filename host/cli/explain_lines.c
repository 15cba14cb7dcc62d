#include "host/cli/explain_text.h"

#include "common/model/access.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_COLUMNS 36
#define NOTE_COLUMN (7 + SOURCE_COLUMNS + 2)
/* A page is a screen: above so many notes those that find nothing wrong are left out, and if there
 * are still more, lines that most lanes run. */
#define QUIET_NOTES 22
#define MOST_LANES 0.5
#define FULL_SIMT 0.9995 /* what rounds to 100.0 % */

enum weight {
	QUIET,
	MINOR,
	BAD
};

struct note {
	int line;
	size_t order;       /* notes of a line stay in the order in which they were made */
	const char *source; /* text of the line; the JSON's */
	enum weight weight;
	unsigned times; /* so often on one line */
	char text[160];
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

/* Pieces of memory that each request goes to: "contiguous in runs of 16" are two. */
static int pieces_of(const json_t *access)
{
	const char *runs = strstr(row_text(access, "pattern"), "contiguous in runs of ");
	int lanes = runs ? atoi(runs + strlen("contiguous in runs of ")) : WARP_THREADS;

	if (lanes < 1 || lanes * number_of(access, "width_bytes") < 2 * SECTOR_BYTES)
		return 1;
	return WARP_THREADS / lanes;
}

const char *access_coalescing(const json_t *access)
{
	double bytes = number_of(access, "active_lanes") * number_of(access, "width_bytes");
	double most = ceil(bytes / SECTOR_BYTES) + pieces_of(access);

	if (is_shared(access))
		return "n/a (shared)";
	return number_of(access, "sectors_per_request") <= most ? "coalesced" : "uncoalesced";
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

/* Of atomic operations: ", 2 to an address". */
static void format_meeting(const json_t *access, struct note *note, char *ret_text, size_t size)
{
	double lanes = number_of(access, "multiplicity");
	char number[32];

	*ret_text = '\0';
	if (!(lanes >= 1))
		return;
	format_short(lanes, number, sizeof number);
	snprintf(ret_text, size, ", %s to an address", number);
	if (lanes > 1)
		note->weight = BAD;
}

static void describe_shared(const json_t *access, struct note *note)
{
	double ways = number_of(access, "ways");
	char conflict[32] = "no conflict";
	char meeting[64];
	char number[32];

	note->weight = ways > 1 ? BAD : QUIET;
	if (ways > 1)
		snprintf(conflict, sizeof conflict, "%.0f-way conflict", ways);
	format_meeting(access, note, meeting, sizeof meeting);
	snprintf(note->text, sizeof note->text, "%s: %s%s; %s", row_text(access, "kind"), conflict,
		meeting, access_coalescing(access));
	format_short(number_of(access, "wavefronts_per_request"), number, sizeof number);
	snprintf(note->detail, sizeof note->detail,
		"%.0f requests of %.0f bytes a lane, %s: %s wavefront%s each",
		number_of(access, "requests"), number_of(access, "width_bytes"),
		row_text(access, "pattern"), number, strcmp(number, "1") == 0 ? "" : "s");
}

static void describe_global(const json_t *access, struct note *note)
{
	const char *coalescing = access_coalescing(access);
	double sectors = number_of(access, "sectors_per_request");
	char meeting[64];
	char number[32];

	note->weight = strcmp(coalescing, "coalesced") == 0 ? QUIET : BAD;
	format_meeting(access, note, meeting, sizeof meeting);
	format_short(sectors, number, sizeof number);
	snprintf(note->text, sizeof note->text, "%s %s: %s sector%s/request, %s%s; %s",
		row_text(access, "kind"), row_text(access, "operand"), number,
		sectors == 1 ? "" : "s", row_text(access, "pattern"), meeting, coalescing);
	format_short(number_of(access, "lines128_per_request"), number, sizeof number);
	snprintf(note->detail, sizeof note->detail,
		"%.0f requests of %.0f bytes a lane: %s line%s of 128, aligned to %.0f, %.0f %% of sectors used",
		number_of(access, "requests"), number_of(access, "width_bytes"), number,
		strcmp(number, "1") == 0 ? "" : "s", number_of(access, "alignment_bytes"),
		100 * number_of(access, "efficiency"));
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
	size_t i;

	json_array_foreach(json_object_get(entry, "accesses"), i, access)(
		is_shared(access) ? describe_shared : describe_global)(
		access, add_note(notes, access));
}

static void note_lines(struct notes *notes, const json_t *entry, bool every)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(entry, "lines"), i, line)
	{
		double simt = number_of(line, "simt");
		double times = number_of(line, "warp_executions");
		const char *plural = times == 1 ? "" : "s";
		if (simt < FULL_SIMT) {
			struct note *note = add_note(notes, line);
			note->weight = simt < MOST_LANES ? BAD : MINOR;
			snprintf(note->text, sizeof note->text,
				"%.0f warp-execution%s, %.1f %% of lanes", times, plural,
				100 * simt);
		} else if (every) {
			snprintf(add_note(notes, line)->text, sizeof notes->items->text,
				"%.0f warp-execution%s", times, plural);
		}
	}
}

/* Branches lie in the order of their lines; several on one line (a macro) make one note. */
static void note_branches(struct notes *notes, const json_t *entry)
{
	const json_t *branches = json_object_get(entry, "branches");
	size_t next = 0;

	for (size_t i = 0; i < json_array_size(branches); i = next) {
		const json_t *first = json_array_get(branches, i);
		double divergent = 0;
		double executions = 0;
		unsigned count = 0;
		for (next = i; next < json_array_size(branches); next++) {
			const json_t *branch = json_array_get(branches, next);
			if (number_of(branch, "line") != number_of(first, "line"))
				break;
			if (!(number_of(branch, "divergent") > 0))
				continue;
			divergent += number_of(branch, "divergent");
			executions += number_of(branch, "executions");
			count++;
		}
		if (count == 0)
			continue;
		struct note *note = add_note(notes, first);
		note->weight = BAD;
		if (count == 1)
			snprintf(note->text, sizeof note->text, "diverges %.0f of %.0f", divergent,
				executions);
		else
			snprintf(note->text, sizeof note->text, "%u branches: diverge %.0f of %.0f",
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

static size_t drop_below(struct notes *notes, enum weight least)
{
	size_t kept = 0;
	size_t count = notes->count;

	for (size_t i = 0; i < count; i++)
		if (notes->items[i].weight >= least)
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
	char text[192] = "";

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
	put_text(out, text, note->weight > QUIET ? STYLE_YELLOW : STYLE_PLAIN, 0, style);
	if (!style->verbose || !*note->detail)
		return;
	fprintf(out, "%*s", NOTE_COLUMN, "");
	put_text(out, note->detail, STYLE_DIM, 2, style);
}

void put_lines(FILE *out, const json_t *entry, const struct page_style *style)
{
	const char *const lists[] = {"accesses", "lines", "branches"};
	struct notes notes = {0};
	size_t most = 1;
	size_t left_out = 0;
	size_t minor = 0;
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
		left_out = drop_below(&notes, MINOR);
	if (!style->verbose && notes.count > QUIET_NOTES)
		minor = drop_below(&notes, BAD);
	if (notes.count && *row_text(entry, "file"))
		fprintf(out, "%s%s%s\n", style_code(style->colour, STYLE_DIM),
			row_text(entry, "file"), style_code(style->colour, STYLE_PLAIN));
	for (size_t i = 0; i < notes.count; i++) {
		put_note(out, &notes.items[i], notes.items[i].line != line, style);
		line = notes.items[i].line;
	}
	if (left_out)
		fprintf(out, "       %zu note%s without a finding left out: -v shows all\n",
			left_out, left_out == 1 ? "" : "s");
	if (minor)
		fprintf(out,
			"       %zu note%s of lines that half of the lanes or more run left out\n",
			minor, minor == 1 ? "" : "s");
	free(notes.items);
}
