/* Repetitions: quantiles, the estimate from runs and floor, and simulated comparisons of two
 * sides. */
#include "common/model/repetition.h"
#include "common/model/verdict.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

/* ---- Student's t distribution ----------------------------------------------------------------- */

static double student_t_975(double dof)
{
	const struct repetition_estimate one = {.variance = 1, .dof = dof};
	double ns[2];

	repetition_interval(&one, ns);
	return log(ns[1]);
}

static double student_t_995(double dof)
{
	const struct repetition_estimate one = {.variance = 1, .dof = dof}, exact = {.dof = 1};

	return log(repetition_ratio_of(&one, &exact).ci99[1]);
}

/* P(T > t) */
static double student_t_tail(double t, double dof)
{
	const struct repetition_ratio ratio = {.ratio = exp(t), .log_error = 1, .dof = dof};

	return repetition_p_above(&ratio, 1);
}

/* ---- Quantiles ------------------------------------------------------------------------------- */

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: column 0.975. */
static const struct quantile_row {
	double dof, quantile, error;
} quantile_rows[] = {
	{1, 12.706, 1e-3},
	{2, 4.303, 1e-3},
	{3, 3.182, 0.001},
	{4, 2.776, 0.001},
	{5, 2.571, 0.002},
	{10, 2.228, 0.001},
	{30, 2.042, 0.001},
	{100, 1.984, 0.001},
	{INFINITY, 1.960, 0.001},
	{0.5, 12.706, 1e-3},
	{NAN, 12.706, 1e-3},
};

TEST_ROWS(quantile, quantile_rows, "quantile: %g degrees of freedom", row->dof)
{
	test_near(student_t_975(row->dof), row->quantile, row->quantile * row->error);
}

