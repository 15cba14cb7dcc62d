#include "host/run/complete.h"

#include <math.h>
#include <stdlib.h>

#include "common/family.h"
#include "common/model/claim.h"
#include "common/model/ladder.h"

/* A row as the model sees it, with room for its macros. */
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

static void set_claim(
	struct claim_record *record, const struct claim *claim, double over_ns, double ns, bool gpu)
{
	static const enum record_truth truths[] = {
		[CLAIM_NOT_APPLICABLE] = TRUTH_UNKNOWN,
		[CLAIM_HOLDS] = TRUTH_YES,
		[CLAIM_FAILS] = TRUTH_NO,
	};
	struct claim_finding finding = claim_judge(claim, over_ns, ns, gpu);

	record->record.present = true;
	text_set(&record->text, claim->text);
	record->expected = claim->at_least > 0 ? claim->at_least : NAN;
	record->at_most = claim->at_most > 0 ? claim->at_most : NAN;
	record->observed = finding.observed;
	record->holds = truths[finding.verdict];
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
	struct ladder_factors factors =
		ladder_factors(variant->base, family->variants[0].name, &own.rung, rungs, count);
	row->derived.step = factors.step;
	row->derived.total = factors.total;
	record_set_absent(&derived_type, &row->derived, "step", false);
	record_set_absent(&derived_type, &row->derived, "total", false);
	record_set_absent(&result_row_type, row, "claim", false);
	const char *over = variant->claim.over ? variant->claim.over : variant->base;
	if (variant->claim.text && over)
		set_claim(&row->claim, &variant->claim,
			ladder_median(over, &own.rung, rungs, count), own.rung.median_ns, gpu);
	free(rungs);
	free(macros);
}
