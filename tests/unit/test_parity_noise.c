/* Parity's interval and verdict on simulated rounds: two sides with a known ratio, noise of each
 * side, and noise that both share. */
#include "common/model/parity.h"
#include "common/stats.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

#define MAX_SAMPLES 200
#define TRIALS 2000

/* What both samples of a round share. */
enum shared {
	SHARED_NONE,
	SHARED_DRIFT, /* the clock falls: the last round takes 20 % longer than the first */
	SHARED_STATES /* two states of the machine: a round takes 1 or 1.5 */
};

static const struct noise_row {
	const char *name;
	enum noise noise;
	double size;
	enum shared shared;
} noise_rows[] = {
	{"normal, 1 %", NOISE_NORMAL, 0.01, SHARED_NONE},
	{"normal, 5 %", NOISE_NORMAL, 0.05, SHARED_NONE},
	{"exponential, 5 %", NOISE_EXPONENTIAL, 0.05, SHARED_NONE},
	{"bimodal, 3 %", NOISE_BIMODAL, 0.03, SHARED_NONE},
	{"normal, 2 %, and a common drift of 20 %", NOISE_NORMAL, 0.02, SHARED_DRIFT},
	{"normal, 2 %, and two states of the machine", NOISE_NORMAL, 0.02, SHARED_STATES},
};

static double shared_factor(enum shared shared, uint64_t seed, uint64_t trial, size_t i, size_t n)
{
	if (shared == SHARED_DRIFT)
		return 1 + 0.2 * (double)i / (double)n;
	if (shared == SHARED_STATES)
		return simulate_normal(seed + 2, trial, i) < 0.25 ? 1 : 1.5;
	return 1;
}

/* n rounds in which side a takes `ratio` times as long as side b. */
static struct stats_ratio sample_rounds(
	const struct noise_row *row, uint64_t trial, size_t n, double ratio)
{
	struct simulation simulation = {row->noise, row->size, 0, n, 100 * n};
	double a[MAX_SAMPLES], b[MAX_SAMPLES], scratch[2 * MAX_SAMPLES];

	for (size_t i = 0; i < n; i++) {
		double shared = shared_factor(row->shared, simulation.seed, trial, i, n);
		a[i] = ratio * shared * simulate_sample(&simulation, 2 * trial, i);
		b[i] = shared * simulate_sample(&simulation, 2 * trial + 1, i);
	}
	return stats_ratio_of(a, b, n, scratch);
}

/* One kernel against itself: the interval holds 1 in 95 % of all comparisons, and the tolerance
 * that follows from the noise makes the verdict SAME. */
TEST_ROWS(against_itself, noise_rows, "one kernel against itself: %s", row->name)
{
	static const size_t counts[] = {20, 40, 80, 200};

	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		size_t verdicts[PARITY_VERDICT_COUNT] = {0}, covered = 0;
		double widest = 0;
		for (uint64_t trial = 0; trial < TRIALS; trial++) {
			struct stats_ratio ratio = sample_rounds(row, trial, counts[c], 1);
			double tolerance = NAN;
			covered += ratio.ci95[0] <= 1 && 1 <= ratio.ci95[1];
			verdicts[parity_judge(ratio.ci95, &tolerance)]++;
			widest = fmax(widest, tolerance);
		}
		double percent = 100.0 * (double)covered / TRIALS;
		test_note("n = %zu: covers %.1f %%; SAME %zu, AMBG %zu, FAST %zu, SLOW %zu of %d; "
			  "tolerance up to %.3f",
			counts[c], percent, verdicts[PARITY_SAME], verdicts[PARITY_AMBG],
			verdicts[PARITY_FAST], verdicts[PARITY_SLOW], TRIALS, widest);
		IS(percent >= 93 && percent <= 97);
		IS(verdicts[PARITY_SAME] >= TRIALS / 100 * 95);
		IS(verdicts[PARITY_FAST] + verdicts[PARITY_SLOW] <= TRIALS / 100);
	}
}

/* Parity finds a difference that is large compared with the noise, for each kind of shared
 * noise. */
TEST_ROWS(slower_side, noise_rows, "a slower side: %s", row->name)
{
	size_t slow = 0, fast = 0;

	for (uint64_t trial = 0; trial < 200; trial++) {
		double by = 1 + 10 * row->size;
		struct stats_ratio ratio = sample_rounds(row, trial, 100, by);
		slow += parity_judge(ratio.ci95, &(double){NAN}) == PARITY_SLOW;
		ratio = sample_rounds(row, trial, 100, 1 / by);
		fast += parity_judge(ratio.ci95, &(double){NAN}) == PARITY_FAST;
	}
	test_note("%zu SLOW, %zu FAST of 200", slow, fast);
	IS(slow >= 190 && fast >= 190);
}
