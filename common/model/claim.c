#include "common/model/claim.h"

#include <math.h>
#include <stddef.h>

const char *const claim_verdict_words[CLAIM_VERDICT_COUNT + 1] = {
	[CLAIM_HOLDS] = "holds",
	[CLAIM_FAILS] = "does not hold",
	[CLAIM_UNDECIDED] = "undecided",
};

const char *claim_verdict_name(enum claim_verdict verdict)
{
	return (size_t)verdict < CLAIM_VERDICT_COUNT ? claim_verdict_words[verdict] : NULL;
}

enum claim_verdict claim_judge(
	const struct claim *claim, const struct claim_evidence *evidence, bool gpu)
{
	const double *ends = evidence->ci95;
	double max = claim->at_most > 0 ? claim->at_most : INFINITY;

	if (!isfinite(evidence->ratio) || !gpu)
		return CLAIM_NOT_APPLICABLE;
	if (evidence->flagged || !isfinite(ends[0]) || !isfinite(ends[1]))
		return CLAIM_UNDECIDED;
	if (ends[0] >= claim->at_least && ends[1] <= max)
		return CLAIM_HOLDS;
	return ends[1] < claim->at_least || ends[0] > max ? CLAIM_FAILS : CLAIM_UNDECIDED;
}
