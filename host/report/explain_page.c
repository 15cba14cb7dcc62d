#include "host/report/explain_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/report/flag_marks.h"
#include "host/report/format.h"
#include "host/report/row_details.h"
#include "host/report/wrap.h"

#define FEW_LANES 0.5    /* a line that fewer lanes run is a finding */
#define FULL_SIMT 0.9995 /* rounds to 100.0 % */

/* ---- Notes on lines --------------------------------------------------------------------------- */

/* One decimal, unless it is zero: "4", "4.5"; "-" for NaN. */
static void format_short(double value, char *text, size_t size)
{
	if (!isfinite(value))
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.*f", fabs(value - round(value)) < 0.05 ? 0 : 1, value);
}

/* "1.05 MB": decimal units. */
static void format_bytes(double bytes, char *text, size_t size)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	char number[32];
	size_t unit = 0;

	for (; bytes >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
		bytes /= 1000;
	if (unit == 0)
		format_short(bytes, number, sizeof number);
	else
		format_number(bytes, number, sizeof number);
	snprintf(text, size, "%s %s", number, units[unit]);
}

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
static bool is_merged(
	const struct explain_notes *notes, const struct explain_note *note, bool by_detail)
{
	for (size_t i = notes->count; i-- > 0 && notes->items[i].line == note->line;)
		if (text_equal(notes->items[i].text, note->text) &&
			(!by_detail || text_equal(notes->items[i].detail, note->detail))) {
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
		if (!is_merged(&notes, &note, every)) {
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

/* Writes the separator unless nothing is written yet. out: open_memstream(). Returns out. */
static FILE *next_part(FILE *out, const char *separator)
{
	if (ftello(out) > 0)
		fputs(separator, out);
	return out;
}

/* A named text about an entry. */
struct fact {
	const char *name;
	explain_text_fn *put;
	bool more; /* only with `all` */
};

char *explain_text(explain_text_fn *put, const struct explanation_record *entry)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put(out, entry);
	fclose(out);
	return text;
}

/* ---- Parts --------------------------------------------------------------------------------- */

/* Writes nothing if the number is unknown. */
static void put_number(FILE *out, const char *before, double value, const char *after)
{
	if (isfinite(value))
		fprintf(out, "%s%s%s", before, as_text(format_number, value).text, after);
}

/* Writes "32 x 8": without trailing extents of 1. */
static void put_extent(FILE *out, const int64_t extent[3])
{
	size_t count = 3;

	while (count > 1 && extent[count - 1] == 1)
		count--;
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%lld", i ? " x " : "", (long long)extent[i]);
}

static bool is_known(const char *text)
{
	return text && *text;
}

/* ---- Head ---------------------------------------------------------------------------------- */

void explain_put_name(FILE *out, const struct explanation_record *entry)
{
	fprintf(out, "%s/%s", text_or_empty(entry->family),
		is_known(entry->label) ? entry->label : text_or_empty(entry->variant));
}

void explain_put_problem(FILE *out, const struct explanation_record *entry)
{
	const char *const parts[] = {entry->title, entry->problem_text, entry->choices};

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		if (is_known(parts[i]))
			fputs(parts[i], next_part(out, ", "));
	for (size_t i = 0; i < entry->macros.count; i++)
		fprintf(next_part(out, ", "), "%s=%lld", entry->macros.items[i].name,
			(long long)entry->macros.items[i].value);
	if (entry->fallback)
		fprintf(out, "; %s", entry->fallback);
}

static void put_technique(FILE *out, const struct explanation_record *entry)
{
	bool named = is_known(entry->technique) && strcmp(entry->technique, "-") != 0;

	fprintf(out, "%s%s%s", named ? entry->technique : "", named ? ": " : "",
		text_or_empty(entry->idea));
}

void explain_put_file(FILE *out, const struct explanation_record *entry)
{
	const char *file = text_or_empty(entry->file);
	const char *ending = strrchr(file, '.');

	fprintf(out, "%s%s",
		text_equal(ending, ".cl")   ? "OpenCL kernel "
		: text_equal(ending, ".cu") ? "CUDA kernel "
					    : "",
		file);
}

static void put_defects(FILE *out, const struct explanation_record *entry)
{
	for (size_t i = 0; i < entry->defects.count; i++) {
		const struct defect_record *defect = &entry->defects.items[i];
		long long line = defect->line, other = defect->other_line;
		fputs(word_text(trace_defect_words, defect->kind), next_part(out, "; "));
		if (line > 0 && other > 0 && line != other)
			fprintf(out, ", lines %lld and %lld", line, other);
		else if (line > 0)
			fprintf(out, ", line %lld", line);
		fprintf(out, ": %s", text_or_empty(defect->text));
	}
}

/* ---- Facts of a launch --------------------------------------------------------------------- */

static void put_sampled(FILE *out, const struct explanation_record *entry)
{
	const struct sampled_record *sampled = &entry->sampled;
	const char *limit = entry->defects.count ? ", up to the defect"
			    : sampled->in_part   ? ", sampled in part: no totals"
			    : entry->estimated   ? ": totals are estimates"
						 : NULL;

	if (sampled->total == 1 && !entry->defects.count)
		fputs(sampled->in_part ? "; sampled in part: no totals" : "; traced", out);
	else if (limit)
		fprintf(out, "; %lld of %lld blocks traced%s", (long long)sampled->blocks,
			(long long)sampled->total, limit);
	else
		fprintf(out, "; all %lld blocks traced", (long long)sampled->total);
}

static void put_launch(FILE *out, const struct explanation_record *entry)
{
	const struct launch_record *launch = &entry->launch;

	if (!launch->record.present)
		return;
	if (launch->count > 1)
		fprintf(out, "%lld of %lld: ", (long long)launch->index, (long long)launch->count);
	fprintf(out, "%s, grid ", text_or_empty(launch->kernel));
	put_extent(out, launch->grid);
	fputs(", block ", out);
	put_extent(out, launch->block);
	if (launch->shared_bytes > 0)
		fprintf(out, ", %lld bytes of dynamic shared memory",
			(long long)launch->shared_bytes);
	if (entry->sampled.record.present)
		put_sampled(out, entry);
}

/* The model is the same for all launches, so only the first launch has it. */
static void put_model(FILE *out, const struct explanation_record *entry)
{
	const struct access_model_record *model = &entry->model;

	if (!model->record.present || entry->launch.index > 1)
		return;
	fprintf(out, "%s, %lld lanes; sectors of %lld bytes, lines of %lld bytes, ",
		text_or_empty(model->name), (long long)model->width, (long long)model->sector_bytes,
		(long long)model->line_bytes);
	if (model->banks)
		fprintf(out, "%lld banks of %lld bytes", (long long)model->banks,
			(long long)model->bank_bytes);
	else
		fputs("banks unknown", out);
}

/* The reason is the same for all launches, so only the first launch has it. */
static void put_no_trace(FILE *out, const struct explanation_record *entry)
{
	fputs(entry->launch.index > 1 ? "" : text_or_empty(entry->no_trace), out);
}

static void put_divergence(FILE *out, const struct explanation_record *entry)
{
	if (entry->warps <= 0 || !explanation_has_warps(entry))
		return;
	fprintf(out, "%lld of %lld warps diverge", (long long)entry->divergent_warps,
		(long long)entry->warps);
	if (isfinite(entry->simt_efficiency))
		fprintf(out, "; SIMT efficiency %.1f %%", 100 * entry->simt_efficiency);
}

static void put_bytes(FILE *out, const struct explanation_record *entry)
{
	const struct totals_record *totals = &entry->totals;
	const struct {
		const char *name;
		double requested, moved;
	} ways[] = {
		{"loads", totals->bytes_loaded_requested, totals->bytes_loaded_moved},
		{"stores", totals->bytes_stored_requested, totals->bytes_stored_moved},
		{"atomics", totals->bytes_atomic_requested, totals->bytes_atomic_moved},
	};

	if (!totals->record.present)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(ways); i++)
		if (ways[i].moved > 0)
			fprintf(next_part(out, ", "), "%s %s for %s requested", ways[i].name,
				as_text(format_bytes, ways[i].moved).text,
				as_text(format_bytes, ways[i].requested).text);
	if (totals->bytes_compulsory > 0)
		fprintf(next_part(out, "; "), "%s compulsory%s",
			as_text(format_bytes, totals->bytes_compulsory).text,
			totals->estimated ? " (estimates)" : "");
}

static void put_resources(FILE *out, const struct explanation_record *entry)
{
	const struct resources_record *resources = &entry->resources;
	char *fields = row_details_fields(&resources_type, resources,
		"registers shared_bytes sgprs accvgprs spill_bytes max_block");

	if (resources->record.present)
		fprintf(out, is_known(resources->source) ? "%s (%s)" : "%s%s",
			text_or_empty(fields), text_or_empty(resources->source));
	else if (is_known(entry->no_resources))
		fprintf(out, "unknown: %s", entry->no_resources);
	free(fields);
}

static void put_occupancy(FILE *out, const struct explanation_record *entry)
{
	const struct occupancy_record *occupancy = &entry->occupancy;
	const char *before = "; limited by ";

	if (!occupancy->record.present)
		return;
	fprintf(out, "%.1f %%: %lld block%s, %lld threads, %lld warps per %s",
		100 * occupancy->ratio, (long long)occupancy->blocks,
		occupancy->blocks == 1 ? "" : "s", (long long)occupancy->threads,
		(long long)occupancy->warps,
		is_known(occupancy->unit) ? occupancy->unit : "multiprocessor");
	if (occupancy->simd_warps >= 0)
		fprintf(out, ", up to %lld on each %s", (long long)occupancy->simd_warps,
			text_or_empty(occupancy->simd));
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
		if (!(occupancy->limited_by >> i & 1))
			continue;
		fprintf(out, "%s%s", before, occupancy_limit_words[i]);
		before = ", ";
	}
	if (is_known(occupancy->target))
		fprintf(out, " (%s)", occupancy->target);
}

