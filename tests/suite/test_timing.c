/* The suite on the fake backend: times, wrong device timers, parity. */
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_suite.h"
#include "tests/support/records.h"
#include "tests/support/simulate.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

/* ---- Timing -------------------------------------------------------------------------------- */

static void check_samples(const struct samples_record *set)
{
	CHECK(IS(set->record.present), SOME(set->ns.items), IS(set->n >= 1),
		EQUAL(set->ns.count, set->n), IS(set->min > 0),
		IS(set->min <= set->q1 && set->q1 <= set->median), IS(set->median <= set->q3));
}

TEST(times, "a row that passed is timed")
{
	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	RUNS_SUITE suite = runs_open(NULL);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	CHECK(EQUAL(outcome.row.status, OUTCOME_OK), IS(outcome.row.timing.record.present),
		STRING(outcome.untimed, ""));
	check_samples(&outcome.row.timing.cold);
	check_samples(&outcome.row.timing.hot);
	check_samples(&outcome.row.timing.host);
	IS(outcome.row.timing.cold.n >= 5 && outcome.row.timing.cold.n <= 8);
	IS(result_row_median_ns(&outcome.row) >= 4e5);
	EQUAL(outcome.row.timing.flags & (TIMING_HOST_CLOCK | TIMING_UNFLUSHED), 0);
	test_near(outcome.row.derived.gbps, 12000 / result_row_median_ns(&outcome.row), 1e-12);
	IS(outcome.row.derived.pct_roof > 0);
	assert_int_not_equal(outcome.row.derived.limited_by, LIMITED_BY_UNKNOWN);
	const struct timer_record *timer = runs_calibrate(suite);
	IS(timer->device_timer_ok);
	IS(timer->host_launch_ns > 0 && timer->timer_resolution_ns > 0);
}

TEST(unflushed, "cold samples without a flush have a flag")
{
	struct suite_options options = runs_quick();

	fake_suite_setup();
	fake_suite_control.kernel_ns = 2e5;
	options.flush = false;
	RUNS_SUITE suite = runs_open(&options);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	IS(outcome.row.timing.record.present);
	IS(outcome.row.timing.flags & TIMING_UNFLUSHED);
}

static const double intervals_ns[] = {1, 1e12};

/* A driver reports intervals that are far too short or too long: the host's clock is used, with a
 * reason. */
TEST_ROWS(wrong_timer, intervals_ns, "a device timer that always returns %g ns", *row)
{
	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	fake_control.timer_ns = *row;
	RUNS_SUITE suite = runs_open(NULL);
	const struct timer_record *timer = runs_calibrate(suite);
	NOT(timer->device_timer_ok);
	test_note("%s", timer->reason);
	IS(strlen(timer->reason) > 0);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	EQUAL(outcome.row.status, OUTCOME_OK);
	IS(outcome.row.timing.flags & TIMING_HOST_CLOCK);
	IS(result_row_median_ns(&outcome.row) >= 4e5);
	IS(result_row_median_ns(&outcome.row) < 1e9);
}

/* The device timer is wrong and coarse. The runs are timed by the host's clock, which is fine. */
TEST(wrong_and_coarse_timer, "a device timer that is wrong and coarse")
{
	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	fake_control.timer_ns = 1;
	fake_control.info.limits.timer_resolution_ns = 1000000000;
	RUNS_SUITE suite = runs_open(NULL);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	EQUAL(outcome.row.status, OUTCOME_OK);
	IS(outcome.row.timing.flags & TIMING_HOST_CLOCK);
	NOT(outcome.row.timing.flags & TIMING_BELOW_RESOLUTION);
	EQUAL(outcome.row.timing.primary, TIMING_COLD);
}

/* The first launch after the verification: on the problem's own data, each case and another seed. */
#define TIMED (1 + CASE_COUNT + 1 + 1)

static const struct gate_row {
	const char *name;
	uint64_t wrong_from, silent_from, stale_from;
} gate_rows[] = {{"wrong from the start", 1, 0, 0}, {"silent from the start", 0, 1, 0},
	{"wrong after the check", TIMED, 0, 0}, {"silent after the check", 0, TIMED, 0},
	{"the timed runs repeat an earlier result", 0, 0, TIMED}};

/* A row has no times if its answer is wrong or missing, even if only after the check. */
TEST_ROWS(gates_speed, gate_rows, "nothing is timed: %s", row->name)
{
	fake_suite_setup();
	fake_suite_control.kernel_ns = 1e5;
	fake_suite_control.wrong_from = row->wrong_from;
	fake_suite_control.silent_from = row->silent_from;
	fake_suite_control.stale_from = row->stale_from;
	RUNS_SUITE suite = runs_open(NULL);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	test_note("%s; %s", outcome.row.reason, outcome.untimed);
	CHECK(EQUAL(outcome.row.status, OUTCOME_FAILED),
		EQUAL(outcome.row.verify.nan > 0, row->silent_from > 0),
		NOT(outcome.row.timing.record.present), NIL(outcome.row.timing.cold.ns.items),
		IS(strlen(outcome.row.reason) > 0 && strlen(outcome.untimed) > 0),
		IS(isnan(outcome.row.derived.gbps)));
}

