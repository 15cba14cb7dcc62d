#include "common/model/parity.h"
#include "tests/support/test.h"

/* ---- Verdict ------------------------------------------------------------------------------- */

/* The limits of a tolerance of 1/32 are exact in binary: 0.96875 and 1.03125. */
#define TOLERANCE 0.03125

static const struct verdict_row {
	const char *name;
	double interval[2];
	enum parity_verdict verdict;
} verdict_rows[] = {
	{"equal times", {1, 1}, PARITY_SAME},
	{"within", {0.99, 1.01}, PARITY_SAME},
	{"the borders", {0.96875, 1.03125}, PARITY_SAME},
	{"the lower border", {0.96875, 0.96875}, PARITY_SAME},
	{"the upper border", {1.03125, 1.03125}, PARITY_SAME},
	{"from below the lower border", {0.96874, 1}, PARITY_AMBG},
	{"to above the upper border", {1, 1.03126}, PARITY_AMBG},
	{"around both borders", {0.5, 2}, PARITY_AMBG},
	{"faster", {0.5, 0.6}, PARITY_FAST},
	{"just faster", {0.5, 0.96874}, PARITY_FAST},
	{"up to the lower border", {0.5, 0.96875}, PARITY_AMBG},
	{"slower", {1.5, 1.6}, PARITY_SLOW},
	{"just slower", {1.03126, 1.6}, PARITY_SLOW},
	{"from the upper border", {1.03125, 1.6}, PARITY_AMBG},
	{"unknown", {NAN, NAN}, PARITY_AMBG},
};

TEST_ROWS(verdict, verdict_rows, "verdict: %s", row->name)
{
	EQUAL(parity_judge(row->interval, &(double){TOLERANCE}), row->verdict);
}

/* The tolerance is 2.3 times the half-width of the interval, relative to its middle. It is at least
 * 1 % and at most 10 %. */
static const struct tolerance_row {
	const char *name;
	double interval[2], tolerance;
} tolerance_rows[] = {
	{"no noise", {1, 1}, 0.01},
	{"little noise", {0.996, 1.004}, 0.01},
	{"noise", {0.99, 1.01}, 0.023},
	{"noise around another ratio", {1.98, 2.02}, 0.023},
	{"much noise", {0.9, 1.1}, 0.1},
	{"unknown", {NAN, NAN}, 0.01},
};

TEST_ROWS(tolerance, tolerance_rows, "tolerance: %s", row->name)
{
	double tolerance = NAN;

	parity_judge(row->interval, &tolerance);
	test_near(tolerance, row->tolerance, 1e-12);
}

TEST(untimed, "not timed; no tolerance")
{
	EQUAL(parity_judge(NULL, &(double){TOLERANCE}), PARITY_RESULTS_ONLY);
	EQUAL(parity_judge((const double[]){1, 1}, &(double){0}), PARITY_SAME);
}

/* ---- The largest differences ---------------------------------------------------------------- */

#define MAX_SCORES 6
#define NO_SCORE                        \
	{                               \
		PARITY_VERDICT_COUNT, 0 \
	} /* ends the list */

