/* The rule that ends the sampling of a block, and the coverage of the interval of the median at
 * that point: simulated samples whose median is known. */
#include "common/model/sampling.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

#define MAX_SAMPLES 200

/* ---- Limits -------------------------------------------------------------------------------- */

static const struct limits_row {
	const char *name;
	size_t min_samples, max_samples;
	double min_time_ns, run_ns;
	struct sampling_limits limits;
} limits_rows[] = {
	{"default", 0, 200, 5e7, 1e5, {20, 20, 200, 5e7, 2e8}},
	{"a run of 10 ms", 0, 200, 5e7, 1e7, {20, 20, 200, 5e7, 2e8}},
	{"a run of more than 10 ms", 0, 200, 5e7, 1.1e7, {20, 10, 200, 5e7, 2e8}},
	{"a run of more than 1 s", 0, 200, 5e7, 1.1e9, {20, 3, 200, 5e7, 2e8}},
	{"more samples", 50, 200, 5e7, 1e5, {50, 50, 200, 5e7, 2e8}},
	{"more samples of a slow run", 50, 200, 5e7, 1e10, {50, 50, 200, 5e7, 2e8}},
	{"fewer samples", 10, 200, 5e7, 1e5, {10, 10, 200, 5e7, 2e8}},
	{"too few for a checkpoint", 3, 200, 5e7, 1e5, {8, 3, 200, 5e7, 2e8}},
	{"fewer than the default at most", 0, 5, 5e7, 1e5, {20, 5, 5, 5e7, 2e8}},
	{"more time", 0, 200, 1e9, 1e5, {20, 20, 200, 1e9, 4e9}},
};

TEST_ROWS(limits, limits_rows, "limits: %s", row->name)
{
	struct sampling_limits got = sampling_limits_of(
		row->min_samples, row->max_samples, row->min_time_ns, row->run_ns);

	CHECK(EQUAL(got.first, row->limits.first), EQUAL(got.min, row->limits.min),
		EQUAL(got.max, row->limits.max), NEAR(got.min_ns, row->limits.min_ns, 0),
		NEAR(got.max_ns, row->limits.max_ns, 0));
}

TEST(checkpoints, "checkpoints")
{
	const struct sampling_limits default_limits = sampling_limits_of(0, MAX_SAMPLES, 5e7, 1e5);
	const struct sampling_limits exactly = sampling_exactly(3);

	for (size_t n = 1; n <= MAX_SAMPLES; n++)
		EQUAL(sampling_is_checkpoint(&default_limits, n),
			n == 20 || n == 40 || n == 80 || n == 160 || n == 200);
	NOT(sampling_ends(&exactly, 2, 1e18, true));
	IS(sampling_ends(&exactly, 3, 0, false));
}

static const struct ends_row {
	const char *name;
	size_t n;
	double elapsed_ns;
	bool narrow, ends;
} ends_rows[] = {
	{"narrow", 20, 5e7, true, true},
	{"narrow, but too early", 20, 4.9e7, true, false},
	{"wide", 160, 1.9e8, false, false},
	{"the limit of samples", 200, 0, false, true},
	{"the limit of time", 21, 2e8, false, true},
	{"the limit of time at the smallest number of samples", 20, 2e8, false, true},
	{"the limit of time before the smallest number of samples", 19, 1e12, false, false},
};

TEST_ROWS(ends, ends_rows, "end: %s", row->name)
{
	const struct sampling_limits default_limits = sampling_limits_of(0, MAX_SAMPLES, 5e7, 1e5);

	EQUAL(sampling_ends(&default_limits, row->n, row->elapsed_ns, row->narrow), row->ends);
}

static const struct noisy_row {
	const char *name;
	struct stats stats;
	bool noisy;
} noisy_rows[] = {
	{"just narrow", {.n = 200, .median = 1000, .ci95 = {995.01, 1005}}, false},
	{"0.5 %", {.n = 200, .median = 1000, .ci95 = {995, 1005}}, true},
	{"unknown", {.n = 5, .median = 1000, .ci95 = {NAN, NAN}}, true},
	{"no median", {.n = 20, .ci95 = {0, 0}}, true},
	{"equal samples", {.n = 20, .median = 7, .ci95 = {7, 7}}, false},
};

TEST_ROWS(noisy, noisy_rows, "noisy: %s", row->name)
{
	EQUAL(sampling_is_noisy(&row->stats), row->noisy);
}

/* ---- Coverage at a fixed number of samples ------------------------------------------------- */

#define FIXED_TRIALS 4000

static const enum noise noises[] = {
	NOISE_NORMAL, NOISE_LOG_NORMAL, NOISE_EXPONENTIAL, NOISE_BIMODAL, NOISE_DRIFT};