static const struct fact launch_facts[] = {
	{"launch", put_launch, false},
	{"model", put_model, false},
	{"no trace", put_no_trace, false},
	{NULL, NULL, false},
};

static const struct fact traced_facts[] = {
	{"divergence", put_divergence, false},
	{"bytes", put_bytes, false},
	{"resources", put_resources, true},
	{"occupancy", put_occupancy, false},
	{NULL, NULL, false},
};

/* ---- Facts of a variant -------------------------------------------------------------------- */

static void put_intensity(FILE *out, const struct explanation_record *entry)
{
	const struct intensity_record *intensity = &entry->intensity;
	const struct family *family = family_find(text_or_empty(entry->family));

	if (intensity->compulsory == 0 && (!family || family->own)) {
		fputs("unknown: a problem file does not count operations", out);
		return;
	}
	if (intensity->compulsory == 0) {
		fputs("no arithmetic", out);
		return;
	}
	put_number(out, "compulsory ", intensity->compulsory, "");
	put_number(out, ", issued ", intensity->issued, "");
	put_number(out, ", traced ", intensity->requested, "");
	put_number(out, " (of global loads ", intensity->loads, ")");
	put_number(out, ", in sectors ", intensity->moved, "");
	if (ftello(out) > 0)
		fputs(" FLOP per byte", out);
	put_number(out, "; ridge ", entry->roofs.ridge, "");
	if (isfinite(entry->roofs.ridge) && !entry->roofs.measured)
		fprintf(out, " on %s (for reference)", text_or_empty(entry->roofs.name));
}