/* The same source, column 0.995. */
TEST(wide_quantile, "quantile 0.995")
{
	static const double rows[][2] = {
		{1, 63.657}, {2, 9.925}, {3, 5.841}, {5, 4.032}, {10, 3.169}, {30, 2.750}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_near(student_t_995(rows[i][0]), rows[i][1],
			rows[i][1] * (rows[i][0] == 5 ? 0.007 : 0.001));
}

/* The tail is the inverse of the quantiles; NIST has 0.995 with 10 degrees as 3.169. */
TEST(tail, "tail of the t distribution")
{
	static const struct {
		double t, dof, p;
	} rows[] = {{0, 5, 0.5}, {12.706205, 1, 0.025}, {63.656741, 1, 0.005}, {4.302653, 2, 0.025},
		{2.570582, 5, 0.025}, {4.032143, 5, 0.005}, {3.169273, 10, 0.005},
		{-3.169273, 10, 0.995}, {1.959964, 1e9, 0.025}, {5, 10, 0.000268669}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_near(student_t_tail(rows[i].t, rows[i].dof), rows[i].p, rows[i].p * 1e-5);
}

/* Two sides with one floor have its degrees of freedom once. */
TEST(shared_floor, "two sides share a floor")
{
	static const double base[] = {1000}, slower[] = {1010};
	const struct noise_floor floor = {.sd = 0.002, .dof = 10}, other = {.sd = 0.002, .dof = 11};
	struct repetitions runs = {
		.medians_ns = base, .count = 1, .half_width = NAN, .floor = floor};
	struct repetition_estimate a = repetition_estimate_of(&runs);

	runs.medians_ns = slower;
	struct repetition_estimate b = repetition_estimate_of(&runs);
	struct repetition_ratio ratio = repetition_ratio_of(&b, &a);
	CHECK(NEAR(ratio.dof, 10, 1e-12), NEAR(ratio.log_error, 0.002 * sqrt(2), 1e-12));
	runs.floor = other;
	b = repetition_estimate_of(&runs);
	ratio = repetition_ratio_of(&b, &a);
	test_near(ratio.dof, 4 / (1 / 10.0 + 1 / 11.0), 1e-9);
	test_near(repetition_p_above(&ratio, 1.01), 0.5, 1e-9);
	IS(repetition_p_above(&ratio, 1) < 0.01);
}

/* exp(0), exp(1), exp(2) have the variance 1. In exp(0), exp(1), exp(2), exp(3), exp(100) the first
 * and the last value are left out: the Winsorised values 1, 1, 2, 3, 3 have the sum of squares
 * 4. */
TEST(variance, "variance")
{
	static const double medians[] = {1, 2.718281828459045, 7.38905609893065};
	const double far[] = {exp(100), exp(3), exp(1), exp(2), exp(0)};
	double dof = 0;

	CHECK(NEAR(repetition_variance(medians, 3, &dof), 1, 1e-12), NEAR(dof, 2, 0),
		NEAR(repetition_variance(medians, 2, &dof), 0.5, 1e-12), NEAR(dof, 1, 0),
		NEAR(repetition_variance(far, 5, &dof), 5 * 4 / (3 * 2.0) / REPETITION_TRIMMED,
			1e-12),
		NEAR(dof, 2, 0));
}

TEST(quantile_falls, "the quantile falls without steps")
{
	double last = student_t_975(1);

	for (double dof = 1.01; dof < 40; dof += 0.01) {
		double next = student_t_975(dof);
		IS(next < last);
		IS(last - next < 0.01 * 25); /* continuous: the slope is at most 25 */
		last = next;
	}
}

/* ---- Estimates ------------------------------------------------------------------------------- */

#define E1 2.718281828459045 /* e: a logarithm of 1 */
#define E4 54.598150033144236
#define EVEN 1e3

/* The logarithms of the medians are 0 and 1: mean 0.5, squares 0.5. */
static const struct estimate_row {
	const char *name;
	double medians[5];
	size_t count;
	double half_width;
	struct noise_floor floor;
	double log_ns, variance, dof;
} estimate_rows[] = {
	{"one run: the floor", {E1}, 1, NAN, {0.5, 10}, 1, 0.25, 10},
	{"one run, half-width of the floor's size", {E1}, 1, 0.5, {0.5, 10}, 1, 0.25, 10},
	{"one run, wide samples", {E1}, 1, 1.959963984540054, {0.5, 10}, 1, 1, 10},
	{"one run, half-width 0", {E1}, 1, 0, {0.5, 10}, 1, 0.25, 10},
	{"two runs", {1, E1}, 2, NAN, {1, 10}, 0.5, 10.5 / 11 / 2, 11},
	{"the order does not matter", {E1, 1}, 2, NAN, {1, 10}, 0.5, 10.5 / 11 / 2, 11},
	{"two runs, wide samples", {1, E1}, 2, 3.919927969080108, {1, 10}, 0.5, 2, 11},
	{"equal runs", {E1, E1, E1}, 3, NAN, {1, 1}, 1, 1 / 3.0 / 3, 3},
	{"variance just above the limit", {1, E1}, 2, NAN, {0.316, 10}, 0.5, 0.25, 1},
	{"variance just below the limit", {1, E1}, 2, NAN, {0.317, 10}, 0.5,
		(10 * 0.317 * 0.317 + 0.5) / 11 / 2, 11},
	{"far above the floor", {1, E1}, 2, NAN, {0.001, 1000}, 0.5, 0.25, 1},
	{"four runs: the mean", {1, 1, 1, E4}, 4, NAN, {1, 4}, 1, (4 + 12.0) / 7 / 4, 7},
	{"five runs: without the largest and the smallest", {1, 1, E1, E1, E4}, 5, NAN, {1, 4},
		2 / 3.0, (4 * REPETITION_TRIMMED + 5 * 1.2 / 3) / 6 / 5, 6},
	{"five runs: the smallest", {E1, E1, 1e-300, E1, E1}, 5, NAN, {1, 4}, 1,
		4 * REPETITION_TRIMMED / 6 / 5, 6},
	{"far above the floor, wider samples", {1, E1}, 2, 3.919927969080108, {0.001, 10}, 0.5, 2,
		1},
};

TEST_ROWS(estimate, estimate_rows, "estimate: %s", row->name)
{
	const struct repetitions runs = {.medians_ns = row->medians,
		.count = row->count,
		.half_width = row->half_width,
		.floor = row->floor};
	struct repetition_estimate got = repetition_estimate_of(&runs);

	CHECK(NEAR(got.log_ns, row->log_ns, 1e-12), NEAR(got.variance, row->variance, 1e-12),
		NEAR(got.dof, row->dof, 1e-12));
}

/* A ratio and its inverse have inverse intervals; the degrees of freedom are those of Welch. */
TEST(ratio_both_ways, "a ratio and its inverse")
{
	const struct repetition_estimate a = {.log_ns = 2, .variance = 0.04, .dof = 4};
	const struct repetition_estimate b = {.log_ns = 1, .variance = 0.01, .dof = 12};
	struct repetition_ratio ratio = repetition_ratio_of(&a, &b);
	struct repetition_ratio inverse = repetition_ratio_of(&b, &a);
	double dof = 0.05 * 0.05 / (0.04 * 0.04 / 4 + 0.01 * 0.01 / 12);

	test_near(ratio.ratio, E1, 1e-12);
	test_near(ratio.ci95[1], exp(1 + student_t_975(dof) * sqrt(0.05)), 1e-12);
	test_near(ratio.ci95[0], exp(1 - student_t_975(dof) * sqrt(0.05)), 1e-12);
	test_near(ratio.ci99[1], exp(1 + student_t_995(dof) * sqrt(0.05)), 1e-12);
	test_near(ratio.ci99[0], exp(1 - student_t_995(dof) * sqrt(0.05)), 1e-12);
	test_near(inverse.ratio * ratio.ratio, 1, 1e-12);
	test_near(inverse.ci95[0] * ratio.ci95[1], 1, 1e-12);
	test_near(inverse.ci95[1] * ratio.ci95[0], 1, 1e-12);
}

TEST(interval, "an interval in ns")
{
	const struct repetition_estimate estimate = {
		.log_ns = log(EVEN), .variance = 0.0001, .dof = 1e9};
	double ns[2];

	repetition_interval(&estimate, ns);
	test_near(ns[0], EVEN * exp(-0.01959964), 1e-4);
	test_near(ns[1], EVEN * exp(0.01959964), 1e-4);
}

/* ---- Simulated sides ------------------------------------------------------------------------- */

#define MAX_RUNS 40
#define TRIALS 20000

struct side {
	double sd;         /* true standard deviation of the logarithm of a run's median */
	double half_width; /* of the interval from the samples of a run */
	struct noise_floor floor;
	double time;
	double bursts; /* share of the runs that take 1.5 times as long */
};

/* Uniform in 0 to 1: P(T < x) of a normal number is the limit of Student's distribution. */
static double uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
	return 1 - student_t_tail(simulate_normal(seed + 1000, stream, index), 1e6);
}

static struct repetition_estimate simulate_side(
	const struct side *side, size_t runs, uint64_t seed, uint64_t stream)
{
	double medians[MAX_RUNS];

	for (size_t i = 0; i < runs; i++)
		medians[i] =
			side->time * exp(side->sd * simulate_normal(seed, stream, i)) *
			(side->bursts > 0 && uniform(seed, stream, i) < side->bursts ? 1.5 : 1);
	const struct repetitions all = {.medians_ns = medians,
		.count = runs,
		.half_width = side->half_width,
		.floor = side->floor};
	return repetition_estimate_of(&all);
}

/* A measured floor: its variance is sd^2 times chi-squared over the degrees of freedom. */
static struct noise_floor measured(const struct noise_floor *floor, uint64_t trial)
{
	double squares = 0;
	size_t dof = (size_t)floor->dof;

	for (size_t i = 0; i < dof; i++)
		squares += pow(simulate_normal(4242, trial, i), 2);
	return (struct noise_floor){
		.sd = floor->sd * sqrt(squares / (double)dof), .dof = floor->dof};
}

/* Percentage of comparisons in which the interval covers the true ratio. Both sides have the same
 * measured floor. */
static double coverage(const struct side *base, size_t runs)
{
	size_t covered = 0;

	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		struct side own = *base, slower;
		const struct side *side = &own;
		own.floor = measured(&base->floor, trial);
		slower = own;
		slower.time = side->time * 1.25;
		struct repetition_estimate a = simulate_side(&slower, runs, runs, 2 * trial);
		struct repetition_estimate b = simulate_side(side, runs, runs, 2 * trial + 1);
		struct repetition_ratio ratio = repetition_ratio_of(&a, &b);
		covered += ratio.ci95[0] <= 1.25 && 1.25 <= ratio.ci95[1];
	}
	return 100.0 * (double)covered / TRIALS;
}

