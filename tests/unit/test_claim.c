/* Verdicts about claims: a table of intervals, and simulated rounds with a known ratio. */
#include "common/model/claim.h"
#include "common/model/ladder.h"
#include "common/stats.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

/* ---- Intervals ----------------------------------------------------------------------------- */

static const struct row {
	const char *name;
	double at_least, at_most;
	struct claim_evidence evidence;
	bool gpu;
	enum claim_verdict verdict;
} rows[] = {
	{"above the limit", 2, 0, {3, {2.9, 3.1}}, true, CLAIM_HOLDS},
	{"its lower end is the limit", 2, 0, {2.1, {2, 2.2}}, true, CLAIM_HOLDS},
	{"contains the limit, the ratio is above", 2, 0, {2.01, {1.9, 2.1}}, true, CLAIM_UNDECIDED},
	{"contains the limit, the ratio is below", 2, 0, {1.99, {1.9, 2.1}}, true, CLAIM_UNDECIDED},
	{"its upper end is the limit", 2, 0, {1.9, {1.8, 2}}, true, CLAIM_UNDECIDED},
	{"below the limit", 2, 0, {1.9, {1.8, 1.99}}, true, CLAIM_FAILS},
	{"at most, below", 0, 1.5, {1, {0.9, 1.1}}, true, CLAIM_HOLDS},
	{"at most, its upper end is the limit", 0, 1.5, {1.4, {1.3, 1.5}}, true, CLAIM_HOLDS},
	{"at most, contains the limit", 0, 1.5, {1.5, {1.4, 1.6}}, true, CLAIM_UNDECIDED},
	{"at most, its lower end is the limit", 0, 1.5, {1.6, {1.5, 1.7}}, true, CLAIM_UNDECIDED},
	{"at most, above", 0, 1.5, {1.6, {1.51, 1.7}}, true, CLAIM_FAILS},
	{"between the limits", 0.5, 1.5, {1, {0.5, 1.5}}, true, CLAIM_HOLDS},
	{"contains the lower limit", 0.5, 1.5, {0.6, {0.4, 0.8}}, true, CLAIM_UNDECIDED},
	{"contains the upper limit", 0.5, 1.5, {1.4, {1.2, 1.6}}, true, CLAIM_UNDECIDED},
	{"contains both limits", 0.5, 1.5, {1, {0.4, 1.6}}, true, CLAIM_UNDECIDED},
	{"below both limits", 0.5, 1.5, {0.4, {0.3, 0.49}}, true, CLAIM_FAILS},
	{"above both limits", 0.5, 1.5, {1.6, {1.51, 1.7}}, true, CLAIM_FAILS},
	{"no interval", 2, 0, {3, {NAN, NAN}}, true, CLAIM_UNDECIDED},
	{"flagged, would hold", 2, 0, {3, {2.9, 3.1}, true}, true, CLAIM_UNDECIDED},
	{"flagged, would fail", 2, 0, {1, {0.9, 1.1}, true}, true, CLAIM_UNDECIDED},
	{"not a GPU, would hold", 2, 0, {3, {2.9, 3.1}}, false, CLAIM_NOT_APPLICABLE},
	{"not a GPU, would fail", 2, 0, {1, {0.9, 1.1}}, false, CLAIM_NOT_APPLICABLE},
	{"not a GPU, flagged", 2, 0, {1, {0.9, 1.1}, true}, false, CLAIM_NOT_APPLICABLE},
	{"unknown ratio", 2, 0, {NAN, {NAN, NAN}}, true, CLAIM_NOT_APPLICABLE},
	{"unknown ratio, flagged", 2, 0, {NAN, {NAN, NAN}, true}, true, CLAIM_NOT_APPLICABLE},
};

TEST_ROWS(verdict, rows, "claim: %s", row->name)
{
	const struct claim claim = {.at_least = row->at_least, .at_most = row->at_most};

	EQUAL(claim_judge(&claim, &row->evidence, row->gpu), row->verdict);
}