/* ---- Sampling on simulated times ----------------------------------------------------------- */

/* A device timer that returns 0.4 ms with noise, the same in every run of the test. */
struct simulated_timer {
	struct simulation simulation;
	double step;    /* each interval takes this fraction longer than the one before */
	double other;   /* time of the second device / time of the first; 0: 1 */
	uint64_t count; /* intervals so far */
	const struct gpu_device *first;
	char order[400]; /* the devices of the intervals: 'a' is the first one */
};

#define SIMULATED_NS 4e5

static double simulated_ns(const struct gpu_device *device, double clock_ns, void *context)
{
	struct simulated_timer *timer = context;
	uint64_t index = timer->count++;

	(void)clock_ns;
	if (!timer->first)
		timer->first = device;
	if (index < sizeof timer->order - 1)
		timer->order[index] = device == timer->first ? 'a' : 'b';
	return SIMULATED_NS * pow(1 + timer->step, (double)index) *
	       (timer->other > 0 && device != timer->first ? timer->other : 1) *
	       simulate_sample(&timer->simulation, 0, index);
}

#define COARSE_STEP_NS 1e6
#define SHORT_RUN_NS 3e4

/* A timer with large steps: one run is shorter than a step. */
static double coarse_ns(const struct gpu_device *device, double clock_ns, void *context)
{
	double ns = 0;

	(void)device, (void)clock_ns, (void)context;
	for (uint64_t n = fake_call_count(); fake_call(n) != FAKE_SLOT_timer_begin; n--)
		ns += fake_call(n) == FAKE_SLOT_launch ? SHORT_RUN_NS : 0;
	return floor(ns / COARSE_STEP_NS) * COARSE_STEP_NS;
}

/* The steps of the timer are longer than a run: a batch is many steps long. */
TEST(coarse_timer, "a device timer with steps longer than a run")
{
	struct suite_options options = runs_quick();

	options.max_samples = 20;
	fake_suite_setup();
	RUNS_SUITE suite = runs_open(&options);
	runs_simulate_times(suite, coarse_ns, NULL);
	suite->bench.timer.record.timer_resolution_ns = COARSE_STEP_NS;
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	test_note("cold %g ns, hot %g ns", outcome.row.timing.cold.median,
		outcome.row.timing.hot.median);
	CHECK(EQUAL(outcome.row.status, OUTCOME_OK), EQUAL(outcome.row.timing.primary, TIMING_HOT),
		NEAR(outcome.row.timing.hot.median, SHORT_RUN_NS, 0.05 * SHORT_RUN_NS));
}

static const struct noise_row {
	const char *name;
	double size;
	size_t min_samples, max_samples;
	int64_t n; /* samples that must have been taken */
	bool noisy;
} noise_rows[] = {
	{"quiet: ends at the first checkpoint", 0.001, 0, 200, 20, false},
	{"quiet: the first checkpoint is moved up", 0.001, 30, 200, 30, false},
	{"quiet: the first checkpoint is moved down", 0.0005, 10, 200, 10, false},
	{"2 %: not narrow at the last checkpoint", 0.02, 40, 40, 40, true},
	{"5 %: to the limit of samples", 0.05, 200, 200, 200, true},
	{"10 %: to the limit of samples", 0.1, 200, 200, 200, true},
	{"too few samples for an interval", 0.0001, 3, 3, 3, true},
};

/* The flag `noisy` depends only on the half-width in the file, not on what ended the sampling. */
TEST_ROWS(samples_by_rule, noise_rows, "samples: %s", row->name)
{
	struct suite_options options = runs_quick();
	struct simulated_timer timer = {.simulation = {NOISE_NORMAL, row->size, 0, 1, 5}};

	options.min_samples = row->min_samples;
	options.max_samples = row->max_samples;
	fake_suite_setup();
	RUNS_SUITE suite = runs_open(&options);
	runs_simulate_times(suite, simulated_ns, &timer);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	const struct samples_record *cold = &outcome.row.timing.cold;
	test_note("n = %lld, half-width %.2f %%, flags %x", (long long)cold->n,
		100 * cold->half_width, outcome.row.timing.flags);
	CHECK(EQUAL(outcome.row.timing.primary, TIMING_COLD), EQUAL(cold->n, row->n),
		EQUAL(!!(outcome.row.timing.flags & TIMING_NOISY), row->noisy),
		EQUAL(isnan(cold->half_width), row->n < 6));
	if (row->n >= 6) {
		EQUAL(cold->half_width < 0.005, !row->noisy);
		IS(cold->ci95[0] <= cold->median && cold->median <= cold->ci95[1]);
		test_near(cold->half_width, (cold->ci95[1] - cold->ci95[0]) / 2 / cold->median,
			1e-15);
	}
}