static void put_limit(FILE *out, const struct explanation_record *entry)
{
	const char *limit = limited_by_name((enum limited_by)entry->limited_by);
	bool predicted = limit && entry->limit_predicted;

	if (limit || is_known(entry->limit_text))
		fprintf(out, "%s%s%s %s", predicted ? "predicted: " : "", limit ? limit : "unknown",
			predicted ? ";" : ":", text_or_empty(entry->limit_text));
}

/* Writes ", 3210 of 4234 GB/s", where the second number is the attainable rate. Writes nothing for a
 * rate of 0. */
static void put_rate(FILE *out, double rate, double attainable, const char *unit)
{
	if (!(rate > 0))
		return;
	put_number(out, ", ", rate, "");
	put_number(out, " of ", attainable, "");
	fprintf(out, " %s", unit);
}

static void put_measured(FILE *out, const struct explanation_record *entry)
{
	const struct measured_record *measured = &entry->measured;
	char marks[FLAG_MARKS_BYTES];

	if (!measured->record.present)
		return;
	if (measured->status != OUTCOME_OK) {
		fputs(format_status(measured->status).text, out);
	} else {
		flag_marks_format(measured->flags, marks);
		fprintf(out, "%s%s", as_text(format_ns, measured->ns).text, marks);
		put_rate(out, measured->gbps, measured->attainable_gbps, "GB/s");
		put_rate(out, measured->gflops, measured->attainable_gflops, "GFLOP/s");
		if (isfinite(measured->fraction_of_roof))
			fprintf(out, ", %.0f %% of the roof", 100 * measured->fraction_of_roof);
	}
	fprintf(out, " at %s on %s (%s)", text_or_empty(measured->problem_text),
		text_or_empty(measured->device_name), text_or_empty(measured->backend));
}