TEST_ROWS(covers, noises, "the interval covers the median: %s", noise_names[i])
{
	static const size_t counts[] = {3, 5, 6, 7, 8, 10, 15, 20, 40, 80, 200};
	enum noise noise = *row;
	double samples[MAX_SAMPLES], scratch[MAX_SAMPLES];

	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		size_t n = counts[c], covered = 0;
		struct simulation simulation = {noise, 0.1, 1, n, 1000 + 2 * c};
		double median = simulate_median(&simulation, n);
		for (uint64_t trial = 0; trial < FIXED_TRIALS; trial++) {
			for (size_t i = 0; i < n; i++)
				samples[i] = simulate_sample(&simulation, trial, i);
			struct stats stats = stats_of(samples, n, scratch);
			covered += stats.ci95[0] <= median && median <= stats.ci95[1];
			if (n < 6)
				IS(isnan(stats.ci95[0]) && sampling_is_noisy(&stats));
		}
		double percent = 100.0 * (double)covered / FIXED_TRIALS;
		if (n < 6)
			continue;
		test_note("n = %zu: %.1f %%", n, percent);
		IS(percent >= 93 && percent <= 97);
	}
}

/* A drift of five standard deviations only makes the interval wider. */
TEST(covers_strong_drift, "the interval covers the median: strong drift")
{
	struct simulation simulation = {NOISE_DRIFT, 0.02, 5, 40, 1};
	double median = simulate_median(&simulation, 40);
	double samples[40], scratch[40];
	size_t covered = 0;

	for (uint64_t trial = 0; trial < FIXED_TRIALS; trial++) {
		for (size_t i = 0; i < 40; i++)
			samples[i] = simulate_sample(&simulation, trial, i);
		struct stats stats = stats_of(samples, 40, scratch);
		covered += stats.ci95[0] <= median && median <= stats.ci95[1];
	}
	test_note("%.1f %%", 100.0 * (double)covered / FIXED_TRIALS);
	IS(covered >= FIXED_TRIALS / 100 * 93);
}

/* ---- Coverage after the rule has ended a block --------------------------------------------- */

#define RULE_TRIALS 5000

/* Samples of one block that the rule ends. The limit of time does not end it. */
static struct stats sample_block(const struct simulation *simulation, uint64_t trial)
{
	const struct sampling_limits default_limits = sampling_limits_of(0, MAX_SAMPLES, 0, 1e5);
	struct stats stats = {0};
	double samples[MAX_SAMPLES], scratch[MAX_SAMPLES];
	bool narrow = false;
	size_t n = 0;

	do {
		samples[n] = simulate_sample(simulation, trial, n);
		n++;
		if (sampling_is_checkpoint(&default_limits, n)) {
			stats = stats_of(samples, n, scratch);
			narrow = sampling_is_narrow(&stats);
		}
	} while (!sampling_ends(&default_limits, n, 0, narrow));
	return stats;
}

TEST_ROWS(
	keeps_promise, noises, "the interval is as narrow as the rule requires: %s", noise_names[i])
{
	static const double sizes[] = {
		0.003, 0.005, 0.007, 0.01, 0.014, 0.017, 0.02, 0.03, 0.05, 0.1};
	enum noise noise = *row;

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		struct simulation simulation = {noise, sizes[s], 1, MAX_SAMPLES, 7000 + 2 * s};
		size_t covered = 0, flagged = 0;
		double samples = 0, width = 0;
		for (uint64_t trial = 0; trial < RULE_TRIALS; trial++) {
			struct stats stats = sample_block(&simulation, trial);
			double median = simulate_median(&simulation, stats.n);
			covered += stats.ci95[0] <= median && median <= stats.ci95[1];
			flagged += sampling_is_noisy(&stats);
			samples += (double)stats.n / RULE_TRIALS;
			width += 100 * stats_half_width(&stats) / RULE_TRIALS;
			EQUAL(sampling_is_noisy(&stats),
				!(stats_half_width(&stats) < SAMPLING_HALF_WIDTH));
			/* A block with a wider interval ends only at the limit of samples. */
			IS(!sampling_is_noisy(&stats) || stats.n == MAX_SAMPLES);
		}
		double percent = 100.0 * (double)covered / RULE_TRIALS;
		test_note("noise %.1f %%: covers %.1f %%, half-width %.2f %%, %.0f samples, noisy "
			  "%.0f %%",
			100 * sizes[s], percent, width, samples,
			100.0 * (double)flagged / RULE_TRIALS);
		IS(percent >= 93 && percent <= 97);
	}
}