/* ---- Parity -------------------------------------------------------------------------------- */

struct sides {
	struct suite *a, *b;
};

static void end_sides(struct sides *sides)
{
	suite_close(&sides->a);
	runs_close(sides->b);
}

#define SIDES FINISHED(end_sides) struct sides
#define PARITY FINISHED(parity_result_finish) struct parity_result

/* Two sessions on simulated times. uuid: of the second device; NULL: the same device. samples: of each
 * side; 0: those of runs_quick(). */
static struct sides open_sides(struct simulated_timer *timer, const char *uuid, size_t samples)
{
	struct suite_options options = runs_quick();
	struct sides sides;

	if (samples)
		options.min_samples = options.max_samples = samples;
	fake_suite_setup();
	sides.a = runs_open(&options);
	if (uuid)
		strcpy(fake_control.info.uuid, uuid);
	sides.b = runs_open(&options);
	runs_simulate_times(sides.a, simulated_ns, timer);
	runs_simulate_times(sides.b, simulated_ns, timer);
	return sides;
}

static struct parity_result compare(const struct sides *sides, double tolerance)
{
	struct problem problem = runs_problem("vecadd", 1000, 0, 0);
	struct config config = runs_config("vecadd", "fine");
	struct parity_result result;

	test_ok(suite_parity(
		sides->a, sides->b, &config, &problem, tolerance, &result, &test_error));
	runs_check_record(&parity_row_type, &result.row);
	return result;
}

static const bool same_device_or_not[] = {true, false};

TEST_ROWS(parity, same_device_or_not, "parity on %s", *row ? "one device" : "two devices")
{
	bool same_device = *row;
	struct simulated_timer timer = {0};

	SIDES sides =
		open_sides(&timer, same_device ? NULL : "ffffffff-0000-0000-0000-000000000000", 0);
	PARITY result = compare(&sides, NAN);
	const struct parity_row *parity = &result.row;
	test_note("%s %.3f [%.3f, %.3f], %lld samples",
		parity_verdict_name((enum parity_verdict)parity->verdict), parity->ratio,
		parity->ci95[0], parity->ci95[1], (long long)parity->n);
	CHECK(EQUAL(parity->bit_identical, TRUTH_YES), EQUAL(parity->same_device, same_device),
		EQUAL(!isnan(parity->ratio), same_device),
		EQUAL(!isnan(parity->round_ratio), same_device),
		EQUAL(!isnan(parity->tolerance), same_device));
	if (same_device) {
		CHECK(NEAR(parity->ratio, 1, 0), NEAR(parity->round_ratio, 1, 0),
			NEAR(parity->tolerance, 0.01, 0), NEAR(parity->ci95[0], 1, 0),
			NEAR(parity->ci95[1], 1, 0), EQUAL(parity->n, result.a.row.timing.cold.n),
			EQUAL(parity->verdict, PARITY_SAME),
			EQUAL(result.a.row.timing.cold.n, result.b.row.timing.cold.n));
	} else {
		EQUAL(parity->verdict, PARITY_RESULTS_ONLY);
	}
}

/* Every second round begins with the other side. */
TEST(parity_takes_turns, "parity: the sides take turns to begin")
{
	struct simulated_timer timer = {.step = 0.02};

	SIDES sides = open_sides(&timer, NULL, 20);
	PARITY result = compare(&sides, NAN);
	test_note("%s", timer.order);
	SOME(strstr(timer.order, "abbaabbaabba"));
	/* Each interval takes 2 % longer than the one before: the first place would gain 2 %. */
	test_note("ratio %.4f [%.4f, %.4f]", result.row.round_ratio, result.row.ci95[0],
		result.row.ci95[1]);
	test_near(result.row.round_ratio, 1, 0.001);
}

static const double tolerances[] = {NAN, 0.05, 0.001};

/* A tolerance of the user replaces the tolerance from the noise. */
TEST_ROWS(parity_tolerance_of_user, tolerances, "parity: tolerance %g", *row)
{
	double tolerance = *row;
	struct simulated_timer timer = {.simulation = {NOISE_NORMAL, 0.01, 0, 1, 5}};

	SIDES sides = open_sides(&timer, NULL, 40);
	PARITY result = compare(&sides, tolerance);
	double used = result.row.tolerance;
	test_note("tolerance %.4f: %s", used,
		parity_verdict_name((enum parity_verdict)result.row.verdict));
	IS(isnan(tolerance) ? used > 0.01 && used < 0.03 : used == tolerance);
	EQUAL(result.row.verdict, used > 0.001 ? PARITY_SAME : PARITY_AMBG);
}

