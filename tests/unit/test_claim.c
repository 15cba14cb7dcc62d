#include "common/model/claim.h"
#include "tests/support/test.h"

#include <math.h>

static const struct row {
	const char *name;
	double at_least, at_most, over_ns, ns;
	bool gpu;
	double observed; /* NAN: unknown */
	enum claim_verdict verdict;
} rows[] = {
	{"faster than claimed", 2, 0, 300, 100, true, 3, CLAIM_HOLDS},
	{"as claimed", 2, 0, 200, 100, true, 2, CLAIM_HOLDS},
	{"just slower than claimed", 2, 0, 199, 100, true, 1.99, CLAIM_FAILS},
	{"no gain", 2, 0, 100, 100, true, 1, CLAIM_FAILS},
	{"at most, below", 0, 1.5, 100, 100, true, 1, CLAIM_HOLDS},
	{"at most, at the border", 0, 1.5, 150, 100, true, 1.5, CLAIM_HOLDS},
	{"at most, just above", 0, 1.5, 151, 100, true, 1.51, CLAIM_FAILS},
	{"between, at the lower border", 0.5, 1.5, 50, 100, true, 0.5, CLAIM_HOLDS},
	{"between, at the upper border", 0.5, 1.5, 150, 100, true, 1.5, CLAIM_HOLDS},
	{"between, below", 0.5, 1.5, 49, 100, true, 0.49, CLAIM_FAILS},
	{"between, above", 0.5, 1.5, 151, 100, true, 1.51, CLAIM_FAILS},
	{"no limit", 0, 0, 1, 100, true, 0.01, CLAIM_HOLDS},
	{"not a GPU, holds", 2, 0, 300, 100, false, 3, CLAIM_NOT_APPLICABLE},
	{"not a GPU, does not hold", 2, 0, 100, 100, false, 1, CLAIM_NOT_APPLICABLE},
	{"unknown time above", 2, 0, NAN, 100, true, NAN, CLAIM_NOT_APPLICABLE},
	{"unknown time", 2, 0, 300, NAN, true, NAN, CLAIM_NOT_APPLICABLE},
	{"no time", 2, 0, 300, 0, true, NAN, CLAIM_NOT_APPLICABLE},
};

static void claim(const void *context)
{
	const struct row *row = context;
	const struct claim claim = {.at_least = row->at_least, .at_most = row->at_most};
	struct claim_finding got = claim_judge(&claim, row->over_ns, row->ns, row->gpu);

	assert_int_equal(got.verdict, row->verdict);
	assert_int_equal(isnan(got.observed), isnan(row->observed));
	if (!isnan(row->observed))
		test_near(got.observed, row->observed, 1e-15);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_add(&list, claim, &rows[i], "claim: %s", rows[i].name);
	return test_run(&list, argc, argv);
}
