/* Floors of noise: defaults, and the floors that follow from the variances of repeated runs. */
#include "common/model/noise_floor.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

#include <math.h>

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

static void default_floor(const void *context)
{
	const struct default_row *row = context;
	struct noise_floor floor = noise_floor_default(row->type);

	test_near(floor.sd, row->floor.sd, 0);
	test_near(floor.dof, row->floor.dof, 0);
}

/* ---- A family ------------------------------------------------------------------------------- */

/* The mean of the variances gives sd. Their variance, which is 2 * mean^2 / dof, gives dof. */
static const struct family_row {
	const char *name;
	double variances[4];
	size_t count, runs;
	double sd, dof;
} family_rows[] = {
	{"one variant", {4}, 1, 10, 2, 9},
	{"two runs", {4}, 1, 2, 2, 1},
	{"equal variances", {4, 4, 4}, 3, 10, 2, 9},
	{"mean 2, variance 2", {1, 3}, 2, 10, 1.4142135623730951, 4},
	{"the order does not matter", {3, 1}, 2, 10, 1.4142135623730951, 4},
	{"at most runs - 1", {1, 3}, 2, 4, 1.4142135623730951, 3},
	{"at least 1", {0, 0, 0, 8}, 4, 10, 1.4142135623730951, 1},
	{"no noise", {0, 0, 0}, 3, 10, 1e-4, 9},
	{"one variant without noise", {0}, 1, 5, 1e-4, 4},
};

static void family(const void *context)
{
	const struct family_row *row = context;
	struct noise_floor floor = noise_floor_of(row->variances, row->count, row->runs);

	test_near(floor.sd, row->sd, 1e-12);
	test_near(floor.dof, row->dof, 1e-12);
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
	{"one variant, 1 degree of freedom", {343}, 1, 1, 729},
	{"one variant, 4 degrees of freedom", {4913}, 1, 4, 5832},
	{"the middle one", {5, 4913, 1e9, 2, 6000}, 5, 4, 5832},
	{"mean of the middle two", {4900, 1e9, 4926, 0}, 4, 4, 5832},
	{"9 degrees of freedom", {493039, 493039}, 2, 9, 531441},
	{"no noise", {0, 0, 0}, 3, 9, 0},
};

static void typical(const void *context)
{
	const struct typical_row *row = context;
	double variances[5];

	for (size_t i = 0; i < row->count; i++)
		variances[i] = row->variances[i];
	test_near(noise_floor_typical(variances, row->count, row->dof), row->typical, 1e-6);
}

/* ---- One variant ----------------------------------------------------------------------------- */

static const struct variant_row {
	const char *name;
	double variance;
	size_t runs;
	double typical, sd, dof;
} variant_rows[] = {
	{"the same variance as the family", 9, 5, 9, 3, 8},
	{"the family counts as four", 1, 5, 17, 3, 8},
	{"two runs: mostly the family", 0, 2, 5, 2, 5},
	{"many runs: mostly its own variance", 4, 1001, 4, 2, 1004},
	{"no noise", 0, 10, 0, 1e-4, 13},
};

static void variant(const void *context)
{
	const struct variant_row *row = context;
	struct noise_floor floor = noise_floor_of_variant(row->variance, row->runs, row->typical);

	test_near(floor.sd, row->sd, 1e-12);
	test_near(floor.dof, row->dof, 1e-12);
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

static void raised(const void *context)
{
	const struct raised_row *row = context;
	const struct noise_floor got = noise_floor_raised(&row->floor, &row->spread);

	test_near(got.sd, row->want.sd, 1e-15);
	test_near(got.dof, row->want.dof, 0);
}

static void classes(const void *context)
{
	(void)context;
	assert_true(noise_floor_class("gpu") != noise_floor_class("cpu"));
	assert_int_equal(noise_floor_class(NULL), noise_floor_class("cpu"));
	assert_true(noise_floor_class("cpu") < NOISE_CLASSES &&
		    noise_floor_class("gpu") < NOISE_CLASSES);
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

/* The floor of 40 variants with one true standard deviation is near it, and so is the typical
 * variance. */
static void equal_variants(const void *context)
{
	const double sd = 0.003;

	(void)context;
	for (uint64_t trial = 0; trial < 200; trial++) {
		double variances[VARIANTS];
		for (uint64_t v = 0; v < VARIANTS; v++)
			variances[v] = simulated_variance(sd, trial + 1, v);
		struct noise_floor floor = noise_floor_of(variances, VARIANTS, RUNS);
		assert_true(floor.sd > 0.85 * sd && floor.sd < 1.15 * sd);
		assert_true(floor.dof > 2 && floor.dof <= RUNS - 1);
		double middle = sqrt(noise_floor_typical(variances, VARIANTS, RUNS - 1));
		assert_true(middle > 0.8 * sd && middle < 1.2 * sd);
	}
}

/* Three noisy variants of 40 raise the floor of the family, but hardly the typical variance. */
static void noisy_variants(const void *context)
{
	const double sd = 0.001, large = 0.02;

	(void)context;
	for (uint64_t trial = 0; trial < 200; trial++) {
		double variances[VARIANTS];
		for (uint64_t v = 0; v < VARIANTS; v++)
			variances[v] = simulated_variance(v < 3 ? large : sd, trial + 1, v);
		double noisy = variances[0], quiet = variances[VARIANTS - 1];
		struct noise_floor floor = noise_floor_of(variances, VARIANTS, RUNS);
		assert_true(floor.sd > 2 * sd);
		assert_true(floor.dof < 3);
		double middle = noise_floor_typical(variances, VARIANTS, RUNS - 1);
		assert_true(middle > 0.64 * sd * sd && middle < 1.5 * sd * sd);
		assert_true(noise_floor_of_variant(noisy, RUNS, middle).sd > 0.3 * large);
		assert_true(noise_floor_of_variant(quiet, RUNS, middle).sd < 1.6 * sd);
	}
}

#define ADD(list, rows, run, format, text)                         \
	for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++) \
	test_add(list, run, &(rows)[i], format, (rows)[i].text)

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof default_rows / sizeof *default_rows; i++)
		test_add(&list, default_floor, &default_rows[i], "default: %s",
			default_rows[i].type ? default_rows[i].type : "NULL");
	ADD(&list, family_rows, family, "family: %s", name);
	ADD(&list, typical_rows, typical, "typical: %s", name);
	ADD(&list, variant_rows, variant, "variant: %s", name);
	ADD(&list, raised_rows, raised, "raised: %s", name);
	test_add(&list, classes, NULL, "noise classes");
	test_add(&list, equal_variants, NULL, "40 variants of one noise");
	test_add(&list, noisy_variants, NULL, "3 noisy variants of 40");
	return test_run(&list, argc, argv);
}
