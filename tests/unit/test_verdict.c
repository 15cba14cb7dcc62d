/* Verdicts on ratios of times. */
#include "common/model/verdict.h"
#include "tests/support/test.h"

/* ---- Limits ---------------------------------------------------------------------------------- */

static const struct limits_row {
	const char *name;
	double tolerance;
	const char *types[2];
	double same, differ;
} limits_rows[] = {
	{"two GPUs", NAN, {"gpu", "gpu"}, 0.0175, 0.0175},
	{"two CPUs", NAN, {"cpu", "cpu"}, 0.15, 0.10},
	{"a GPU and a CPU", NAN, {"gpu", "cpu"}, 0.15, 0.10},
	{"a CPU and a GPU", NAN, {"cpu", "gpu"}, 0.15, 0.10},
	{"unknown types", NAN, {NULL, NULL}, 0.15, 0.10},
	{"another type", NAN, {"accelerator", "gpu"}, 0.15, 0.10},
	{"a tolerance", 0.05, {"gpu", "gpu"}, 0.05, 0.05},
	{"a smaller tolerance", 0.001, {"cpu", "cpu"}, 0.001, 0.001},
	{"the tolerance 0", 0, {"gpu", "cpu"}, 0, 0},
	{"an infinite tolerance", INFINITY, {"gpu", "gpu"}, 0.0175, 0.0175},
};

TEST_ROWS(limits, limits_rows, "limits: %s", row->name)
{
	struct verdict_limits got =
		verdict_limits_with(row->tolerance, row->types[0], row->types[1]);

	CHECK(NEAR(got.same, row->same, 0), NEAR(got.differ, row->differ, 0));
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

/* 1 / 1.25 and 1 / 1.0625 are 0.8 and 0.94...; both limits are exact in binary. */
#define LOW_SAME (1 / 1.25)
#define LOW_DIFFER (1 / 1.0625)

static const struct verdict_limits equal_limits = {.same = 0.25, .differ = 0.25},
				   overlapping = {.same = 0.25, .differ = 0.0625};

static const struct verdict_row {
	const char *name;
	const struct verdict_limits *limits;
	double interval[2]; /* with 95 and with 99 % */
	enum verdict verdict;
} verdict_rows[] = {
	{"equal times", &equal_limits, {1, 1}, VERDICT_SAME},
	{"the limits", &equal_limits, {LOW_SAME, 1.25}, VERDICT_SAME},
	{"the lower limit", &equal_limits, {LOW_SAME, LOW_SAME}, VERDICT_SAME},
	{"the upper limit", &equal_limits, {1.25, 1.25}, VERDICT_SAME},
	{"from below the lower limit", &equal_limits, {0.7999, 1}, VERDICT_AMBG},
	{"to above the upper limit", &equal_limits, {1, 1.2501}, VERDICT_AMBG},
	{"around both limits", &equal_limits, {0.5, 2}, VERDICT_AMBG},
	{"faster", &equal_limits, {0.5, 0.6}, VERDICT_FAST},
	{"just faster", &equal_limits, {0.5, 0.7999}, VERDICT_FAST},
	{"up to the lower limit", &equal_limits, {0.5, LOW_SAME}, VERDICT_AMBG},
	{"slower", &equal_limits, {1.5, 1.6}, VERDICT_SLOW},
	{"just slower", &equal_limits, {1.2501, 1.6}, VERDICT_SLOW},
	{"from the upper limit", &equal_limits, {1.25, 1.6}, VERDICT_AMBG},
	{"from zero to infinity", &equal_limits, {0, INFINITY}, VERDICT_AMBG},
	{"both ends unknown", &equal_limits, {NAN, NAN}, VERDICT_AMBG},
	{"the upper end unknown", &equal_limits, {1, NAN}, VERDICT_AMBG},
	{"the lower end unknown", &equal_limits, {NAN, 1}, VERDICT_AMBG},
	{"the upper end unknown, slower", &equal_limits, {1.5, NAN}, VERDICT_AMBG},
	{"the lower end unknown, faster", &equal_limits, {NAN, 0.5}, VERDICT_AMBG},
	{"overlap: within both is SAME", &overlapping, {1.1, 1.2}, VERDICT_SAME},
	{"overlap: beyond the second, not within the first", &overlapping, {1.1, 1.3},
		VERDICT_SLOW},
	{"overlap: from the second limit", &overlapping, {1.0625, 1.3}, VERDICT_AMBG},
	{"overlap: faster", &overlapping, {0.7, 0.9}, VERDICT_FAST},
	{"overlap: to the second limit", &overlapping, {0.7, LOW_DIFFER}, VERDICT_AMBG},
};

TEST_ROWS(verdict, verdict_rows, "verdict: %s", row->name)
{
	EQUAL(verdict_of(row->interval, row->interval, row->limits), row->verdict);
}

/* SAME follows the interval with 95 %, FAST and SLOW the one with 99 %. */
TEST(two_intervals, "two intervals")
{
	static const double within[] = {0.9, 1.1}, wider[] = {0.7, 1.4};
	static const double slower[] = {1.3, 1.5}, touching[] = {1.25, 1.55}, faster[] = {0.6, 0.7};
	static const double unknown[] = {NAN, NAN};

	EQUAL(verdict_of(within, wider, &equal_limits), VERDICT_SAME);
	EQUAL(verdict_of(slower, slower, &equal_limits), VERDICT_SLOW);
	EQUAL(verdict_of(slower, touching, &equal_limits), VERDICT_AMBG);
	EQUAL(verdict_of(faster, faster, &equal_limits), VERDICT_FAST);
	EQUAL(verdict_of(faster, wider, &equal_limits), VERDICT_AMBG);
	EQUAL(verdict_of(slower, unknown, &equal_limits), VERDICT_AMBG);
}

/* A ratio and its inverse have mirrored verdicts. */
TEST(mirrored, "a ratio and its inverse")
{
	static const enum verdict mirror[VERDICT_COUNT] = {[VERDICT_SAME] = VERDICT_SAME,
		[VERDICT_FAST] = VERDICT_SLOW,
		[VERDICT_SLOW] = VERDICT_FAST,
		[VERDICT_AMBG] = VERDICT_AMBG};

	for (double low = 0.51; low < 2; low *= 1.013)
		for (double high = low; high < 2; high *= 1.017) {
			const double interval[2] = {low, high}, inverse[2] = {1 / high, 1 / low};
			EQUAL(verdict_of(inverse, inverse, &overlapping),
				mirror[verdict_of(interval, interval, &overlapping)]);
		}
}

TEST(words, "words")
{
	static const char *const wanted[] = {"SAME", "FAST", "SLOW", "AMBG", "MISSING", "NOCOMP"};

	EQUAL(VERDICT_COUNT, 6);
	for (int i = 0; i < VERDICT_COUNT; i++)
		STRING(verdict_words[i], wanted[i]);
	NIL(verdict_words[VERDICT_COUNT]);
}