#define COMPARISONS 40

/* A kernel against itself with 2 % noise: a short form of tests/suite/self_parity.c. */
TEST(parity_with_itself, "parity: a kernel against itself")
{
	struct simulated_timer timer = {.simulation = {NOISE_NORMAL, 0.02, 0, 1, 11}};
	int verdicts[PARITY_VERDICT_COUNT] = {0};

	SIDES sides = open_sides(&timer, NULL, 40);
	for (int i = 0; i < COMPARISONS; i++) {
		PARITY result = compare(&sides, NAN);
		verdicts[result.row.verdict]++;
	}
	test_note("SAME %d, AMBG %d, FAST %d, SLOW %d of %d", verdicts[PARITY_SAME],
		verdicts[PARITY_AMBG], verdicts[PARITY_FAST], verdicts[PARITY_SLOW], COMPARISONS);
	IS(verdicts[PARITY_SAME] >= COMPARISONS * 95 / 100);
	EQUAL(verdicts[PARITY_FAST] + verdicts[PARITY_SLOW], 0);
}

/* If one side is wrong, its outcome is failed, and no side is timed. */
TEST(parity_of_wrong, "parity of a wrong kernel")
{
	fake_suite_setup();
	fake_suite_control.wrong_from = TIMED; /* the first side is right */
	SIDES sides = {runs_open(NULL), runs_open(NULL)};
	PARITY result = compare(&sides, 0.03);
	IS(isnan(result.row.ratio));
	assert_int_not_equal(result.row.bit_identical, TRUTH_YES);
	CHECK(EQUAL(result.a.row.status, OUTCOME_OK), EQUAL(result.b.row.status, OUTCOME_FAILED));
}

#define OPENCL_PTX                                               \
	".version 8.8\n.target sm_90\n.entry vecadd_fine()\n{\n" \
	"ld.global.f32 %f1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nadd.s64 %rd2, %rd2, 4;\nret;\n}\n"
#define CUDA_PTX                                                     \
	".version 9.0\n.target sm_90\n.entry other()\n{\nexit;\n}\n" \
	".visible .entry vecadd_fine()\n{\n"                         \
	"ld.global.nc.f32 %f1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nret;\n}\n"

/* The instructions are counted only if the times differ. */
static const struct ptx_row {
	const char *name;
	double other; /* time of the second side / time of the first */
	const char *ptx[2];
	uint64_t requests;
	enum parity_verdict verdict;
	const char *record; /* part of the row's text; NULL: no such record */
} ptx_rows[] = {
	{"faster", 1.25, {OPENCL_PTX, CUDA_PTX}, 2, PARITY_FAST,
		"\"ptx\":{\"totals\":[4,3],\"instructions\":[{\"name\":\"add\",\"counts\":[2,1]},"
		"{\"name\":\"ld.global\",\"counts\":[1,0]},"
		"{\"name\":\"ld.global.nc\",\"counts\":[0,1]}]}"},
	{"slower, the same instructions", 0.8, {CUDA_PTX, CUDA_PTX}, 2, PARITY_SLOW,
		"\"ptx\":{\"totals\":[3,3]}"},
	{"slower, one side has no PTX", 0.8, {OPENCL_PTX, NULL}, 2, PARITY_SLOW,
		"\"ptx\":{\"reason\":\"the program binary of Fake device is not PTX\"}"},
	{"the same times", 1, {OPENCL_PTX, CUDA_PTX}, 0, PARITY_SAME, NULL},
};

TEST_ROWS(parity_counts_instructions, ptx_rows, "parity, PTX: %s", row->name)
{
	struct simulated_timer timer = {.other = row->other};

	SIDES sides = open_sides(&timer, NULL, 0);
	memcpy(fake_control.ptx, row->ptx, sizeof row->ptx);
	PARITY result = compare(&sides, NAN);
	EQUAL(result.row.verdict, row->verdict);
	EQUAL(fake_control.ptx_requests, row->requests);
	const char *text = test_record_text(&parity_row_type, &result.row, RECORD_ONE_LINE);
	test_note("%s", text);
	EQUAL(strstr(text, "\"ptx\"") != NULL, row->record != NULL);
	IS(!row->record || strstr(text, row->record));
}

int main(int argc, char **argv)
{
	setenv("XDG_CACHE_HOME", test_folder(), 1);
	runs_keep_roofs();
	return test_run(argc, argv);
}
