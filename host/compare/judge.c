#include <math.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/repetition.h"
#include "host/compare/internal.h"
#include "host/record/result.h"

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The rows that belong together: on each side one row, or several rows from repeated runs. */
struct joined {
	const struct compared_row **rows; /* in order; owned by `join` */
	size_t count;
};

struct join {
	const struct compared_row **rows; /* sorted by key, then in order; owned */
	size_t row_count;
	struct joined *groups; /* in the order of their first rows; owned */
	size_t count;
};

static int by_key(const void *a, const void *b)
{
	const struct compared_row *x = *(const struct compared_row *const *)a;
	const struct compared_row *y = *(const struct compared_row *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_first(const void *a, const void *b)
{
	size_t x = ((const struct joined *)a)->rows[0]->order;
	size_t y = ((const struct joined *)b)->rows[0]->order;

	return (x > y) - (x < y);
}

/* Sorts the rows and makes a group of each key. */
static void make_groups(struct join *join)
{
	qsort(join->rows, join->row_count, sizeof *join->rows, by_key);
	for (size_t i = 0; i < join->row_count; i++) {
		if (i == 0 || strcmp(join->rows[i]->key, join->rows[i - 1]->key) != 0)
			join->groups[join->count++] = (struct joined){.rows = &join->rows[i]};
		join->groups[join->count - 1].count++;
	}
	qsort(join->groups, join->count, sizeof *join->groups, by_first);
}

/* Returns whether an earlier row of the group on the same side is from the same run in another
 * file: a copy of the file, or an export of the store. */
static bool is_doubled(const struct joined *group, size_t index)
{
	const struct compared_row *row = group->rows[index];
	const char *run = row->document->run.id;

	for (size_t i = 0; run && *run && i < index; i++)
		if (group->rows[i]->side == row->side && group->rows[i]->file != row->file &&
			text_equal(group->rows[i]->document->run.id, run))
			return true;
	return false;
}

/* Removes the rows whose run is already in the group, and counts the removed rows. */
static void drop_doubled(struct joined *group, struct side_list *sides)
{
	size_t kept = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct compared_row *row = group->rows[i];
		/* The rows before `kept` are the rows before i without the duplicate rows. */
		group->rows[kept] = row;
		if (!is_doubled(group, kept)) {
			kept++;
			continue;
		}
		struct side_record *side = &sides->items[row->side];
		side->doubled++;
		side->rows -= result_row_median_ns(row->row) > 0;
	}
	group->count = kept;
}

/* ---- Rows that nearly match ------------------------------------------------------------------ */

/* Number of rows of each side that are tried before and after a group. A limit is needed because sweeps over
 * thousands of sizes have thousands of rows. */
#define NEAR_WINDOW 32

/* Returns the row of a side with the variant of a group and the fewest other differences. Searches the
 * neighbours of the group. NULL: none. */
static const struct compared_row *join_near(const struct comparison *comparison,
	const struct join *join, const struct joined *group, size_t side)
{
	const size_t window = NEAR_WINDOW * comparison->document->sides.count;
	size_t first = (size_t)(group->rows - join->rows);
	size_t end = first + window < join->row_count ? first + window : join->row_count;
	const struct compared_row *near = NULL;
	int least = ROW_FIELD_COUNT;

	for (size_t i = first > window ? first - window : 0; i < end; i++) {
		if (join->rows[i]->side != side)
			continue;
		unsigned difference =
			compared_row_difference(group->rows[0], join->rows[i], comparison->by);
		int count = __builtin_popcount(difference);
		if (count >= least ||
			difference & (COMPARE_BIT(ROW_FAMILY) | COMPARE_BIT(ROW_VARIANT)))
			continue;
		near = join->rows[i];
		least = count;
	}
	return near;
}

/* ---- Public ---------------------------------------------------------------------------------- */

/* Joins the rows of all sides. Returns false if there is no memory. The caller calls join_finish() in
 * both cases. */
static bool join_make(struct comparison *comparison, struct join *ret_join)
{
	const size_t count = comparison->rows.count;
	struct join join = {.rows = calloc(count + 1, sizeof *join.rows),
		.row_count = count,
		.groups = calloc(count + 1, sizeof *join.groups)};
	bool ok = join.rows && join.groups;

	for (size_t i = 0; i < count && ok; i++) {
		ok = compared_row_set_key(&comparison->rows.items[i], comparison->by);
		join.rows[i] = &comparison->rows.items[i];
	}
	if (ok) {
		make_groups(&join);
		for (size_t i = 0; i < join.count; i++)
			drop_doubled(&join.groups[i], &comparison->document->sides);
	}
	*ret_join = join;
	return ok;
}

static void join_finish(struct join *join)
{
	free(join->groups);
	free(join->rows);
}

/* One side of a row. */
struct part {
	const struct compared_row *first; /* NULL: the side has no such row */
	double *medians_ns;               /* of all runs; owned */
	size_t count;
	int primary;       /* primary samples of these runs; runs with other samples are ignored */
	double half_width; /* largest half-width of a single run; NAN: unknown */
	double floor_ns;   /* derived.floor.ns: largest floor of the time; NAN: unknown */
	bool failed;       /* a run has no verified time */
	const char *type;  /* of the device; NULL: unknown */
	struct repetition_estimate estimate;
};

/* All runs passed, and at least one was timed. */
static bool is_timed(const struct part *part)
{
	return part->count > 0 && !part->failed;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void add_medians(struct part *part, const struct result_row *row)
{
	double *medians = NULL;
	bool fits = part->count == 0 || row->timing.primary == part->primary;
	size_t count = row->status == OUTCOME_OK && fits ? result_row_medians(row, &medians) : 0;
	double *all = count ? realloc(part->medians_ns, (part->count + count) * sizeof *all) : NULL;

	if (all) {
		part->medians_ns = all;
		memcpy(all + part->count, medians, count * sizeof *all);
		part->count += count;
		part->primary = row->timing.primary;
		/* fmax() ignores NAN. */
		part->half_width = fmax(part->half_width, result_row_run_half_width(row));
	}
	free(medians);
}

/* Returns the number of samples of a verified run; -1: no time. */
static int64_t samples_of(const struct result_row *row)
{
	return row->status == OUTCOME_OK && row->timing.record.present
		       ? timing_record_primary(&row->timing)->n
		       : -1;
}

static void add_run(
	struct part *part, const struct compared_row *compared, struct cell_record *cell)
{
	const struct result_row *row = compared->row;
	const struct floor_record *floor = &row->derived.floor;

	part->failed |= row->status != OUTCOME_OK && !outcome_is_skipped(row->status);
	cell->flags |= result_row_flags(row);
	if (!part->first || outcome_badness(row->status) > outcome_badness(cell->status)) {
		cell->status = row->status;
		text_set(&cell->reason, row->reason);
	}
	cell->own_kernel |= row->own_kernel;
	if (!cell->shown || samples_of(row) > samples_of(cell->shown)) {
		cell->shown = row;
		cell->shown_in = compared->document;
	}
	add_medians(part, row);
	if (part->first)
		return;
	part->first = compared;
	part->type = compared->device ? compared->device->type : NULL;
	part->floor_ns = floor->record.present && floor->ns > 0 ? floor->ns : NAN;
	cell->limited_by = row->derived.limited_by;
	if (row->claim.record.present)
		cell->claim = (int)claim_record_verdict(&row->claim);
}

/* Collects the runs of a side. Does not set the estimate. */
static void collect(
	const struct joined *group, size_t side, struct part *part, struct cell_record *cell)
{
	*part = (struct part){.half_width = NAN, .floor_ns = NAN};
	cell->side = (int64_t)side;
	cell->runs = 0;
	for (size_t i = 0; i < group->count; i++)
		if (group->rows[i]->side == side)
			add_run(part, group->rows[i], cell);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static void estimate(struct part *part, const struct noise_floor *floor, struct cell_record *cell)
{
	const struct repetitions runs = {.medians_ns = part->medians_ns,
		.count = part->count,
		.half_width = part->half_width,
		.floor = *floor};

	part->estimate = repetition_estimate_of(&runs);
	cell->median_ns = exp(part->estimate.log_ns);
	repetition_interval(&part->estimate, cell->ci95_ns);
	cell->runs = (int64_t)part->count;
	cell->noise_sd = floor->sd;
	cell->pct_roof = 100 * part->floor_ns / cell->median_ns;
}

/* The spread of a side, from its rows of one noise class that have several runs. parts: of the side in
 * the first row; scratch: a number for each row */
static struct noise_spread spread_of(const struct comparison_document *document,
	const struct part *parts, size_t class, double *scratch)
{
	double dof = 0, sum = 0;
	size_t count = 0;

	for (size_t r = 0; r < document->rows.count; r++, parts += document->sides.count) {
		if (!is_timed(parts) || parts->count < 2 || noise_floor_class(parts->type) != class)
			continue;
		scratch[count++] = repetition_variance(parts->medians_ns, parts->count, &dof);
		sum += dof;
	}
	return noise_floor_spread(scratch, count, sum / fmax((double)count, 1));
}

/* Sets the times of a side. Its spread can increase the floors of noise. */
static void estimate_side(
	struct comparison_document *document, struct part *parts, size_t side, double *scratch)
{
	struct side_record *record = &document->sides.items[side];
	struct noise_spread spreads[NOISE_CLASSES];
	double variance = 0;

	for (size_t c = 0; c < NOISE_CLASSES; c++) {
		spreads[c] = spread_of(document, &parts[side], c, scratch);
		variance = fmax(variance, spreads[c].variance);
	}
	record->spread_sd = variance > 0 ? sqrt(variance) : NAN;
	for (size_t r = 0; r < document->rows.count; r++) {
		struct part *part = &parts[r * document->sides.count + side];
		const struct noise_floor least = noise_floor_default(part->type);
		const struct noise_floor floor =
			noise_floor_raised(&least, &spreads[noise_floor_class(part->type)]);
		if (!is_timed(part))
			continue;
		record->raised += floor.sd > least.sd;
		estimate(part, &floor, &document->rows.items[r].cells.items[side]);
	}
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

/* A side of a row, and the base. */
struct pair {
	const struct comparison *comparison;
	const struct join *join;
	const struct joined *group;
	const struct part *base, *part;
	const struct cell_record *base_cell;
	struct cell_record *cell;
};

static const char *letter_of(const struct pair *pair, const struct cell_record *cell)
{
	return pair->comparison->document->sides.items[cell->side].letter;
}

/* Judges a row that one side does not have. The reason has the differences from the nearest row of this
 * side: "problem: k=64 / k=128, math: default / fast". */
static void judge_absent(const struct pair *pair)
{
	const struct compared_row *base = pair->base->first, *part = pair->part->first;
	const struct cell_record *absent = base ? pair->cell : pair->base_cell;
	char **reason = &pair->cell->reason;

	if (!is_timed(pair->base) && !is_timed(pair->part))
		return;
	const struct compared_row *near =
		join_near(pair->comparison, pair->join, pair->group, (size_t)absent->side);
	base = base ? base : near;
	part = part ? part : near;
	unsigned difference = near ? compared_row_difference(base, part, pair->comparison->by) : 0;
	text_set(reason, NULL);
	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++)
		if (difference & COMPARE_BIT(i))
			text_format(reason, "%s%s%s: %s / %s", text_or_empty(*reason),
				*reason ? ", " : "", compare_field_name((enum compare_field)i),
				base->texts[i], part->texts[i]);
	if (near && base->row->own_kernel != part->row->own_kernel)
		text_format(reason, "%s%skernel: %s / %s", text_or_empty(*reason),
			*reason ? ", " : "", base->row->own_kernel ? "own" : "of pmpp",
			part->row->own_kernel ? "own" : "of pmpp");
	/* A row that ended early has no math mode and no contract. */
	if (near && !*reason && near->row->status != OUTCOME_OK)
		text_format(reason, "%s: %s", letter_of(pair, absent),
			word_text(outcome_status_words, near->row->status));
	pair->cell->verdict = *reason ? VERDICT_NOCOMP : VERDICT_MISSING;
}

/* Names the side that has no time. If no side has a time, there is nothing to compare. */
static void judge_untimed(const struct pair *pair)
{
	struct cell_record *cell = pair->cell;
	const struct cell_record *without = is_timed(pair->base) ? cell : pair->base_cell;
	const char *word = word_text(outcome_status_words, without->status);

	if (!is_timed(pair->base) && !is_timed(pair->part))
		return;
	text_format(&cell->reason, "%s: %s%s%s", letter_of(pair, without),
		*word && without->status != OUTCOME_OK ? word : "not timed",
		without->reason && *without->reason ? ": " : "", text_or_empty(without->reason));
	cell->verdict = VERDICT_NOCOMP;
}

/* The time on a throttled GPU depends on the state of the GPU, not only on the kernel. CPUs do not
 * count: nearly all their runs have the warning, and their floor of noise includes the effect. */
static bool is_throttled(const struct part *part, const struct cell_record *cell)
{
	return text_equal(part->type, "gpu") && cell->flags & TIMING_THROTTLED;
}

static void note_throttled(const struct pair *pair)
{
	struct cell_record *cell = pair->cell;
	bool first = is_throttled(pair->base, pair->base_cell);
	bool second = is_throttled(pair->part, cell);

	if (cell->verdict == VERDICT_SAME || (!first && !second))
		return;
	text_format(&cell->reason, "%s throttled",
		first && second ? "both" : letter_of(pair, first ? pair->base_cell : cell));
	cell->verdict = VERDICT_AMBG;
}

static void judge_times(const struct pair *pair)
{
	const struct repetition_ratio ratio =
		repetition_ratio_of(&pair->part->estimate, &pair->base->estimate);
	const struct verdict_limits limits = verdict_limits_with(
		pair->comparison->options->tolerance, pair->base->type, pair->part->type);
	struct cell_record *cell = pair->cell;

	cell->ratio = ratio.ratio;
	memcpy(cell->ci95, ratio.ci95, sizeof cell->ci95);
	memcpy(cell->ci99, ratio.ci99, sizeof cell->ci99);
	cell->tolerance = limits.same;
	cell->verdict = (int)verdict_of(cell->ci95, cell->ci99, &limits);
	cell->p_slow = repetition_p_above(&ratio, 1 + limits.differ);
	note_throttled(pair);
}

static void judge_pair(const struct pair *pair)
{
	const struct part *base = pair->base, *part = pair->part;

	if (!base->first || !part->first) {
		judge_absent(pair);
	} else if (!is_timed(base) || !is_timed(part)) {
		judge_untimed(pair);
	} else if (base->primary != part->primary) {
		text_format(&pair->cell->reason, "samples: %s / %s",
			word_text(timing_primary_words, base->primary),
			word_text(timing_primary_words, part->primary));
		pair->cell->verdict = VERDICT_NOCOMP;
	} else {
		judge_times(pair);
	}
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Sets the members that all rows of a group share. */
static bool fill_head(
	const struct comparison *comparison, const struct joined *group, struct comparison_row *row)
{
	const struct compared_row *first = group->rows[0];
	const struct result_row *from = first->row;
	char *title = first->device ? device_record_title(first->device) : NULL;

	text_set(&row->family, from->family);
	text_set(&row->variant, from->variant);
	if (!(comparison->by & COMPARE_BIT(ROW_BACKEND)))
		text_set(&row->backend, from->backend);
	if (!(comparison->by & COMPARE_BIT(ROW_DEVICE)))
		text_set(&row->device, first->device ? title : from->device);
	free(title);
	text_set(&row->dtype, from->dtype);
	text_set(&row->op, from->op);
	text_set(&row->data, from->data);
	if (!(comparison->by & COMPARE_BIT(ROW_MATH)))
		text_set(&row->math, first->texts[ROW_MATH]);
	text_set(&row->contract, first->texts[ROW_CONTRACT]);
	text_set(&row->claim, from->claim.record.present ? from->claim.text : NULL);
	/* A row that did not pass has no name of the library. */
	for (size_t i = 0; i < group->count && !row->peer; i++)
		text_set(&row->peer, group->rows[i]->row->peer);
	return copy_named(&from->problem, &row->problem) && copy_named(&from->macros, &row->macros);
}

/* Returns whether two rows of one backend were compiled from the same code: from the same file, or from
 * files whose digests of the code are known and equal. */
static bool same_code(const struct build_record *first, const struct build_record *second)
{
	return text_equal(first->source_sha256, second->source_sha256) ||
	       (first->code_sha256 && text_equal(first->code_sha256, second->code_sha256));
}

/* Lists the fields that differ between the base and another side, without the compared fields. */
static void note_differences(
	unsigned by, const struct part *parts, size_t count, struct comparison_row *row)
{
	static const char *const names[] = {"source", "driver", "seed", "library"};
	bool differs[ARRAY_COUNT(names)] = {false};

	for (size_t i = 1; i < count && parts[0].first; i++) {
		const struct compared_row *a = parts[0].first, *b = parts[i].first;
		if (!b || !is_timed(&parts[0]) || !is_timed(&parts[i]))
			continue;
		bool backend = text_equal(a->row->backend, b->row->backend);
		differs[0] |= backend && !same_code(&a->row->build, &b->row->build);
		differs[1] |= backend && !(by & COMPARE_BIT(ROW_DRIVER)) &&
			      !text_equal(a->texts[ROW_DRIVER], b->texts[ROW_DRIVER]) &&
			      text_equal(a->texts[ROW_DEVICE], b->texts[ROW_DEVICE]);
		differs[2] |= a->row->seed != b->row->seed;
		differs[3] |= !text_equal(a->row->peer, b->row->peer);
	}
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (differs[i])
			text_list_add(&row->also_differ, names[i]);
}

static void judge_row(const struct comparison *comparison, const struct join *join,
	const struct joined *group, const struct part *parts, struct comparison_row *row)
{
	size_t count = row->cells.count;

	for (size_t i = 1; i < count; i++) {
		const struct pair pair = {.comparison = comparison,
			.join = join,
			.group = group,
			.base = &parts[0],
			.part = &parts[i],
			.base_cell = &row->cells.items[0],
			.cell = &row->cells.items[i]};
		judge_pair(&pair);
	}
	note_differences(comparison->by, parts, count, row);
}

/* Adds a row of the document for each group, with its cells and parts. */
static bool add_rows(struct comparison *comparison, const struct join *join, struct part *parts)
{
	struct comparison_document *document = comparison->document;

	for (size_t g = 0; g < join->count; g++) {
		const struct joined *group = &join->groups[g];
		struct comparison_row *row = record_list_add(&comparison_row_type, &document->rows);
		if (!row || !fill_head(comparison, group, row))
			return false;
		for (size_t i = 0; i < document->sides.count; i++) {
			struct cell_record *cell = record_list_add(&cell_type, &row->cells);
			if (!cell)
				return false;
			collect(group, i, parts++, cell);
		}
	}
	return true;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static int by_p(const void *a, const void *b)
{
	double x = (*(struct cell_record *const *)a)->p_slow;
	double y = (*(struct cell_record *const *)b)->p_slow;

	return (x > y) - (x < y);
}

/* Counts the verdicts of a side, and confirms its SLOW rows. Peers are not counted: they are not
 * kernels of this project. judged: room for all rows */
static bool count_side(
	struct comparison_document *document, size_t side, struct cell_record **judged)
{
	struct verdict_counts_record *counts = record_list_add(&counts_type, &document->counts);
	size_t count = 0, ratios = 0;
	bool confirmed = true;
	double sum = 0;

	if (!counts)
		return false;
	counts->side = (int64_t)side;
	for (size_t r = 0; r < document->rows.count; r++) {
		struct cell_record *cell = &document->rows.items[r].cells.items[side];
		if (document->rows.items[r].peer || cell->verdict < 0)
			continue;
		++*verdict_counts_at(counts, (enum verdict)cell->verdict);
		if (cell->ratio > 0) {
			sum += log(cell->ratio);
			ratios++;
		}
		if (cell->p_slow >= 0) /* not NAN */
			judged[count++] = cell;
	}
	if (ratios)
		counts->mean_ratio = exp(sum / (double)ratios);
	qsort(judged, count, sizeof *judged, by_p);
	for (size_t k = 0; k < count; k++) {
		confirmed &= judged[k]->p_slow <= verdict_p_limit(k, count);
		if (judged[k]->verdict != VERDICT_SLOW)
			continue;
		judged[k]->confirmed = truth_of(confirmed);
		counts->confirmed += confirmed;
	}
	return true;
}

static bool judge_groups(struct comparison *comparison, const struct join *join)
{
	struct comparison_document *document = comparison->document;
	size_t sides = document->sides.count, all = join->count * sides;
	struct part *parts = calloc(all + 1, sizeof *parts);
	double *scratch = calloc(join->count + 1, sizeof *scratch);
	struct cell_record **judged = calloc(join->count + 1, sizeof *judged);
	bool ok = parts && scratch && judged && add_rows(comparison, join, parts);

	for (size_t i = 0; i < sides && ok; i++)
		estimate_side(document, parts, i, scratch);
	for (size_t r = 0; r < document->rows.count && ok; r++)
		judge_row(comparison, join, &join->groups[r], &parts[r * sides],
			&document->rows.items[r]);
	for (size_t i = 1; i < sides && ok; i++)
		ok = count_side(document, i, judged);
	for (size_t i = 0; parts && i < all; i++)
		free(parts[i].medians_ns);
	free(parts);
	free(scratch);
	free(judged);
	return ok;
}

bool judge_rows(struct comparison *comparison)
{
	struct join join = {0};
	bool ok = join_make(comparison, &join) && judge_groups(comparison, &join);

	join_finish(&join);
	return ok;
}
