/*
 * Claims: the factor between two variants that a book states, against the factor that was measured.
 */
#ifndef PMPP_COMMON_MODEL_CLAIM_H
#define PMPP_COMMON_MODEL_CLAIM_H

#include <stdbool.h>

/* The speed-up that the book claims for this rung. Claims apply to GPUs only. */
struct claim {
	const char *text; /* "coalesced >= 2 x uncoalesced"; NULL: none */
	const char *over; /* variant above in the ladder; NULL: variant.base */
	double at_least;  /* ratio of times, over / this; 0: no such limit */
	double at_most;   /* the same ratio; 0: no such limit */
};

enum claim_verdict {
	CLAIM_NOT_APPLICABLE, /* not on a GPU, or a time is unknown */
	CLAIM_HOLDS,
	CLAIM_FAILS
};

struct claim_finding {
	double observed; /* ratio of times, over / this; NAN = unknown */
	enum claim_verdict verdict;
};

/* over_ns, ns: medians of the variant above and of this one; NAN = unknown. Both borders belong to
 * the claim. */
struct claim_finding claim_judge(const struct claim *claim, double over_ns, double ns, bool gpu);

#endif