static const size_t run_counts[] = {1, 2, 3, 5, 10};
#define RUN_COUNTS (sizeof run_counts / sizeof *run_counts)

static const struct coverage_row {
	const char *name;
	struct side side;
	size_t first; /* of run_counts */
	double least, most;
} coverage_rows[] = {
	/* The floor is the true standard deviation: 95 %, by at most 2 %. */
	{"true floor 0.002, 10 degrees of freedom", {0.002, NAN, {0.002, 10}, 1000}, 0, 93, 97},
	{"true floor 0.002, 1000 degrees of freedom", {0.002, NAN, {0.002, 1000}, 1000}, 0, 93, 97},
	{"true floor 0.05, 10 degrees of freedom", {0.05, NAN, {0.05, 10}, 1000}, 0, 93, 97},
	{"true floor 0.05, 1000 degrees of freedom", {0.05, NAN, {0.05, 1000}, 1000}, 0, 93, 97},
	/* The runs vary five times as much as the floor: the interval is wide enough. */
	{"runs vary more than the floor, 10 degrees of freedom", {0.01, NAN, {0.002, 10}, 1000}, 1,
		91, 100},
	{"runs vary more than the floor, 1000 degrees of freedom", {0.01, NAN, {0.002, 1000}, 1000},
		1, 91, 100},
	/* The samples of each run vary as much as the runs, and the floor is far smaller. */
	{"wide samples", {0.01, 1.96 * 0.01, {0.002, 10}, 1000}, 0, 93, 100},
};

