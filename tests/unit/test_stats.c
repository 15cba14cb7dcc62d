#include "common/stats.h"
#include "tests/support/test.h"

/* Values of R's quantile(x, c(0, .25, .5, .75), type = 7). */
static const struct quantile_row {
	const char *name;
	double samples[8];
	size_t n;
	double min, q1, median, q3;
} quantile_rows[] = {
	{"one", {7}, 1, 7, 7, 7, 7},
	{"two", {3, 1}, 2, 1, 1.5, 2, 2.5},
	{"three", {3, 1, 2}, 3, 1, 1.5, 2, 2.5},
	{"four", {4, 3, 2, 1}, 4, 1, 1.75, 2.5, 3.25},
	{"five", {1, 2, 3, 4, 100}, 5, 1, 2, 3, 4},
	{"equal", {5, 5, 5, 5, 5, 5}, 6, 5, 5, 5, 5},
	{"eight", {8, 1, 7, 2, 6, 3, 5, 4}, 8, 1, 2.75, 4.5, 6.25},
	{"fractions", {0.1, 0.4, 0.2, 0.3}, 4, 0.1, 0.175, 0.25, 0.325},
};

TEST_ROWS(quantiles, quantile_rows, "quantiles %s", row->name)
{
	double scratch[8];
	struct stats stats = stats_of(row->samples, row->n, scratch);

	CHECK(EQUAL(stats.n, row->n), NEAR(stats.min, row->min, 1e-15),
		NEAR(stats.q1, row->q1, 1e-15), NEAR(stats.median, row->median, 1e-15),
		NEAR(stats.q3, row->q3, 1e-15));
}

TEST(samples_stay, "the samples stay in their order")
{
	double samples[] = {3, 1, 2}, scratch[3];

	stats_of(samples, 3, scratch);
	CHECK(NEAR(samples[0], 3, 0), NEAR(samples[1], 1, 0), NEAR(samples[2], 2, 0));
}

TEST(none, "no samples")
{
	struct stats stats = stats_of(NULL, 0, NULL);

	CHECK(EQUAL(stats.n, 0), NEAR(stats.median, 0, 0));
}

TEST(notch, "notch")
{
	struct stats stats = {.n = 16, .min = 90, .q1 = 95, .median = 100, .q3 = 105};
	struct stats no_median = {.n = 16};
	struct stats no_samples = {0};

	CHECK(NEAR(stats_notch(&stats), 1.57 * 10 / 4 / 100, 1e-15),
		IS(isinf(stats_notch(&no_median))), IS(isinf(stats_notch(&no_samples))));
}

/* ---- The interval of the median ------------------------------------------------------------ */

/* The samples are 1 to n, so the ends of the interval are positions between order statistics. They
 * were computed in exact fractions from the formula of the source in stats.h. Example n = 6:
 * P(1 <= X <= 5) = 62/64 and P(2 <= X <= 4) = 50/64 give the weight 5 x 0.1 / (1 + 4 x 0.1). */
static const struct interval_row {
	size_t n;
	double low; /* NAN: unknown */
} interval_rows[] = {
	{0, NAN},
	{1, NAN},
	{5, NAN},
	{6, 1 + 5.0 / 14},
	{7, 1.7333333333333334},
	{20, 6.235234215885947},
	{200, 86.68883468193786},
};

TEST_ROWS(interval, interval_rows, "interval of %zu samples", row->n)
{
	double samples[200], scratch[200];

	for (size_t i = 0; i < row->n; i++)
		samples[i] = (double)(row->n - i);
	struct stats stats = stats_of(samples, row->n, scratch);
	if (isnan(row->low)) {
		IS(isnan(stats.ci95[0]) && isnan(stats.ci95[1]));
		IS(isnan(stats_half_width(&stats)));
		return;
	}
	test_note("[%.16g, %.16g]", stats.ci95[0], stats.ci95[1]);
	test_near(stats.ci95[0], row->low, 1e-9);
	test_near(stats.ci95[1], (double)row->n + 1 - row->low, 1e-9);
	test_near(stats_half_width(&stats), (stats.ci95[1] - stats.ci95[0]) / 2 / stats.median,
		1e-15);
}

TEST(interval_of_equal, "interval of equal samples")
{
	double samples[] = {5, 5, 5, 5, 5, 5}, zeros[6] = {0}, scratch[6];
	struct stats stats = stats_of(samples, 6, scratch);
	struct stats no_median = stats_of(zeros, 6, scratch);

	CHECK(NEAR(stats.ci95[0], 5, 0), NEAR(stats.ci95[1], 5, 0),
		NEAR(stats_half_width(&stats), 0, 0), IS(isnan(stats_half_width(&no_median))));
}

/* ---- The ratio of rounds ------------------------------------------------------------------- */

/* Side a takes 10 % longer in every round. The rounds drift by a factor of 2. */
TEST(ratio_of_drift, "a drift of both sides does not change the ratio")
{
	double a[20], b[20], scratch[40];

	for (size_t i = 0; i < 20; i++) {
		b[i] = 100 * (1 + (double)i / 20);
		a[i] = 1.1 * b[i];
	}
	struct stats_ratio ratio = stats_ratio_of(a, b, 20, scratch);
	CHECK(NEAR(ratio.median, 1.1, 1e-12), NEAR(ratio.ci95[0], 1.1, 1e-12),
		NEAR(ratio.ci95[1], 1.1, 1e-12));
}

TEST(ratio_of_few, "fewer than 6 rounds have no interval")
{
	double a[5] = {30, 31, 30, 30, 29}, b[5] = {20, 20, 20, 20, 20}, scratch[10];
	struct stats_ratio ratio = stats_ratio_of(a, b, 5, scratch);

	CHECK(NEAR(ratio.median, 1.5, 1e-15), IS(isnan(ratio.ci95[0]) && isnan(ratio.ci95[1])));
}