static void put_not_measured(FILE *out, const struct explanation_record *entry)
{
	fputs(entry->measured.record.present ? "" : text_or_empty(entry->no_measurement), out);
}

/* "! throttled: ...; ~ noisy: ...": the marks of the measured time. */
static void put_flags(FILE *out, const struct explanation_record *entry)
{
	const struct measured_record *measured = &entry->measured;

	if (!measured->record.present)
		return;
	fputs(text_or_empty(measured->load), out);
	for (unsigned i = 0; i < FLAG_MARK_COUNT; i++)
		if (measured->flags >> i & 1)
			flag_marks_put(next_part(out, "; "), "", 1u << i, "");
}

static void put_next(FILE *out, const struct explanation_record *entry)
{
	const struct next_record *next = &entry->next;

	if (!next->record.present)
		return;
	fprintf(out, "%s (%s)", text_or_empty(next->variant), text_or_empty(next->technique));
	if (is_known(next->claim))
		fprintf(out, "; claim (speed): %s", next->claim);
}

static void put_next_idea(FILE *out, const struct explanation_record *entry)
{
	fputs(entry->next.record.present ? text_or_empty(entry->next.idea) : "", out);
}

static void put_advice(FILE *out, const struct explanation_record *entry)
{
	const struct advice_record *advice = &entry->advice;

	if (!advice->record.present)
		return;
	if (advice->item >= 0)
		fprintf(out, "%s: ", word_text(check_item_words, advice->item));
	fputs(text_or_empty(advice->text), out);
}

static const struct fact variant_facts[] = {
	{"intensity", put_intensity, false},
	{"limited by", put_limit, false},
	{"measured", put_measured, false},
	{"not measured", put_not_measured, true},
	{"flags", put_flags, false},
	{"next rung", put_next, false},
	{"", put_next_idea, true},
	{"next", put_advice, false},
	{NULL, NULL, false},
};

/* ---- Pages --------------------------------------------------------------------------------- */

/* Frees the text. */
static void put_text(
	const struct explain_writer *writer, const char *name, char *text, enum style style)
{
	if (*text_or_empty(text))
		writer->put_fact(writer->context, name, text, style);
	free(text);
}

static void put_facts(const struct explain_writer *writer, const struct fact *facts,
	const struct explanation_record *entry, bool all)
{
	for (; facts->name; facts++)
		if (all || !facts->more)
			put_text(writer, facts->name, explain_text(facts->put, entry), STYLE_PLAIN);
}

static void put_unknown(FILE *out, const struct explanation_record *entry)
{
	for (size_t i = 0; i < entry->checklist.count; i++)
		if (entry->checklist.items[i].state == CHECK_UNKNOWN)
			fputs(word_text(check_item_words, entry->checklist.items[i].item),
				next_part(out, ", "));
}