static void check_coverage(const void *context)
{
	const struct coverage_row *row = context;

	for (size_t i = row->first; i < RUN_COUNTS; i++) {
		double percent = coverage(&row->side, run_counts[i]);
		test_note("%zu runs: %.1f %%", run_counts[i], percent);
		IS(percent >= row->least && percent <= row->most);
	}
}

/* Counts of verdicts of two sides that differ by a factor. */
static void judge(
	const struct side *side, const char *type, double factor, size_t runs, size_t ret_counts[])
{
	const struct verdict_limits limits = verdict_limits_of(type);
	struct side slower = *side;

	for (int v = 0; v < VERDICT_COUNT; v++)
		ret_counts[v] = 0;
	slower.time = side->time * factor;
	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		struct repetition_estimate a = simulate_side(&slower, runs, 77, 2 * trial);
		struct repetition_estimate b = simulate_side(side, runs, 77, 2 * trial + 1);
		struct repetition_ratio ratio = repetition_ratio_of(&a, &b);
		ret_counts[verdict_of(ratio.ci95, ratio.ci99, &limits)]++;
	}
	test_note("%zu runs: SAME %zu, FAST %zu, SLOW %zu, AMBG %zu of %d", runs,
		ret_counts[VERDICT_SAME], ret_counts[VERDICT_FAST], ret_counts[VERDICT_SLOW],
		ret_counts[VERDICT_AMBG], TRIALS);
}