static const struct worst_row {
	const char *name;
	struct parity_score scores[MAX_SCORES];
	size_t count; /* of results */
	size_t worst[3];
} worst_rows[] = {
	{"no rows", {NO_SCORE}},
	{"slow rows, largest first",
		{{PARITY_SLOW, 1.1}, {PARITY_SLOW, 1.3}, {PARITY_SLOW, 1.2}, NO_SCORE}, 3, {1, 2}},
	{"only three",
		{{PARITY_SLOW, 1.1}, {PARITY_SLOW, 1.3}, {PARITY_SLOW, 1.2}, {PARITY_SLOW, 1.4},
			{PARITY_SLOW, 1.05}, NO_SCORE},
		3, {3, 1, 2}},
	{"0.5 and 2 are equally far from 1, and farther than 1.9",
		{{PARITY_SLOW, 1.9}, {PARITY_FAST, 0.5}, {PARITY_SLOW, 2}, NO_SCORE}, 3, {1, 2}},
	{"equal distances keep their order",
		{{PARITY_SLOW, 2}, {PARITY_FAST, 0.5}, {PARITY_SLOW, 2}, {PARITY_FAST, 0.5},
			NO_SCORE},
		3, {0, 1, 2}},
	{"SAME rows are left out",
		{{PARITY_SAME, 1.09}, {PARITY_AMBG, 1.02}, {PARITY_SAME, 0.95}, NO_SCORE}, 1, {1}},
	{"all are SAME: none",
		{{PARITY_SAME, 1.01}, {PARITY_SAME, 0.98}, {PARITY_SAME, 1.015}, NO_SCORE}},
	{"rows without times do not count",
		{{PARITY_RESULTS_ONLY}, {-2, 3}, {PARITY_AMBG, 1.01}, NO_SCORE}, 1, {2}},
	{"no times", {{PARITY_RESULTS_ONLY, NAN}, {PARITY_RESULTS_ONLY, NAN}, NO_SCORE}},
	{"a ratio that is not known is the last",
		{{PARITY_AMBG, NAN}, {PARITY_AMBG, 1.0001}, NO_SCORE}, 2, {1}},
};

TEST_ROWS(worst, worst_rows, "worst: %s", row->name)
{
	size_t count = 0, found[4] = {0, 0, 0, 77};

	while (row->scores[count].verdict != PARITY_VERDICT_COUNT)
		count++;
	EQUAL(parity_worst(row->scores, count, 3, found), row->count);
	for (size_t i = 0; i < row->count; i++)
		EQUAL(found[i], row->worst[i]);
	EQUAL(found[3], 77);
}

/* ---- The promise of the same bits ---------------------------------------------------------- */

static const struct promise_row {
	const char *name;
	struct parity_side sides[2];
	bool free_math, bit_identical, broken;
} promise_rows[] = {
	{"kept", {{OUTCOME_OK, true}, {OUTCOME_OK, true}}, false, true},
	{"broken", {{OUTCOME_OK, true}, {OUTCOME_OK, true}}, false, false, true},
	{"kept with free math", {{OUTCOME_OK, true}, {OUTCOME_OK, true}}, true, true},
	{"free math", {{OUTCOME_OK, true}, {OUTCOME_OK, true}}, true},
	{"no promise", {{OUTCOME_OK}, {OUTCOME_OK}}},
	{"only a promises", {{OUTCOME_OK, true}, {OUTCOME_OK}}},
	{"only b promises", {{OUTCOME_OK}, {OUTCOME_OK, true}}},
	{"a failed", {{OUTCOME_FAILED, true}, {OUTCOME_OK, true}}},
	{"b failed", {{OUTCOME_OK, true}, {OUTCOME_FAILED, true}}},
	{"b skipped", {{OUTCOME_OK, true}, {OUTCOME_SKIPPED, true}}},
	{"a crashed", {{OUTCOME_CRASHED, true}, {OUTCOME_OK, true}}},
	{"both unverified", {{OUTCOME_UNVERIFIED, true}, {OUTCOME_UNVERIFIED, true}}},
};

TEST_ROWS(promise, promise_rows, "promise: %s", row->name)
{
	EQUAL(parity_breaks_promise(row->sides, row->free_math, row->bit_identical), row->broken);
}

/* ---- Names --------------------------------------------------------------------------------- */

TEST(names, "names")
{
	static const char *const words[] = {"SAME", "FAST", "SLOW", "AMBG", "RESULTS_ONLY"};

	EQUAL(PARITY_VERDICT_COUNT, 5);
	for (int i = 0; i < PARITY_VERDICT_COUNT; i++) {
		STRING(parity_verdict_name((enum parity_verdict)i), words[i]);
		STRING(parity_verdict_words[i], words[i]);
	}
	NIL(parity_verdict_words[PARITY_VERDICT_COUNT]);
	STRING(parity_verdict_name(PARITY_VERDICT_COUNT), "unknown");
}
