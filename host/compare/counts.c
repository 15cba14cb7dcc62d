#include "host/compare/counts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* ---- Counts ---------------------------------------------------------------------------------- */

/* A count of a record. Unless `more` is set, a larger count costs more. */
struct count_row {
	const char *name;
	double (*value)(const void *record); /* NAN: unknown, or the record has no such count */
	bool more;
	bool total; /* also compared where only one file has the place */
};

/* The function NAME_of() returns a count of a record, `r`. */
#define VALUE(name, type, expression)               \
	static double name##_of(const void *record) \
	{                                           \
		const type *r = record;             \
		return (double)(expression);        \
	}
#define KNOWN(count) ((count) < 0 ? NAN : (double)(count))

VALUE(requests, struct access_record, r->requests)
VALUE(active_lanes, struct access_record, r->active_lanes)
VALUE(bytes, struct access_record, r->bytes_requested)
VALUE(sectors, struct access_record, round(r->sectors_per_request *(double)r->requests))
VALUE(cache_lines, struct access_record, round(r->lines128_per_request *(double)r->requests))
VALUE(wavefronts, struct access_record, round(r->wavefronts_per_request *(double)r->requests))
VALUE(ways, struct access_record, KNOWN(r->ways))
VALUE(multiplicity, struct access_record, r->multiplicity)
VALUE(executions, struct branch_record, r->executions)
VALUE(divergent, struct branch_record, r->divergent)
VALUE(passes, struct barrier_record, r->executions)
VALUE(line_executions, struct line_record, r->warp_executions)
VALUE(line_lanes, struct line_record, (double)r->lanes / (double)r->warp_executions)
VALUE(defects, struct defect_record, r->kind == TRACE_NO_DEFECT ? 0 : 1)
VALUE(trace, struct explanation_record, r->sampled.record.present ? 1 : NAN)
VALUE(warps, struct explanation_record, KNOWN(r->warps))
VALUE(divergent_warps, struct explanation_record, KNOWN(r->divergent_warps))
VALUE(registers, struct explanation_record, KNOWN(r->resources.registers))
VALUE(spilled, struct explanation_record, KNOWN(r->resources.spill_bytes))
VALUE(static_bytes, struct explanation_record, KNOWN(r->resources.shared_bytes))
VALUE(scalars, struct explanation_record, KNOWN(r->resources.sgprs))
VALUE(acc_registers, struct explanation_record, KNOWN(r->resources.accvgprs))
VALUE(dynamic_bytes, struct explanation_record,
	r->launch.record.present ? r->launch.shared_bytes : NAN)
VALUE(occupancy_ratio, struct explanation_record,
	r->occupancy.record.present ? r->occupancy.ratio : NAN)

static const struct count_row access_rows[] = {
	{"requests", requests_of, .total = true},
	{"sectors", sectors_of, .total = true},
	{"cache lines", cache_lines_of},
	{"bank passes", wavefronts_of, .total = true},
	{"bank ways", ways_of},
	{"bytes", bytes_of},
	{"lanes per request", active_lanes_of, .more = true},
	{"lanes per address", multiplicity_of},
};
static const struct count_row branch_rows[] = {
	{"executions", executions_of}, {"divergent executions", divergent_of, .total = true}};
static const struct count_row barrier_rows[] = {{"barriers", passes_of, .total = true}};
static const struct count_row line_rows[] = {{"executions", line_executions_of, .total = true},
	{"lanes per execution", line_lanes_of, .more = true}};
static const struct count_row defect_rows[] = {{"defects", defects_of, .total = true}};
static const struct count_row launch_rows[] = {
	{"traces", trace_of, .more = true},
	{"registers", registers_of},
	{"spilled bytes", spilled_of},
	{"static shared bytes", static_bytes_of},
	{"dynamic shared bytes", dynamic_bytes_of},
	{"scalar registers", scalars_of},
	{"AccVGPRs", acc_registers_of},
	{"occupancy", occupancy_ratio_of, .more = true},
	{"warps", warps_of},
	{"divergent warps", divergent_warps_of},
};

/* ---- Changes --------------------------------------------------------------------------------- */

/* Two launches, and where their changes are written. */
struct pair {
	const struct explanation_record *before, *after;
	struct count_document *document;
	size_t first; /* change of the launch */
	bool failed;  /* there was no memory */
};