/* Unchanged code on a GPU with the noise of the default floor. */
TEST(false_alarms, "false alarms of a GPU")
{
	const struct side side = {0.002, NAN, noise_floor_default("gpu"), 1000};
	size_t counts[VERDICT_COUNT];

	for (size_t i = 0; i < RUN_COUNTS; i++) {
		judge(&side, "gpu", 1, run_counts[i], counts);
		IS(counts[VERDICT_FAST] + counts[VERDICT_SLOW] < TRIALS / 100);
		IS(counts[VERDICT_SAME] >= TRIALS / 100 * 90);
	}
}

/* 3 % slower, or faster, with half of that noise. */
TEST(planted, "3 %% slower on a GPU")
{
	const struct side side = {0.001, NAN, noise_floor_default("gpu"), 1000};
	size_t counts[VERDICT_COUNT];

	for (size_t i = 0; i < RUN_COUNTS; i++) {
		judge(&side, "gpu", 1.03, run_counts[i], counts);
		IS(counts[VERDICT_SLOW] >= TRIALS / 100 * 95);
		EQUAL(counts[VERDICT_FAST], 0);
		judge(&side, "gpu", 1 / 1.03, run_counts[i], counts);
		IS(counts[VERDICT_FAST] >= TRIALS / 100 * 95);
		EQUAL(counts[VERDICT_SLOW], 0);
	}
}

/* PoCL on a virtual machine: 7 % between runs, and one run in 16 takes 1.5 times as long. The floor
 * is the typical variance of the side. --repeat=3 makes 12 runs, --repeat=10 makes 40. */
TEST(bursts, "a CPU with bursts of noise")
{
	const struct side side = {0.07, .half_width = NAN,
		.floor = {0.077, noise_floor_default("cpu").dof}, .time = 1000, .bursts = 1 / 16.0};
	size_t counts[VERDICT_COUNT];

	judge(&side, "cpu", 1, 12, counts);
	IS(counts[VERDICT_FAST] + counts[VERDICT_SLOW] < TRIALS / 100);
	IS(counts[VERDICT_SAME] >= TRIALS / 100 * 60);
	judge(&side, "cpu", 1.3, 12, counts);
	IS(counts[VERDICT_SLOW] >= TRIALS / 100 * 85);
	judge(&side, "cpu", 1.2, 40, counts);
	CHECK(IS(counts[VERDICT_SLOW] >= TRIALS / 100 * 95), EQUAL(counts[VERDICT_FAST], 0));
}

/* PoCL on a quieter virtual machine: 3 % between runs. The state of the machine (for example its
 * physical pages) can change a time by a constant factor for minutes, so all runs of a side have
 * it: such a factor of 1.1 is not a slowdown, one of 1.2 is. */
TEST(machine_state, "a CPU in another state")
{
	const struct side side = {0.03, NAN, {0.03, noise_floor_default("cpu").dof}, 1000};
	static const size_t counts_of_runs[] = {12, 20};
	size_t counts[VERDICT_COUNT];

	for (size_t i = 0; i < 2; i++) {
		judge(&side, "cpu", 1.1, counts_of_runs[i], counts);
		IS(counts[VERDICT_FAST] + counts[VERDICT_SLOW] < TRIALS / 100);
		judge(&side, "cpu", 1 / 1.1, counts_of_runs[i], counts);
		IS(counts[VERDICT_FAST] + counts[VERDICT_SLOW] < TRIALS / 100);
		judge(&side, "cpu", 1.2, counts_of_runs[i], counts);
		IS(counts[VERDICT_SLOW] >= TRIALS / 100 * 95);
	}
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof coverage_rows / sizeof *coverage_rows; i++) {
		test_add(check_coverage, &coverage_rows[i], "coverage: %s", coverage_rows[i].name);
		if (coverage_rows[i].side.floor.dof > 10)
			test_mark_long();
	}
	return test_run(argc, argv);
}
