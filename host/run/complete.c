#include "host/run/complete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "common/model/claim.h"
#include "common/model/ladder.h"

/* A row in the form of the model, with space for its macros. */
struct rung {
	struct ladder_rung rung;
	struct ladder_macro macros[PMPP_MAX_MACROS];
};

static void make_rung(
	const struct result_row *row, struct ladder_macro *macros, struct ladder_rung *ret_rung)
{
	size_t count = row->macros.count < PMPP_MAX_MACROS ? row->macros.count : PMPP_MAX_MACROS;

	for (size_t i = 0; i < count; i++)
		macros[i] = (struct ladder_macro){
			row->macros.items[i].name, row->macros.items[i].value};
	*ret_rung = (struct ladder_rung){.variant = text_or_empty(row->variant),
		.backend = text_or_empty(row->backend),
		.macros = macros,
		.macro_count = count,
		.median_ns = result_row_median_ns(row)};
	result_row_interval_ns(row, ret_rung->ci95_ns);
}

/* The rows before as rungs; *ret_macros holds their macros. NULL for lack of memory. */
static struct ladder_rung *make_rungs(
	const struct result_row *before, size_t count, struct ladder_macro **ret_macros)
{
	struct ladder_rung *rungs = calloc(count + 1, sizeof *rungs);
	struct ladder_macro *macros = calloc((count + 1) * PMPP_MAX_MACROS, sizeof *macros);

	if (!rungs || !macros) {
		free(rungs);
		free(macros);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		make_rung(&before[i], &macros[i * PMPP_MAX_MACROS], &rungs[i]);
	*ret_macros = macros;
	return rungs;
}

/* Whether the row's samples cannot decide a claim. */
static bool is_flagged(const struct result_row *row)
{
	return row->timing.record.present && row->timing.flags & (TIMING_NOISY | TIMING_THROTTLED);
}

/* The rows before a row, in the form of the model. */
struct rungs {
	const struct result_row *rows;
	const struct ladder_rung *rungs; /* one for each of rows */
	size_t count;
};

/* The ratio of a variant's time to the row's, from the two medians, and whether the variant's
 * samples are flagged. */
static struct claim_evidence evidence_of_medians(
	const struct rungs *before, const char *variant, const struct ladder_rung *own)
{
	const struct ladder_rung *over = ladder_find(variant, own, before->rungs, before->count);
	const struct stats_ratio ratio = ladder_ratio(over, own);

	return (struct claim_evidence){.ratio = ratio.median,
		.ci95 = {ratio.ci95[0], ratio.ci95[1]},
		.flagged = over && is_flagged(&before->rows[over - before->rungs])};
}

/* Sets the step from two medians, unless the suite has measured it with samples taken in turn. */
static void set_step(struct derived_record *derived, const struct claim_evidence *medians)
{
	if (derived->step_paired == TRUTH_YES)
		return;
	derived->step = medians->ratio;
	derived->step_ci95[0] = medians->ci95[0];
	derived->step_ci95[1] = medians->ci95[1];
	derived->step_paired = isfinite(medians->ratio) ? TRUTH_NO : TRUTH_UNKNOWN;
}

/* Sets the ratio of a claim in the same way. */
static void set_observed(struct claim_record *record, const struct claim_evidence *medians)
{
	if (record->paired == TRUTH_YES)
		return;
	record->observed = medians->ratio;
	record->ci95[0] = medians->ci95[0];
	record->ci95[1] = medians->ci95[1];
	record->paired = isfinite(medians->ratio) ? TRUTH_NO : TRUTH_UNKNOWN;
}

static void judge_claim(
	struct claim_record *record, const struct claim *claim, bool flagged, bool gpu)
{
	static const enum record_truth truths[CLAIM_VERDICT_COUNT] = {
		[CLAIM_HOLDS] = TRUTH_YES,
		[CLAIM_FAILS] = TRUTH_NO,
		[CLAIM_UNDECIDED] = TRUTH_UNKNOWN,
	};
	const struct claim_evidence evidence = {.ratio = record->observed,
		.ci95 = {record->ci95[0], record->ci95[1]},
		.flagged = flagged};
	enum claim_verdict verdict = claim_judge(claim, &evidence, gpu && !record->reason);

	record->record.present = true;
	text_set(&record->text, claim->text);
	record->expected = claim->at_least > 0 ? claim->at_least : NAN;
	record->at_most = claim->at_most > 0 ? claim->at_most : NAN;
	record->verdict = (int)verdict;
	record->holds = verdict < 0 ? TRUTH_UNKNOWN : truths[verdict];
}

/* Whether the row of a variant has a kernel of the user. Claims are about kernels of the project. */
static bool is_own(const struct rungs *before, const char *variant, const struct ladder_rung *own)
{
	const struct ladder_rung *over = ladder_find(variant, own, before->rungs, before->count);

	return over && before->rows[over - before->rungs].own_kernel;
}

static void compare_row(struct result_row *row, const struct variant *variant,
	const struct rungs *before, const struct ladder_rung *own, bool gpu)
{
	const char *first = variant_family(variant)->variants[0].name;
	bool is_first = strcmp(own->variant, first) == 0;
	const char *over = variant->claim.over ? variant->claim.over : variant->base;
	const struct ladder_rung *first_rung =
		is_first ? own : ladder_find(first, own, before->rungs, before->count);

	if (variant->base) {
		const struct claim_evidence step = evidence_of_medians(before, variant->base, own);
		set_step(&row->derived, &step);
	}
	row->derived.total = ladder_ratio(first_rung, own).median;
	result_row_keep_comparisons(row);
	if (!variant->claim.text || !over || row->own_kernel || is_own(before, over, own))
		return;
	const struct claim_evidence medians = evidence_of_medians(before, over, own);
	set_observed(&row->claim, &medians);
	judge_claim(&row->claim, &variant->claim, medians.flagged || is_flagged(row), gpu);
}

void complete_row(struct result_row *row, const struct result_row *before, size_t count, bool gpu)
{
	const struct family *family = family_find(text_or_empty(row->family));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(row->variant)) : NULL;
	struct rung own;
	struct ladder_macro *macros = NULL;
	struct ladder_rung *rungs = variant ? make_rungs(before, count, &macros) : NULL;

	if (!rungs)
		return;
	make_rung(row, own.macros, &own.rung);
	const struct rungs above = {before, rungs, count};
	compare_row(row, variant, &above, &own.rung, gpu);
	free(rungs);
	free(macros);
}