/* A place of the source that has counts. */
struct place {
	int64_t line;     /* -1: unknown, or the whole launch */
	const char *text; /* of the line; NULL: none */
	char name[80];    /* "load A"; "" = the whole launch */
	const void *record;
	struct place *other; /* of the other file; NULL: none */
};

static void add_change(struct pair *pair, const struct place *place, const struct count_row *row,
	double before, double after)
{
	const struct explanation_record *launch = pair->after;
	struct count_change_record *change =
		record_list_add(&count_change_type, &pair->document->changes);

	pair->failed |= !change;
	if (!change)
		return;
	text_format(&change->kernel, "%s/%s", launch->family, launch->variant);
	if (launch->launch.count > 1)
		text_format(&change->kernel, "%s/%s launch %lld", launch->family, launch->variant,
			(long long)launch->launch.index);
	change->line = place->line;
	text_set_known(&change->place, place->name);
	text_set(&change->count, row->name);
	change->before = before;
	change->after = after;
	/* A count that is not known any more may hide a larger one. */
	change->effect = isnan(after) || (row->more ? after < before : after > before)
				 ? COUNT_WORSE
				 : COUNT_BETTER;
	text_set(&change->text, place->text);
}

/* place: of the new file, unless only the old file has it. */
static void compare_counts(struct pair *pair, const struct place *place, const void *before,
	const void *after, const struct count_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool alone = !before || !after;
		double old_value = before ? rows[i].value(before) : 0;
		double new_value = after ? rows[i].value(after) : 0;
		if ((alone && !rows[i].total) || isnan(old_value) || (alone && isnan(new_value)))
			continue;
		pair->document->counts++;
		if (old_value != new_value)
			add_change(pair, place, &rows[i], old_value, new_value);
	}
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void describe_access(const void *record, struct place *place)
{
	const struct access_record *access = record;
	const char *kind = word_text(trace_kind_words, access->kind);

	place->line = access->line;
	place->text = access->text;
	if (access->operand)
		snprintf(place->name, sizeof place->name, "%s %s", kind, access->operand);
	else
		snprintf(place->name, sizeof place->name, "%s %s",
			word_text(trace_space_words, access->space), kind);
}

static void describe_defect(const void *record, struct place *place)
{
	const struct defect_record *defect = record;

	place->line = defect->line;
	place->text = defect->text;
	snprintf(
		place->name, sizeof place->name, "%s", word_text(trace_defect_words, defect->kind));
}

