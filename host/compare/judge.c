#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/internal.h"
#include "host/record/result.h"

/* ---- Verdicts -------------------------------------------------------------------------------- */

/* "problem: k=64 / k=128, math: default / fast" */
static void name_difference(const struct compared_row *base, const struct compared_row *row,
	unsigned difference, struct cell_record *cell)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *separator = "";

	if (!out)
		return;
	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++) {
		if (!(difference & COMPARE_BIT(i)))
			continue;
		fprintf(out, "%s%s: %s / %s", separator, compare_field_name((enum compare_field)i),
			base->texts[i], row->texts[i]);
		separator = ", ";
	}
	fclose(out);
	text_set(&cell->reason, text);
	free(text);
}

/* Appends the values of a list. Returns false if there is no memory. */
static bool copy_named(const struct named_list *from, struct named_list *to)
{
	bool ok = true;

	for (size_t i = 0; i < from->count && ok; i++)
		ok = named_list_add(to, from->items[i].name, from->items[i].value);
	return ok;
}

/* "samples: cold / hot" */
static void name_primaries(
	const struct part *base, const struct part *part, struct cell_record *cell)
{
	text_format(&cell->reason, "samples: %s / %s",
		word_text(timing_primary_words, base->primary),
		word_text(timing_primary_words, part->primary));
}

static void not_comparable(struct cell_record *cell, enum verdict verdict, const char *reason)
{
	cell->verdict = (int)verdict;
	if (reason)
		text_set(&cell->reason, reason);
}

/* Sets the reason why one of the sides has no time. */
static void untimed(const struct comparison *comparison, const struct part *base,
	const struct cell_record *base_cell, const struct part *part, struct cell_record *cell)
{
	char letter[COMPARE_LETTER_BYTES];
	bool of_base = !part_is_timed(base);
	const struct cell_record *without = of_base ? base_cell : cell;
	const char *word = word_text(outcome_status_words, without->status);
	char *text = NULL;

	if (!part_is_timed(base) && !part_is_timed(part)) {
		cell->verdict = WORD_NULL; /* no side is timed: there is nothing to compare */
		return;
	}
	compare_letter((size_t)without->side, comparison->document->sides.count, letter);
	text_format(&text, "%s: %s%s%s", letter,
		*word && without->status != OUTCOME_OK ? word : "not timed",
		without->reason && *without->reason ? ": " : "", text_or_empty(without->reason));
	not_comparable(cell, VERDICT_NOCOMP, text);
	free(text);
}

/* The time on a throttled GPU depends on the state of the GPU, not only on the kernel. CPUs do not
 * count: nearly all their runs have the warning, and their floor of noise includes the effect. */
static bool is_throttled(const struct part *part, const struct cell_record *cell)
{
	return part->type && strcmp(part->type, "gpu") == 0 && cell->flags & TIMING_THROTTLED;
}

static void note_throttled(const struct comparison *comparison, const struct part *base,
	const struct cell_record *base_cell, const struct part *part, struct cell_record *cell)
{
	bool first = is_throttled(base, base_cell), second = is_throttled(part, cell);
	char letter[COMPARE_LETTER_BYTES];
	char *text = NULL;

	if (cell->verdict == VERDICT_SAME || (!first && !second))
		return;
	compare_letter(first ? 0 : (size_t)cell->side, comparison->document->sides.count, letter);
	text_format(&text, "%s throttled", first && second ? "both" : letter);
	not_comparable(cell, VERDICT_AMBG, text);
	free(text);
}

/* Returns the factor that converts a ratio of times to a ratio of shares of the roofs. *ret_log_sd:
 * standard deviation of its logarithm. Equal floors are from the same measurement of the roof, so
 * its error cancels. */
static double roof_factor(const struct part *base, const struct part *part, double *ret_log_sd)
{
	double factor = base->floor_ns / part->floor_ns;

	*ret_log_sd = factor == 1 ? 0
				  : hypot(noise_floor_of_roof(base->type),
					    noise_floor_of_roof(part->type));
	return factor;
}

static void judge_times(const struct comparison *comparison, const struct part *base,
	const struct cell_record *base_cell, const struct part *part, struct cell_record *cell)
{
	const struct compare_options *options = comparison->options;
	struct repetition_ratio ratio = repetition_ratio_of(&part->estimate, &base->estimate);
	double log_sd = 0;

	if (options->per_roof) {
		double factor = roof_factor(base, part, &log_sd);
		if (!isfinite(factor)) {
			not_comparable(cell, VERDICT_NOCOMP, "the roof of this row is unknown");
			return;
		}
		ratio = repetition_ratio_scaled(&ratio, factor, log_sd);
	}
	cell->ratio = ratio.ratio;
	memcpy(cell->ci95, ratio.ci95, sizeof cell->ci95);
	memcpy(cell->ci99, ratio.ci99, sizeof cell->ci99);
	struct verdict_limits limits =
		verdict_limits_with(options->tolerance, base->type, part->type);
	if (log_sd > 0 && !isfinite(options->tolerance))
		limits = verdict_limits_wider(&limits, log_sd);
	cell->tolerance = limits.same;
	cell->verdict = (int)verdict_of(cell->ci95, cell->ci99, &limits);
	cell->p_slow = repetition_p_above(&ratio, 1 + limits.differ);
	note_throttled(comparison, base, base_cell, part, cell);
}