/* Writes the open items of the checklist, or all items. */
static void put_checklist(
	const struct explain_writer *writer, const struct explanation_record *entry, bool all)
{
	const char *name = all ? "checklist" : "open";
	char *unknown = all ? NULL : explain_text(put_unknown, entry);

	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		bool open = check->state == CHECK_OPEN;
		char *text = NULL;
		if (!open && !all)
			continue;
		text_format(&text, "%s%s%s%s%s", word_text(check_item_words, check->item),
			all ? ", " : "", all ? word_text(check_state_words, check->state) : "",
			check->text ? ": " : "", text_or_empty(check->text));
		put_text(writer, name, text, open ? STYLE_YELLOW : STYLE_PLAIN);
		name = "";
	}
	if (!all && *name && !*text_or_empty(unknown) && entry->checklist.count)
		writer->put_fact(writer->context, name, "no item of the checklist", STYLE_GREEN);
	put_text(writer, "unknown", unknown, STYLE_PLAIN);
}

void explain_put(const struct explain_writer *writer, const struct explanation_record *entries,
	size_t count, bool all)
{
	put_text(writer, "technique", explain_text(put_technique, entries), STYLE_PLAIN);
	if (entries->status >= 0) {
		writer->put_fact(writer->context, format_status(entries->status).text,
			text_or_empty(entries->reason), format_status_style(entries->status));
		return;
	}
	for (size_t i = 0; i < count; i++)
		put_text(writer, "DEFECT", explain_text(put_defects, &entries[i]), STYLE_RED);
	for (size_t i = 0; i < count; i++) {
		put_facts(writer, launch_facts, &entries[i], all);
		if (i > 0 && !all)
			continue;
		writer->put_notes(writer->context, &entries[i]);
		put_facts(writer, traced_facts, &entries[i], all);
		if (count > 1 && all)
			writer->put_fact(writer->context, "", "", STYLE_PLAIN);
	}
	put_facts(writer, variant_facts, entries, all);
	put_checklist(writer, entries, all);
}

#define NAME_COLUMNS 12   /* for the name of a fact */
#define MAX_COLUMNS 160   /* longer lines are hard to read */
#define NUMBER_COLUMNS 7  /* for the number of a line */
#define SOURCE_COLUMNS 72 /* for the text of a line, at most */
#define PAGE_LINES 25     /* without -v and --map, if possible */
#define MAX_NOTES 25      /* of such a page */
#define MAP_LANES 32      /* lanes in a line of a map */

struct explain_page {
	FILE *out;
	const struct page_style *style;
	int columns;
	size_t max_notes;
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

	if (page->style->wrong && strcmp(name, "next") == 0)
		return;
	if (!*name && !*text)
		fputc('\n', page->out);
	put_columns(page, name, STYLE_DIM, NAME_COLUMNS, text, style);
}

/* ---- Maps (--map) --------------------------------------------------------------------------- */

/* The number of different sectors below that of the lane. */
static size_t sector_of(const struct request_record *request, size_t lane, int64_t sector_bytes)
{
	const int64_t *offsets = request->offsets.items;
	size_t below = 0;

	for (size_t i = 0; i < request->offsets.count; i++) {
		int64_t sector = offsets[i] / sector_bytes;
		bool first = offsets[i] >= 0 && sector < offsets[lane] / sector_bytes;
		for (size_t j = 0; j < i && first; j++)
			first = offsets[j] < 0 || offsets[j] / sector_bytes != sector;
		below += first;
	}
	return below;
}

/* One character for each lane of the typical request: the sector or the bank of its first byte. */
static void put_map(const struct explain_page *page, const struct explanation_record *entry,
	const struct access_record *access, int column)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#@";
	const struct request_record *request = &access->request;
	const struct integer_list *banks = &request->banks;
	bool shared = access->space == TRACE_SHARED;
	size_t lanes = request->offsets.count;

	for (size_t lane = 0; lane < lanes && (!shared || banks->count == lanes); lane++) {
		char digit = '.';
		if (lane % MAP_LANES == 0)
			fprintf(page->out, "%s%*s%-8s", lane ? "\n" : "", column, "",
				lane     ? ""
				: shared ? "banks"
					 : "sectors");
		if (request->offsets.items[lane] >= 0)
			digit = digits[(shared ? (size_t)banks->items[lane]
					       : sector_of(request, lane,
							 entry->model.record.present
								 ? entry->model.sector_bytes
								 : 32)) %
				       (sizeof digits - 1)];
		fputc(digit, page->out);
		if (lane + 1 == lanes)
			fputc('\n', page->out);
	}
}