TEST(words, "the words of the verdicts")
{
	STRING(claim_verdict_name(CLAIM_HOLDS), "holds");
	STRING(claim_verdict_name(CLAIM_FAILS), "does not hold");
	STRING(claim_verdict_name(CLAIM_UNDECIDED), "undecided");
	NIL(claim_verdict_name(CLAIM_NOT_APPLICABLE));
	NIL(claim_verdict_words[CLAIM_VERDICT_COUNT]);
}

/* ---- Simulated samples --------------------------------------------------------------------- */

#define MAX_SAMPLES 200
#define TRIALS 4000
#define LIMIT 1.2
#define SIDE_NOISE 0.004 /* a quiet GPU: the medians of 20 samples are not flagged */

/* Two sides: the base takes `ratio` times as long as the variant. */
struct sides {
	double base[MAX_SAMPLES], variant[MAX_SAMPLES];
	size_t n;
};

/* Sample i of a block of n, relative to the block's begin: the clock of the device falls. */
static double clock_factor(double fall, double i, size_t n)
{
	return 1 + fall * i / (double)n;
}

/* Samples in turn: both sides of round i have the same clock. */
static void sample_in_turn(
	struct sides *sides, enum noise noise, double ratio, double fall, uint64_t trial)
{
	const struct simulation simulation = {noise, SIDE_NOISE, 0, 1, 10 * sides->n};

	for (size_t i = 0; i < sides->n; i++) {
		double factor = clock_factor(fall, (double)i, sides->n);
		sides->base[i] = ratio * factor * simulate_sample(&simulation, 2 * trial, i);
		sides->variant[i] = factor * simulate_sample(&simulation, 2 * trial + 1, i);
	}
}

/* The block of the base, then the block of the variant: the clock falls in both. */
static void sample_apart(struct sides *sides, double ratio, double fall, uint64_t trial)
{
	const struct simulation simulation = {NOISE_NORMAL, SIDE_NOISE, 0, 1, 10 * sides->n};

	for (size_t i = 0; i < sides->n; i++) {
		double place = (double)i;
		sides->base[i] = ratio * clock_factor(fall, place, sides->n) *
				 simulate_sample(&simulation, 2 * trial, i);
		sides->variant[i] = clock_factor(fall, place + (double)sides->n, sides->n) *
				    simulate_sample(&simulation, 2 * trial + 1, i);
	}
}

static struct claim_evidence evidence_in_turn(const struct sides *sides)
{
	double scratch[2 * MAX_SAMPLES];
	const struct stats_ratio ratio =
		stats_ratio_of(sides->base, sides->variant, sides->n, scratch);

	return (struct claim_evidence){
		.ratio = ratio.median, .ci95 = {ratio.ci95[0], ratio.ci95[1]}};
}

static struct ladder_rung rung_of(const double *samples, size_t n)
{
	double scratch[MAX_SAMPLES];
	const struct stats stats = stats_of(samples, n, scratch);

	return (struct ladder_rung){
		"x", "cuda", {{0}}, 0, stats.median, {stats.ci95[0], stats.ci95[1]}};
}

static struct claim_evidence evidence_of_medians(const struct sides *sides)
{
	const struct ladder_rung base = rung_of(sides->base, sides->n);
	const struct ladder_rung variant = rung_of(sides->variant, sides->n);
	const struct stats_ratio ratio = ladder_ratio(&base, &variant);

	return (struct claim_evidence){
		.ratio = ratio.median, .ci95 = {ratio.ci95[0], ratio.ci95[1]}};
}

static const struct claim min = {.text = "", .at_least = LIMIT};
static const struct claim max = {.text = "", .at_most = LIMIT};

struct answers {
	double percent[CLAIM_VERDICT_COUNT];
};

static void put(const char *name, size_t n, const struct answers *answers)
{
	test_note("%s, n = %zu: holds %.1f %%, does not hold %.1f %%, undecided %.1f %%", name, n,
		answers->percent[CLAIM_HOLDS], answers->percent[CLAIM_FAILS],
		answers->percent[CLAIM_UNDECIDED]);
}

