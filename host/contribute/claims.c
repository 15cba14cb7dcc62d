#include <math.h>

#include "common/family.h"
#include "common/model/claim.h"
#include "host/compare/fields.h"
#include "host/contribute/internal.h"

/* Returns whether the samples of the row, or of a row that its claim may compare with, are flagged.
 * The claim is then undecided. */
static bool may_be_flagged(const struct contribution_checker *checker)
{
	const struct result_list *rows = &checker->document->results;
	bool flagged = false;

	for (size_t i = 0; i < rows->count; i++)
		flagged |= text_equal(rows->items[i].family, checker->row->family) &&
			   rows->items[i].timing.record.present &&
			   rows->items[i].timing.flags & (TIMING_NOISY | TIMING_THROTTLED);
	return flagged;
}

static bool same_limit(double stated, double limit)
{
	return limit > 0 ? stated == limit : isnan(stated);
}

static void check_verdict(struct contribution_checker *checker, const struct claim *claim)
{
	static const enum record_truth truths[CLAIM_VERDICT_COUNT] = {
		[CLAIM_HOLDS] = TRUTH_YES,
		[CLAIM_FAILS] = TRUTH_NO,
		[CLAIM_UNDECIDED] = TRUTH_UNKNOWN,
	};
	const struct claim_record *record = &checker->row->claim;
	const struct claim_evidence evidence = {
		.ratio = record->observed, .ci95 = {record->ci95[0], record->ci95[1]}};
	enum claim_verdict stated = claim_record_verdict(record);
	bool meant = !claim->needs || !record->reason;
	enum claim_verdict judged =
		claim_judge(claim, &evidence, meant && text_equal(checker->device->type, "gpu"));

	if (stated == CLAIM_UNDECIDED && judged >= 0 && may_be_flagged(checker))
		judged = CLAIM_UNDECIDED;
	if (stated != judged || record->holds != (judged < 0 ? TRUTH_UNKNOWN : truths[judged]))
		add_problem(checker, "claim.verdict is '%s', but its interval gives '%s'",
			text_or_empty(claim_verdict_name(stated)),
			text_or_empty(claim_verdict_name(judged)));
}

void check_claim(struct contribution_checker *checker)
{
	const struct claim_record *record = &checker->row->claim;
	const struct family *family = family_find(text_or_empty(checker->row->family));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(checker->row->variant)) : NULL;

	if (!variant || !record->record.present)
		return;
	/* The limits are the claim. Its text may be of another version of the program. */
	if (!variant->claim.text || !same_limit(record->expected, variant->claim.at_least) ||
		!same_limit(record->at_most, variant->claim.at_most)) {
		add_problem(checker, "claim is not the claim of this variant: '%.60s'",
			text_or_empty(variant->claim.text));
		return;
	}
	check_verdict(checker, &variant->claim);
}