#define DESCRIBE(kind)                                                       \
	static void describe_##kind(const void *record, struct place *place) \
	{                                                                    \
		const struct kind##_record *r = record;                      \
		place->line = r->line;                                       \
		place->text = r->text;                                       \
		snprintf(place->name, sizeof place->name, #kind);            \
	}
DESCRIBE(branch)
DESCRIBE(barrier)
DESCRIBE(line)

#define KIND(member, type, rows, ...)                                                      \
	{                                                                                  \
		offsetof(struct explanation_record, member), sizeof(struct type##_record), \
			describe_##type, rows, ARRAY_COUNT(rows), __VA_ARGS__              \
	}

/* The kinds of places. Defects are the first. */
static const struct place_kind {
	size_t list, bytes; /* in the explanation; of a record */
	void (*describe)(const void *record, struct place *place);
	const struct count_row *rows;
	size_t count;
	bool quiet; /* a line that has another change is left out */
} kinds[] = {
	KIND(defects, defect, defect_rows, false),
	KIND(accesses, access, access_rows, false),
	KIND(branches, branch, branch_rows, false),
	KIND(barriers, barrier, barrier_rows, false),
	KIND(lines, line, line_rows, true),
};

/* The places of one kind in a launch. */
struct places {
	struct place *items; /* owned */
	size_t count;
};

static bool has_changed(const struct pair *pair, int64_t line)
{
	for (size_t i = pair->first; i < pair->document->changes.count; i++)
		if (pair->document->changes.items[i].line == line)
			return true;
	return false;
}

static void join(struct place *before, struct place *after)
{
	before->other = after;
	after->other = before;
}

static bool same_place(const struct place *a, const struct place *b, bool with_text)
{
	return !b->other && strcmp(a->name, b->name) == 0 &&
	       (!with_text || text_equal(a->text, b->text));
}

/* The first place of `after` that can belong to a place, from number `first` on. at_gap: only before the next place
 * that has a partner. */
static struct place *find_partner(const struct place *place, const struct places *after,
	size_t first, bool with_text, bool at_gap)
{
	for (size_t i = first; i < after->count; i++) {
		if (at_gap && after->items[i].other)
			return NULL;
		if (same_place(place, &after->items[i], with_text))
			return &after->items[i];
	}
	return NULL;
}

/* Lines of the same text belong together, in their order. Then changed lines between the same neighbours; then the
 * rest. */
static void join_places(const struct places *before, const struct places *after)
{
	for (int step = 0; step < 3; step++) {
		size_t next = 0; /* after the partner of the previous place */
		for (size_t i = 0; i < before->count; i++) {
			struct place *place = &before->items[i];
			struct place *found =
				place->other ? NULL
					     : find_partner(place, after, step == 1 ? next : 0,
						       step == 0, step == 1);
			if (found)
				join(place, found);
			if (place->other)
				next = (size_t)(place->other - after->items) + 1;
		}
	}
}

static bool list_places(const struct place_kind *kind, const struct explanation_record *launch,
	struct places *ret_places)
{
	struct {
		const char *items;
		size_t count;
	} list;

	memcpy(&list, (const char *)launch + kind->list, sizeof list);
	*ret_places =
		(struct places){calloc(list.count + 1, sizeof *ret_places->items), list.count};
	for (size_t i = 0; ret_places->items && i < list.count; i++) {
		ret_places->items[i].record = list.items + i * kind->bytes;
		kind->describe(ret_places->items[i].record, &ret_places->items[i]);
	}
	return ret_places->items != NULL;
}

static void compare_places(struct pair *pair, const struct place_kind *kind)
{
	struct places before = {0}, after = {0};

	if (!list_places(kind, pair->before, &before) || !list_places(kind, pair->after, &after)) {
		pair->failed = true;
		before.count = after.count = 0;
	}
	join_places(&before, &after);
	for (size_t i = 0; i < after.count; i++) {
		const struct place *place = &after.items[i];
		if (!kind->quiet || !has_changed(pair, place->line))
			compare_counts(pair, place, place->other ? place->other->record : NULL,
				place->record, kind->rows, kind->count);
	}
	for (size_t i = 0; i < before.count; i++)
		if (!before.items[i].other)
			compare_counts(pair, &before.items[i], before.items[i].record, NULL,
				kind->rows, kind->count);
	free(before.items);
	free(after.items);
}

/* ---- Launches -------------------------------------------------------------------------------- */

static bool is_lost(const struct explanation_record *launch)
{
	return !launch->launch.record.present;
}

/* A file of an older version has no barriers. */
static bool lacks_barriers(const struct explanation_record *launch)
{
	return launch->record.absent >> record_field_index(&explanation_type, "barriers") & 1;
}

static bool is_barriers(const struct place_kind *kind)
{
	return kind->rows == barrier_rows;
}

/* A defect ends the trace early: the counts are then those of its beginning. */
static void compare_launch(struct pair *pair)
{
	const struct explanation_record *before = pair->before, *after = pair->after;
	const struct place whole = {.line = -1};
	bool ended = before->defects.count || after->defects.count;
	bool traced = before->sampled.record.present && after->sampled.record.present;
	bool old = lacks_barriers(before) || lacks_barriers(after);

	pair->first = pair->document->changes.count;
	pair->document->launches++;
	/* The first row is the trace. */
	compare_counts(pair, &whole, before, after, launch_rows,
		is_lost(after) ? 1 : ARRAY_COUNT(launch_rows) - (ended ? 2 : 0));
	for (size_t i = 0; i < ARRAY_COUNT(kinds) && traced; i++)
		if (i == 0 || (!ended && !(old && is_barriers(&kinds[i]))))
			compare_places(pair, &kinds[i]);
}

/* ---- What can be compared -------------------------------------------------------------------- */

/* Adds a note once. */
static void __attribute__((format(printf, 2, 3)))
add_note(struct pair *pair, const char *format, ...)
{
	struct text_list *notes = &pair->document->notes;
	char text[1000];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (!text_list_has(notes, text))
		pair->failed |= !text_list_add(notes, text);
}

/* The names of the compilers, separated by commas. */
static void compilers_text(const struct text_list *list, char *ret_text, size_t size)
{
	snprintf(ret_text, size, "%s", list->count ? "" : "unknown");
	for (size_t i = 0; i < list->count; i++)
		text_append(ret_text, size, "%s%s", i ? ", " : "", list->items[i]);
}

static void macros_text(const struct named_list *list, char *ret_text, size_t size)
{
	snprintf(ret_text, size, "%s", list->count ? "" : "none");
	for (size_t i = 0; i < list->count; i++)
		text_append(ret_text, size, "%s%s=%lld", i ? " " : "", list->items[i].name,
			(long long)list->items[i].value);
}

static void launch_text(const struct launch_record *launch, char *ret_text, size_t size)
{
	const int64_t *grid = launch->grid, *block = launch->block;

	snprintf(ret_text, size, "grid %lldx%lldx%lld, block %lldx%lldx%lld", (long long)grid[0],
		(long long)grid[1], (long long)grid[2], (long long)block[0], (long long)block[1],
		(long long)block[2]);
}

/* Notes the differences that are no counts. */
static void add_notes(struct pair *pair)
{
	const struct explanation_record *before = pair->before, *after = pair->after;
	char old_text[400], new_text[400];

	compilers_text(&before->compilers, old_text, sizeof old_text);
	compilers_text(&after->compilers, new_text, sizeof new_text);
	if (strcmp(old_text, new_text) != 0)
		add_note(pair, "the compilers differ, and so can counts: %s; %s", old_text,
			new_text);
	if (!named_list_equal(&before->macros, &after->macros)) {
		macros_text(&before->macros, old_text, sizeof old_text);
		macros_text(&after->macros, new_text, sizeof new_text);
		add_note(pair, "the macros differ: %s; %s", old_text, new_text);
	}
	launch_text(&before->launch, old_text, sizeof old_text);
	launch_text(&after->launch, new_text, sizeof new_text);
	if (!is_lost(after) && strcmp(old_text, new_text) != 0)
		add_note(pair, "the launches differ: %s; %s", old_text, new_text);
	if (!text_equal(before->variant, after->variant))
		add_note(pair, "the names differ: %s; %s", before->variant, after->variant);
	if (lacks_barriers(before) != lacks_barriers(after))
		add_note(pair,
			"barriers are not compared: a file of an older version does not have them");
}

static const char *model_name(const struct explanation_record *launch)
{
	return launch->model.record.present ? launch->model.name : "sm_90";
}

static bool all_blocks(const struct sampled_record *sampled)
{
	return sampled->blocks == sampled->total && !sampled->in_part;
}

static bool same_blocks(const struct sampled_record *a, const struct sampled_record *b)
{
	return !a->record.present || !b->record.present || (all_blocks(a) && all_blocks(b)) ||
	       (a->blocks == b->blocks && a->total == b->total && a->in_part == b->in_part);
}

/* The counts of another problem or model differ in any case. */
static enum pmpp_status check_pair(const struct pair *pair, struct pmpp_error *error)
{
	const struct explanation_record *before = pair->before, *after = pair->after;
	const struct {
		const char *what, *before, *after, *advice;
	} rows[] = {
		{"sizes", before->problem_text, after->problem_text, "the same --size"},
		{"types or data", before->choices, after->choices,
			"the same --dtype, --op and --data"},
		{"models", model_name(before), model_name(after), "the same --model and --width"},
		{"traced languages", before->traced, after->traced, "the same --backend"},
	};

	if (is_lost(after))
		return PMPP_OK;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (rows[i].before && rows[i].after && strcmp(rows[i].before, rows[i].after) != 0)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s/%s: the %s differ, so the counts cannot be compared: %s; %s. Explain "
				"both with %s",
				after->family, after->variant, rows[i].what, rows[i].before,
				rows[i].after, rows[i].advice);
	if (same_blocks(&before->sampled, &after->sampled))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s/%s: the traced blocks differ, so the counts cannot be compared: %lld of %lld; %lld of "
		"%lld. Explain both with --blocks=all",
		after->family, after->variant, (long long)before->sampled.blocks,
		(long long)before->sampled.total, (long long)after->sampled.blocks,
		(long long)after->sampled.total);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* How well two launches must agree to be one. A single variant may have another name. */
enum agreement {
	SAME_CONFIGURATION,
	SAME_NAME,
	SAME_FAMILY,
	AGREEMENT_COUNT
};

static bool agree(const struct explanation_record *a, const struct explanation_record *b,
	enum agreement agreement)
{
	if (!text_equal(a->family, b->family) ||
		(a->launch.index != b->launch.index && !is_lost(a) && !is_lost(b)))
		return false;
	if (agreement < SAME_FAMILY && !text_equal(a->variant, b->variant))
		return false;
	return agreement != SAME_CONFIGURATION ||
	       (text_equal(a->problem_text, b->problem_text) &&
		       text_equal(a->choices, b->choices) && text_equal(a->traced, b->traced) &&
		       named_list_equal(&a->macros, &b->macros));
}

static bool has_one_variant(const struct explain_document *file)
{
	const struct explanation_record *items = file->explanations.items;

	for (size_t i = 1; i < file->explanations.count; i++)
		if (!text_equal(items[i].variant, items[0].variant))
			return false;
	return file->explanations.count > 0;
}

/* Sets the number of the launch of `after` for each launch of `before`; -1: it has none. */
static void pair_launches(const struct explain_document *before,
	const struct explain_document *after, bool *taken, ptrdiff_t *ret_partners)
{
	int end = has_one_variant(before) && has_one_variant(after) ? AGREEMENT_COUNT : SAME_FAMILY;

	for (size_t i = 0; i < before->explanations.count; i++)
		ret_partners[i] = -1;
	for (int agreement = 0; agreement < end; agreement++)
		for (size_t i = 0; i < before->explanations.count; i++)
			for (size_t k = 0; k < after->explanations.count && ret_partners[i] < 0;
				k++)
				if (!taken[k] && agree(&before->explanations.items[i],
							 &after->explanations.items[k],
							 (enum agreement)agreement)) {
					ret_partners[i] = (ptrdiff_t)k;
					taken[k] = true;
				}
}

/* A launch that only the old file has. */
static void report_missing(struct pair *pair)
{
	const struct place whole = {.line = -1};

	pair->after = pair->before;
	pair->document->launches++;
	add_change(pair, &whole, &launch_rows[0], 1, NAN);
}

static enum pmpp_status compare_pairs(const struct explain_document *before,
	const struct explain_document *after, const ptrdiff_t *partners,
	struct count_document *document, struct pmpp_error *error)
{
	struct pair pair = {.document = document};
	enum pmpp_status status = PMPP_OK;
	size_t common = 0;

	for (size_t i = 0; i < before->explanations.count && status == PMPP_OK; i++) {
		pair.before = &before->explanations.items[i];
		if (is_lost(pair.before))
			continue;
		if (partners[i] < 0) {
			report_missing(&pair);
			continue;
		}
		pair.after = &after->explanations.items[partners[i]];
		status = check_pair(&pair, error);
		if (status != PMPP_OK)
			return status;
		add_notes(&pair);
		compare_launch(&pair);
		common++;
	}
	if (!text_equal(before->tool.version, after->tool.version))
		add_note(&pair, "the versions of pmpp differ, and so can counts: %s; %s",
			before->tool.version, after->tool.version);
	if (pair.failed)
		return PMPP_NO_MEMORY(error, "the counts");
	return common ? PMPP_OK
		      : PMPP_FAIL(error, PMPP_USAGE,
				"the files have no variant in common: explain the same variant twice");
}

enum pmpp_status counts_compare(const struct explain_document *before,
	const struct explain_document *after, struct count_document *ret_document,
	struct pmpp_error *error)
{
	bool *taken = calloc(after->explanations.count + 1, sizeof *taken);
	ptrdiff_t *partners = calloc(before->explanations.count + 1, sizeof *partners);
	enum pmpp_status status = PMPP_OK;

	record_init(&count_document_type, ret_document);
	text_set(&ret_document->schema, COUNT_SCHEMA);
	if (!taken || !partners)
		status = PMPP_NO_MEMORY(error, "the launches");
	if (status == PMPP_OK) {
		pair_launches(before, after, taken, partners);
		status = compare_pairs(before, after, partners, ret_document, error);
	}
	free(taken);
	free(partners);
	return status;
}