/* Returns whether a side has a time of the problem of the base. Other macros, such as a smaller tile,
 * are another way to solve it. */
static bool has_own_time(
	const struct comparison *comparison, const struct part *base, const struct part *part)
{
	unsigned difference = base->first && part->first
				      ? join_difference(comparison, base->first, part->first)
				      : 0;

	return part_is_timed(part) && !(difference & ~COMPARE_BIT(ROW_MACROS));
}

/* Judges a side against the base. The part may be from the nearest row, whose identity differs in
 * at least one field. */
static void judge_cell(const struct comparison *comparison, const struct part *base,
	const struct cell_record *base_cell, const struct part *part, struct cell_record *cell)
{
	unsigned difference = base->first && part->first
				      ? join_difference(comparison, base->first, part->first)
				      : 0;

	if (difference == COMPARE_BIT(ROW_PROBLEM))
		copy_named(&part->first->row->problem, &cell->problem);
	if (!base->first || !part->first) {
		bool timed = part_is_timed(base) || part_is_timed(part);
		cell->verdict = timed ? (int)VERDICT_MISSING : WORD_NULL;
	} else if (!part_is_timed(base) || !part_is_timed(part)) {
		untimed(comparison, base, base_cell, part, cell);
	} else if (difference) {
		name_difference(base->first, part->first, difference, cell);
		cell->verdict = VERDICT_NOCOMP;
	} else if (base->primary != part->primary) {
		name_primaries(base, part, cell);
		cell->verdict = VERDICT_NOCOMP;
	} else {
		judge_times(comparison, base, base_cell, part, cell);
	}
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Sets the members that all rows of a group share. */
static enum pmpp_status fill_head(const struct comparison *comparison,
	const struct compared_row *first, struct comparison_row *row)
{
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
	text_set(&row->peer, from->peer);
	text_set(&row->claim, from->claim.record.present ? from->claim.text : NULL);
	return copy_named(&from->problem, &row->problem) && copy_named(&from->macros, &row->macros)
		       ? PMPP_OK
		       : PMPP_OUT_OF_MEMORY;
}

/* Lists the fields that differ between the base and another side, without the compared fields. */
static void note_differences(const struct comparison *comparison, const struct part *parts,
	size_t count, struct comparison_row *row)
{
	bool source = false, driver = false, seed = false, library = false;

	for (size_t i = 1; i < count && parts[0].first; i++) {
		const struct compared_row *a = parts[0].first, *b = parts[i].first;
		if (!b || !part_is_timed(&parts[0]) || !part_is_timed(&parts[i]))
			continue;
		source |= !build_same_code(&a->row->build, &b->row->build) &&
			  text_equal(a->row->backend, b->row->backend);
		driver |= !text_equal(a->texts[ROW_DRIVER], b->texts[ROW_DRIVER]) &&
			  text_equal(a->texts[ROW_DEVICE], b->texts[ROW_DEVICE]) &&
			  text_equal(a->row->backend, b->row->backend);
		seed |= a->row->seed != b->row->seed;
		library |= !text_equal(a->row->peer, b->row->peer);
	}
	if (source)
		text_list_add(&row->also_differ, "source");
	if (driver && !(comparison->by & COMPARE_BIT(ROW_DRIVER)))
		text_list_add(&row->also_differ, "driver");
	if (seed)
		text_list_add(&row->also_differ, "seed");
	if (library)
		text_list_add(&row->also_differ, "library");
}

static void note_claims(const struct part *parts, size_t count, struct comparison_row *row)
{
	for (size_t i = 0; i < count && row->claim; i++) {
		const struct claim_record *claim =
			parts[i].first && parts[i].first->row->claim.record.present
				? &parts[i].first->row->claim
				: NULL;
		const char *name = claim ? claim_verdict_name(claim_record_verdict(claim)) : NULL;
		text_list_add(&row->claims, name ? name : "");
	}
}

/* Peers are not counted: they are not kernels of this project. */
static void count_cells(struct comparison *comparison, const struct comparison_row *row,
	double *logs, size_t *log_counts)
{
	if (row->peer)
		return;
	for (size_t i = 1; i < row->cells.count; i++) {
		const struct cell_record *cell = &row->cells.items[i];
		if (cell->verdict >= 0)
			++*verdict_counts_at(&comparison->document->counts.items[i - 1],
				(enum verdict)cell->verdict);
		if (cell->ratio > 0) {
			logs[i] += log(cell->ratio);
			log_counts[i]++;
		}
	}
}

static enum pmpp_status judge_group(struct comparison *comparison, const struct joined *group,
	const struct noise_spread *spreads, struct part *parts, size_t side_count)
{
	struct comparison_row *row =
		record_list_add(&comparison_row_type, &comparison->document->rows);
	enum pmpp_status status =
		row ? fill_head(comparison, group->rows[0], row) : PMPP_OUT_OF_MEMORY;

	/* A row that did not pass has no name of the library. */
	for (size_t i = 1; i < group->count && status == PMPP_OK && !row->peer; i++)
		text_set(&row->peer, group->rows[i]->row->peer);
	for (size_t i = 0; i < side_count && status == PMPP_OK; i++) {
		struct cell_record *cell = record_list_add(&cell_type, &row->cells);
		if (!cell)
			status = PMPP_OUT_OF_MEMORY;
		else
			part_fill(group, i, &spreads[i * NOISE_CLASSES], &parts[i], cell);
	}
	for (size_t i = 0; i < side_count && status == PMPP_OK; i++)
		comparison->document->sides.items[i].raised += parts[i].raised;
	for (size_t i = 1; i < side_count && status == PMPP_OK; i++)
		judge_cell(comparison, &parts[0], &row->cells.items[0], &parts[i],
			&row->cells.items[i]);
	for (size_t i = 0; i < side_count && status == PMPP_OK; i++)
		if (has_own_time(comparison, &parts[0], &parts[i]))
			comparison->own_times[comparison->document->rows.count - 1] |= UINT64_C(1)
										       << i;
	if (status == PMPP_OK) {
		note_differences(comparison, parts, side_count, row);
		note_claims(parts, side_count, row);
	}
	for (size_t i = 0; i < side_count; i++)
		part_finish(&parts[i]);
	return status == PMPP_OK ? status
				 : PMPP_FAIL(comparison->error, PMPP_OUT_OF_MEMORY,
					   "no memory for the comparison");
}

/* Returns whether all rows of a group are shown in the row of another group. */
static bool is_in_other_row(const struct joined *group)
{
	for (size_t i = 0; group->near_to && i < group->count; i++)
		if (group->near_to->near[group->rows[i]->side] != group)
			return false;
	return group->near_to != NULL;
}

/* Returns the largest standard deviation of the spreads of a side; NaN: all are unknown. */
static double largest_sd(const struct noise_spread *spreads)
{
	double variance = 0;

	for (size_t c = 0; c < NOISE_CLASSES; c++)
		variance = fmax(variance, spreads[c].variance);
	return variance > 0 ? sqrt(variance) : NAN;
}

enum pmpp_status judge_rows(struct comparison *comparison, const struct join *join)
{
	struct comparison_document *document = comparison->document;
	size_t side_count = document->sides.count;
	struct part *parts = calloc(side_count, sizeof *parts);
	struct noise_spread *spreads = spreads_of(join, side_count);
	double *logs = calloc(side_count, sizeof *logs);
	size_t *log_counts = calloc(side_count, sizeof *log_counts);
	comparison->own_times = calloc(join->count + 1, sizeof *comparison->own_times);
	bool ok = parts && spreads && logs && log_counts && comparison->own_times;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 1; i < side_count && ok; i++) {
		struct verdict_counts_record *counts =
			record_list_add(&counts_type, &document->counts);
		ok = counts != NULL;
		if (ok)
			counts->side = (int64_t)i, counts->confirmed = 0;
		for (int v = 0; v < VERDICT_COUNT && ok; v++)
			*verdict_counts_at(counts, (enum verdict)v) = 0;
	}
	if (!ok)
		status = PMPP_FAIL(
			comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
	for (size_t i = 0; i < side_count && status == PMPP_OK; i++)
		document->sides.items[i].spread_sd = largest_sd(&spreads[i * NOISE_CLASSES]);
	for (size_t g = 0; g < join->count && status == PMPP_OK; g++) {
		if (is_in_other_row(&join->groups[g]))
			continue;
		status = judge_group(comparison, &join->groups[g], spreads, parts, side_count);
		if (status == PMPP_OK)
			count_cells(comparison, &document->rows.items[document->rows.count - 1],
				logs, log_counts);
	}
	for (size_t i = 1; i < side_count && status == PMPP_OK; i++)
		if (log_counts[i])
			document->counts.items[i - 1].mean_ratio =
				exp(logs[i] / (double)log_counts[i]);
	free(parts);
	free(spreads);
	free(logs);
	free(log_counts);
	return status;
}