/* Rounds whose true ratio is `ratio` times the limit. */
static struct answers simulate_claim(
	const struct claim *claim, enum noise noise, size_t n, double ratio, double fall)
{
	struct answers answers = {{0}};

	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		struct sides sides = {.n = n};
		sample_in_turn(&sides, noise, ratio * LIMIT, fall, trial);
		const struct claim_evidence evidence = evidence_in_turn(&sides);
		answers.percent[claim_judge(claim, &evidence, true)] += 100.0 / TRIALS;
	}
	return answers;
}

static const size_t counts[] = {6, 8, 10, 20, 40, 80, 200};
#define COUNTS (sizeof counts / sizeof *counts)

static const enum noise noises[] = {
	NOISE_NORMAL, NOISE_LOG_NORMAL, NOISE_EXPONENTIAL, NOISE_BIMODAL};

/* The interval covers the true ratio in 95 % of all blocks, and the two other answers share the
 * rest. */
TEST_ROWS(exactly_the_limit, noises, "a step exactly at the limit is undecided: %s",
	noise_names[*row])
{
	enum noise noise = *row;

	for (size_t c = 0; c < COUNTS; c++)
		for (int side = 0; side < 2; side++) {
			const struct answers got =
				simulate_claim(side ? &max : &min, noise, counts[c], 1, 0);
			put(side ? "at most" : "at least", counts[c], &got);
			IS(got.percent[CLAIM_UNDECIDED] >= 94);
			IS(got.percent[CLAIM_UNDECIDED] <= 97);
			IS(got.percent[CLAIM_HOLDS] <= 3);
			IS(got.percent[CLAIM_FAILS] <= 3);
		}
}

TEST(far_from_the_limit, "a step far from the limit is decided")
{
	for (size_t c = 0; c < COUNTS; c++) {
		const struct answers above = simulate_claim(&min, NOISE_NORMAL, counts[c], 1.05, 0);
		const struct answers below = simulate_claim(&min, NOISE_NORMAL, counts[c], 0.95, 0);
		put("5 % above", counts[c], &above);
		put("5 % below", counts[c], &below);
		CHECK(IS(above.percent[CLAIM_HOLDS] > 99.9), IS(below.percent[CLAIM_FAILS] > 99.9));
	}
}

TEST(few_rounds, "fewer than 6 rounds decide nothing")
{
	for (size_t n = 1; n < 6; n++) {
		const struct answers got = simulate_claim(&min, NOISE_NORMAL, n, 2, 0);
		IS(got.percent[CLAIM_UNDECIDED] > 99.9);
	}
}

/* The clock falls by 5 % in each block. The step is 2 % above the limit. */
TEST(clock_falls, "a falling clock: only samples in turn are right")
{
	size_t n = 80, wrong = 0, decided = 0;

	const struct answers in_turn = simulate_claim(&min, NOISE_NORMAL, n, 1.02, 0.05);
	put("in turn", n, &in_turn);
	IS(in_turn.percent[CLAIM_HOLDS] > 99.9);
	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		struct sides sides = {.n = n};
		sample_apart(&sides, 1.02 * LIMIT, 0.05, trial);
		const struct claim_evidence evidence = evidence_of_medians(&sides);
		enum claim_verdict got = claim_judge(&min, &evidence, true);
		wrong += got == CLAIM_FAILS;
		decided += got == CLAIM_HOLDS;
	}
	test_note("one block after the other: does not hold %.1f %%, holds %.1f %%",
		100.0 * (double)wrong / TRIALS, 100.0 * (double)decided / TRIALS);
	EQUAL(decided, 0);
}

/* Separate blocks without a drift: the interval is wider than it has to be. */
TEST(medians_are_conservative, "the interval of two medians covers the ratio")
{
	for (size_t c = 0; c < COUNTS; c++) {
		size_t n = counts[c], covered = 0;
		for (uint64_t trial = 0; trial < TRIALS; trial++) {
			struct sides sides = {.n = n};
			sample_apart(&sides, LIMIT, 0, trial);
			const struct claim_evidence evidence = evidence_of_medians(&sides);
			covered += evidence.ci95[0] <= LIMIT && LIMIT <= evidence.ci95[1];
		}
		test_note("n = %zu: covers %.1f %%", n, 100.0 * (double)covered / TRIALS);
		IS(covered >= TRIALS / 1000 * 985);
	}
}
