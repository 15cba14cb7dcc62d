/* Floors of noise: defaults, and the spread of repeated runs. */
#include "common/model/noise_floor.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

/* ---- Defaults ------------------------------------------------------------------------------- */

static const struct default_row {
	const char *type;
	struct noise_floor floor;
} default_rows[] = {
	{"gpu", {0.002, 30}},
	{"cpu", {0.05, 4}},
	{"accelerator", {0.05, 4}},
	{"", {0.05, 4}},
	{"GPU", {0.05, 4}},
	{NULL, {0.05, 4}},
};

TEST_ROWS(default_floor, default_rows, "default: %s", row->type ? row->type : "NULL")
{
	struct noise_floor floor = noise_floor_default(row->type);

	CHECK(NEAR(floor.sd, row->floor.sd, 0), NEAR(floor.dof, row->floor.dof, 0));
}

/* ---- A typical variant ----------------------------------------------------------------------- */

/* Median of chi-squared with 1, 4 and 9 degrees of freedom over its mean, by the formula of Wilson
 * and Hilferty: (7/9)^3, (17/18)^3, (79/81)^3. */
static const struct typical_row {
	const char *name;
	double variances[5];
	size_t count;
	double dof, typical;
} typical_rows[] = {
	{"1 degree of freedom", {343, 343, 343, 343}, 4, 1, 729},
	{"4 degrees of freedom", {4913, 4913, 4913, 4913}, 4, 4, 5832},
	{"the middle one", {5, 4913, 1e9, 2, 6000}, 5, 4, 5832},
	{"mean of the middle two", {4900, 1e9, 4926, 0}, 4, 4, 5832},
	{"9 degrees of freedom", {493039, 493039, 493039, 493039}, 4, 9, 531441},
	{"no noise", {0, 0, 0, 0}, 4, 9, 0},
};

TEST_ROWS(typical, typical_rows, "typical: %s", row->name)
{
	double variances[5];

	for (size_t i = 0; i < row->count; i++)
		variances[i] = row->variances[i];
	test_near(noise_floor_spread(variances, row->count, row->dof).variance, row->typical, 1e-6);
}

/* ---- The spread of a side -------------------------------------------------------------------- */

static const struct raised_row {
	const char *name;
	struct noise_floor floor;
	struct noise_spread spread;
	struct noise_floor want;
} raised_rows[] = {
	{"unknown spread", {0.002, 30}, {0, 0}, {0.002, 30}},
	{"smaller spread", {0.1, 30}, {0.0001, 2}, {0.1, 30}},
	{"larger, less known", {0.002, 30}, {0.0001, 2}, {0.01, 2}},
	{"larger, better known", {0.05, 4}, {0.01, 7}, {0.1, 4}},
};

TEST_ROWS(raised, raised_rows, "raised: %s", row->name)
{
	const struct noise_floor got = noise_floor_raised(&row->floor, &row->spread);

	CHECK(NEAR(got.sd, row->want.sd, 1e-15), NEAR(got.dof, row->want.dof, 0));
}

TEST(classes, "noise classes")
{
	IS(noise_floor_class("gpu") != noise_floor_class("cpu"));
	EQUAL(noise_floor_class(NULL), noise_floor_class("cpu"));
	IS(noise_floor_class("cpu") < NOISE_CLASSES && noise_floor_class("gpu") < NOISE_CLASSES);
}

/* ---- Simulated runs -------------------------------------------------------------------------- */

#define VARIANTS 40
#define RUNS 10

static double simulated_variance(double sd, uint64_t seed, uint64_t stream)
{
	double values[RUNS], sum = 0, squares = 0;

	for (size_t i = 0; i < RUNS; i++) {
		values[i] = sd * simulate_normal(seed, stream, i);
		sum += values[i];
	}
	for (size_t i = 0; i < RUNS; i++)
		squares += (values[i] - sum / RUNS) * (values[i] - sum / RUNS);
	return squares / (RUNS - 1);
}

/* The typical variance of 40 variants with one true standard deviation is near its square. */
TEST(equal_variants, "40 variants of one noise")
{
	const double sd = 0.003;

	for (uint64_t trial = 0; trial < 200; trial++) {
		double variances[VARIANTS];
		for (uint64_t v = 0; v < VARIANTS; v++)
			variances[v] = simulated_variance(sd, trial + 1, v);
		double middle = sqrt(noise_floor_spread(variances, VARIANTS, RUNS - 1).variance);
		IS(middle > 0.8 * sd && middle < 1.2 * sd);
	}
}

/* Three noisy variants of 40 hardly raise the typical variance. */
TEST(noisy_variants, "3 noisy variants of 40")
{
	const double sd = 0.001, large = 0.02;

	for (uint64_t trial = 0; trial < 200; trial++) {
		double variances[VARIANTS];
		for (uint64_t v = 0; v < VARIANTS; v++)
			variances[v] = simulated_variance(v < 3 ? large : sd, trial + 1, v);
		double middle = noise_floor_spread(variances, VARIANTS, RUNS - 1).variance;
		IS(middle > 0.64 * sd * sd && middle < 1.5 * sd * sd);
	}
}