/* ---- Notes of a launch --------------------------------------------------------------------- */

static void put_note(const struct explain_page *page, const struct explanation_record *entry,
	const struct explain_note *note, bool first)
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
	if (page->style->map && note->access)
		put_map(page, entry, note->access, NUMBER_COLUMNS + columns + 2);
	free(text);
}

/* The order in which notes are left out, the smallest number first. */
static unsigned rank_of(const struct explain_note *note)
{
	return 2 * note->weight + (note->access && note->access->space != TRACE_SHARED);
}

/* Whether a page with few notes has this one. */
static bool is_shown(
	const struct explain_page *page, const struct explain_notes *notes, size_t index)
{
	size_t before = 0;

	for (size_t i = 0; i < notes->count; i++) {
		unsigned rank = rank_of(&notes->items[i]), own = rank_of(&notes->items[index]);
		before += rank > own || (rank == own && i < index);
	}
	return before < page->max_notes;
}

/* Prints the lines of the kernel that have notes, each with its notes to its right. */
static void put_notes(void *context, const struct explanation_record *entry)
{
	const struct explain_page *page = context;
	struct explain_notes notes = explain_notes_make(entry, page->style->verbose);
	size_t shown = 0;
	int64_t line = 0;

	if (notes.count && entry->file) {
		fputs(style_code(page->style->colour, STYLE_DIM), page->out);
		explain_put_file(page->out, entry);
		fprintf(page->out, "%s\n", style_code(page->style->colour, STYLE_PLAIN));
		if (page->style->map)
			put_columns(page, "map", STYLE_DIM, NAME_COLUMNS,
				"each character is a lane: the number of its sector in the request, or of "
				"its bank; a = 10, . = inactive",
				STYLE_PLAIN);
	}
	for (size_t i = 0; i < notes.count; i++) {
		if (!is_shown(page, &notes, i))
			continue;
		put_note(page, entry, &notes.items[i], notes.items[i].line != line);
		line = notes.items[i].line;
		shown++;
	}
	if (shown < notes.count)
		fprintf(page->out, "       %zu more note%s: -v\n", notes.count - shown,
			notes.count - shown == 1 ? "" : "s");
	explain_notes_finish(&notes);
}

/* ---- Page ---------------------------------------------------------------------------------- */

/* Returns the text of the page, and the number of its lines; NULL for lack of memory. */
static char *page_text(struct explain_page *page, const struct explanation_record *entries,
	size_t count, size_t *ret_lines)
{
	const struct explain_writer writer = {page, put_fact, put_notes};
	char *name = explain_text(explain_put_name, entries);
	char *problem = explain_text(explain_put_problem, entries);
	char *text = NULL;
	size_t size;

	page->out = open_memstream(&text, &size);
	if (page->out) {
		/* "scan/naive  title, sizes, macros" */
		put_columns(page, text_or_empty(name), STYLE_BOLD, NAME_COLUMNS,
			text_or_empty(problem), STYLE_PLAIN);
		explain_put(&writer, entries, count, page->style->verbose);
		fclose(page->out);
	}
	free(name);
	free(problem);
	*ret_lines = 0;
	for (const char *next = text; next && *next; next++)
		*ret_lines += *next == '\n';
	return text;
}

void explain_page(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style)
{
	int width = style->width ? style->width : EXPLAIN_PAGE_COLUMNS;
	bool whole = style->verbose || style->map;
	struct explain_page page = {NULL, style, width < MAX_COLUMNS ? width : MAX_COLUMNS,
		whole ? SIZE_MAX : MAX_NOTES};
	char *text;
	size_t lines;

	for (;; page.max_notes--) {
		text = page_text(&page, entries, count, &lines);
		if (whole || lines <= PAGE_LINES || page.max_notes == 0)
			break;
		free(text);
	}
	fputs(text_or_empty(text), out);
	free(text);
}
