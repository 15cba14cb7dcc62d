/* Rows are timed in turn with the base rows of their steps and claims, on the fake backend. The
 * device's timer is simulated: nothing depends on the load of the machine. */
#include "host/run/collector.c"
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_suite.h"
#include "tests/support/simulate.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

/* ---- Simulated times ----------------------------------------------------------------------- */

#define KERNELS 128 /* by enum fake_suite_kernel */
#define MAX_INTERVALS 1000

static struct clock_state {
	double ns[KERNELS]; /* of one run; 0: 0.4 ms */
	uint64_t intervals[KERNELS];
	double noise;              /* of each interval, the same in every test */
	double fall;               /* an interval takes this fraction longer than the one before */
	uint64_t count;            /* of intervals of all kernels but roofs */
	char order[MAX_INTERVALS]; /* their kernels */
} clock_state;

static double interval_ns(const struct gpu_device *device, double clock_ns, void *context)
{
	int kernel = fake_suite_control.last_kernel;
	const struct simulation simulation = {NOISE_NORMAL, clock_state.noise, 0, 1, 5};
	double ns = clock_state.ns[kernel] > 0 ? clock_state.ns[kernel] : 4e5;

	(void)device, (void)clock_ns;
	(void)context;
	if (kernel == FAKE_ROOF || kernel == 0)
		return ns;
	if (clock_state.count + 1 < MAX_INTERVALS)
		clock_state.order[clock_state.count] = (char)kernel;
	ns *= pow(1 + clock_state.fall, (double)clock_state.count++);
	return ns * simulate_sample(&simulation, (uint64_t)kernel, clock_state.intervals[kernel]++);
}

/* Options for 20 samples, independent of the noise. */
static struct suite_options twenty(void)
{
	struct suite_options options = runs_quick();

	options.min_samples = options.max_samples = 20;
	options.note = runs_keep_note;
	return options;
}

/* options: NULL: twenty() */
static struct suite *open_suite(const struct suite_options *options)
{
	const struct suite_options usual = twenty();
	struct suite *suite = runs_open(options ? options : &usual);

	runs_simulate_times(suite, interval_ns, NULL);
	return suite;
}

static struct suite *begin(const struct suite_options *options)
{
	fake_suite_setup();
	clock_state = (struct clock_state){0};
	runs_notes[0] = '\0';
	return open_suite(options);
}

/* ---- Runs ---------------------------------------------------------------------------------- */

static struct outcome run(struct suite *suite, const char *family, const char *variant)
{
	struct problem problem = strcmp(family, "vecadd") == 0 ? runs_problem(family, 1000, 0, 0)
							       : runs_problem(family, 40, 24, 0);

	memset(clock_state.order, 0, sizeof clock_state.order);
	clock_state.count = 0;
	struct outcome outcome = runs_one(suite, family, variant, &problem, SUITE_TIME);
	test_note("%s: %.70s ...", variant, clock_state.order);
	return outcome;
}

static uint64_t intervals_of(char kernel)
{
	uint64_t count = 0;

	for (const char *at = clock_state.order; *at; at++)
		count += *at == kernel;
	return count;
}

static bool has_step(const struct outcome *outcome)
{
	return outcome->row.derived.step_paired == TRUTH_YES;
}

static const bool truths[] = {false, true};

/* ---- In turn ------------------------------------------------------------------------------- */

TEST(takes_turns, "base and variant take turns to begin")
{
	RUNS_SUITE suite = begin(NULL);

	clock_state.ns[FAKE_VECADD_FINE] = 6e5;
	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	CHECK(NOT(has_step(&base)), EQUAL(intervals_of(FAKE_VECADD_VECTOR4), 0));
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	/* Three warm-up runs of each, then the rounds. */
	HAS(clock_state.order, "vvvfffvffvvffvvffv");
	EQUAL(intervals_of(FAKE_VECADD_FINE), 3 + 20);
	const struct result_row *row = &outcome.row;
	CHECK(EQUAL(row->status, OUTCOME_OK), IS(has_step(&outcome)),
		NEAR(row->derived.step, 1.5, 1e-12), NEAR(row->derived.step_ci95[0], 1.5, 1e-12),
		NEAR(row->derived.step_ci95[1], 1.5, 1e-12), EQUAL(row->claim.paired, TRUTH_YES),
		NEAR(row->claim.observed, 1.5, 1e-12));
	complete_row(&outcome.row, &base.row, 1, true);
	runs_check_record(&result_row_type, &outcome.row);
	EQUAL(row->claim.verdict, CLAIM_HOLDS);
	STRING(row->claim.text, "16-byte accesses >= 0.95 x one element per thread");
	STRING(runs_notes, "");
}

/* `vector` is compared with `padded` by its step, and with `copy` by its claim. `copy` has another
 * layout of the output. */
TEST(two_companions, "the step and the claim have different bases")
{
	static const char *const above[] = {"copy", "tiled", "padded"};
	RUNS_SUITE suite = begin(NULL);

	clock_state.ns[FAKE_TRANSPOSE_TILED] = 5e5;
	clock_state.ns[FAKE_TRANSPOSE_COPY] = 3e5;
	for (size_t i = 0; i < 3; i++) {
		RUNS_OUTCOME outcome = run(suite, "transpose", above[i]);
	}
	RUNS_OUTCOME outcome = run(suite, "transpose", "vector");
	CHECK(HAS(clock_state.order, "wtcctwwtcctw"), NEAR(outcome.row.derived.step, 1.25, 1e-12),
		EQUAL(outcome.row.derived.step_paired, TRUTH_YES),
		NEAR(outcome.row.claim.observed, 0.75, 1e-12),
		EQUAL(outcome.row.claim.paired, TRUTH_YES), STRING(runs_notes, ""));
}

/* The samples of a variant are the same with a companion and without: their number, kind, flags and
 * values. The primary samples are cold, or hot. */
TEST_ROWS(samples_stay, truths, "a companion changes no sample: %s", *row ? "hot" : "cold")
{
	bool hot = *row;
	struct outcome outcomes[2];

	for (int i = 0; i < 2; i++) {
		struct suite *suite = begin(NULL);
		if (hot)
			suite->bench.timer.record.timer_resolution_ns = 1e5;
		clock_state.noise = 0.03;
		clock_state.ns[FAKE_VECADD_FINE] = 9e6; /* a run with a smaller minimum of
							 * samples */
		struct outcome base = i ? run(suite, "vecadd", "fine") : (struct outcome){0};
		outcomes[i] = run(suite, "vecadd", "vector4");
		EQUAL(intervals_of(FAKE_VECADD_FINE), i == 0 ? 0 : 3 + (hot ? 40 : 20));
		if (i)
			outcome_finish(&base);
		runs_close(suite);
	}
	const struct timing_record *alone = &outcomes[0].row.timing;
	const struct timing_record *in_turn = &outcomes[1].row.timing;
	CHECK(EQUAL(alone->primary, hot ? TIMING_HOT : TIMING_COLD),
		EQUAL(in_turn->primary, alone->primary), EQUAL(in_turn->flags, alone->flags),
		EQUAL(in_turn->cold.n, 20), EQUAL(in_turn->hot.n, alone->hot.n),
		EQUAL(in_turn->host.n, alone->host.n));
	assert_memory_equal(in_turn->cold.ns.items, alone->cold.ns.items, 20 * sizeof(double));
	assert_memory_equal(
		in_turn->hot.ns.items, alone->hot.ns.items, alone->hot.ns.count * sizeof(double));
	CHECK(IS(has_step(&outcomes[1])), NOT(has_step(&outcomes[0])));
	outcome_finish(&outcomes[0]);
	outcome_finish(&outcomes[1]);
}

/* Without a complete flush, a run that is not timed precedes each sample in turn. The sample then
 * finds its own data in the cache, as without a companion. */
TEST_ROWS(own_cache, truths, "%s before each sample in turn", *row ? "a flush" : "no flush: a run")
{
	bool flush = *row;
	struct suite_options options = twenty();

	options.flush = flush;
	RUNS_SUITE suite = begin(&options);
	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	uint64_t before = fake_suite_control.vecadd_launches;
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	EQUAL(fake_suite_control.vecadd_launches - before, 3 + (flush ? 20 : 2 * 20));
	IS(has_step(&outcome));
}

/* A companion that has taken min_time rests; the variant continues. */
TEST(companion_rests, "a companion rests after min_time")
{
	RUNS_SUITE suite = begin(NULL);

	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	suite->options.min_samples = 0;
	suite->options.max_samples = 40;
	suite->options.min_time_ms = 1000;
	clock_state.noise = 0.05; /* the variant takes all 40 samples */
	fake_suite_control.fine_host_ns = 5e7;
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	EQUAL(outcome.row.timing.cold.n, 40);
	EQUAL(intervals_of(FAKE_VECADD_FINE), 3 - 2 + 20); /* a warm-up of 5 ms is enough */
	IS(has_step(&outcome));
	IS(isfinite(outcome.row.derived.step_ci95[0]));
}

/* The clock of the device falls all the time. The true ratio is 0.97, and the claim is 0.95. */
TEST(falling_clock, "a falling clock does not change the step")
{
	struct suite_options options = twenty();

	options.min_samples = options.max_samples = 80;
	RUNS_SUITE suite = begin(&options);
	clock_state.ns[FAKE_VECADD_FINE] = 0.97 * 4e5;
	clock_state.fall = 2.7e-4;
	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	uint64_t before = clock_state.count;
	clock_state.ns[FAKE_VECADD_FINE] *= pow(1 + clock_state.fall, (double)before);
	clock_state.ns[FAKE_VECADD_VECTOR4] = 4e5 * pow(1 + clock_state.fall, (double)before);
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	struct result_row *row = &outcome.row;
	double medians = result_row_median_ns(&base.row) / result_row_median_ns(row);
	complete_row(row, &base.row, 1, true);
	test_note("step %.4f [%.4f, %.4f], claim %s; medians %.4f", row->derived.step,
		row->derived.step_ci95[0], row->derived.step_ci95[1],
		claim_verdict_name((enum claim_verdict)row->claim.verdict), medians);
	IS(medians < 0.945); /* the medians would give another verdict */
	test_near(row->derived.step, 0.97, 0.001);
	EQUAL(row->claim.verdict, CLAIM_HOLDS);
}

/* ---- No pair ------------------------------------------------------------------------------- */

/* Without a pair, the step is the ratio of the two medians, if both exist. */
static void check_unpaired(const struct outcome *base, struct outcome *outcome, bool has_medians)
{
	struct result_row *row = &outcome->row;

	CHECK(EQUAL(row->status, OUTCOME_OK), EQUAL(intervals_of(FAKE_VECADD_FINE), 0),
		NOT(has_step(outcome)));
	complete_row(row, &base->row, 1, true);
	EQUAL(row->derived.step_paired, has_medians ? TRUTH_NO : TRUTH_UNKNOWN);
	EQUAL(row->claim.paired, has_medians ? TRUTH_NO : TRUTH_UNKNOWN);
	EQUAL(isfinite(row->derived.step), has_medians);
	EQUAL(isfinite(row->derived.step_ci95[0]), has_medians);
	runs_check_record(&result_row_type, row);
}

/* After a crash the next rows run in another process. */
TEST(other_session, "no pair: the base ran in another process")
{
	struct suite *suite = begin(NULL);

	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	runs_close(suite);
	suite = open_suite(NULL);
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	check_unpaired(&base, &outcome, true);
	runs_close(suite);
}

TEST(wrong_base, "no step: the base is wrong")
{
	RUNS_SUITE suite = begin(NULL);

	fake_suite_control.wrong_from = 1;
	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	EQUAL(base.row.status, OUTCOME_FAILED);
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	check_unpaired(&base, &outcome, false);
}

TEST(other_problem, "no pair: the base ran on another problem")
{
	RUNS_SUITE suite = begin(NULL);
	struct problem problem = runs_problem("vecadd", 999, 0, 0);

	RUNS_OUTCOME base = runs_one(suite, "vecadd", "fine", &problem, SUITE_TIME);
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	CHECK(EQUAL(intervals_of(FAKE_VECADD_FINE), 0), NOT(has_step(&outcome)));
}

/* Its run takes so long that the minimum is three samples. */
TEST(slow_base, "no pair: the base is too slow")
{
	RUNS_SUITE suite = begin(NULL);

	clock_state.ns[FAKE_VECADD_FINE] = 1.5e9;
	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	suite->options.min_samples = 0;
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	check_unpaired(&base, &outcome, true);
}

/* The variant fits into memory, but the variant and its base do not. */
TEST(no_memory, "no pair: no memory for both")
{
	RUNS_SUITE suite = begin(NULL);

	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	uint64_t allocated = suite->bench.device->allocated_bytes;
	fake_control.free_bytes = allocated + 100000;
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	EQUAL(outcome.row.timing.flags & TIMING_UNFLUSHED, 0);
	check_unpaired(&base, &outcome, true);
}

/* The number of the first call of the slot after call `first`, relative to `first`. */
static uint64_t call_after(uint64_t first, enum fake_slot slot)
{
	uint64_t n = first;

	while (n <= fake_call_count() && fake_call(n) != slot)
		n++;
	IS(n <= fake_call_count());
	return n - first;
}

/* The allocation of the base's operands fails: the variant is timed without it. */
TEST(failed_allocation, "no pair: an allocation fails")
{
	uint64_t call = 0;

	for (int i = 0; i < 2; i++) {
		struct suite *suite = begin(NULL);
		RUNS_OUTCOME base = run(suite, "vecadd", "fine");
		uint64_t first = fake_call_count() + 1;
		fake_control.fail_at = i ? first + call : 0;
		RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
		/* The variant itself uses the buffers of the row before. */
		call = call_after(first, FAKE_SLOT_buffer_create);
		if (i == 0)
			IS(has_step(&outcome));
		else
			check_unpaired(&base, &outcome, true);
		runs_close(suite);
	}
}

/* Claims do not apply to a CPU, so a companion there may take at most min_time. */
TEST_ROWS(cpu_time, truths, "a CPU: %s",
	*row ? "a pair that is fast" : "no pair that takes longer than min_time")
{
	bool fast = *row;
	struct suite_options options = twenty();

	fake_suite_setup();
	clock_state = (struct clock_state){0};
	fake_control.info.type = GPU_TYPE_CPU;
	options.min_time_ms = fast ? 20 * 0.41 : 20 * 0.39;
	RUNS_SUITE suite = open_suite(&options);
	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	EQUAL(has_step(&outcome), fast);
}

/* ---- Wrong in the rounds ------------------------------------------------------------------- */

/* The base passed. In the rounds its output is wrong: no step, and the variant is still right. */
TEST(wrong_in_rounds, "no step: the base is wrong in the rounds")
{
	RUNS_SUITE suite = begin(NULL);

	RUNS_OUTCOME base = run(suite, "vecadd", "fine");
	fake_suite_control.wrong_from = fake_suite_control.vecadd_launches + 10;
	RUNS_OUTCOME outcome = run(suite, "vecadd", "vector4");
	complete_row(&outcome.row, &base.row, 1, true);
	test_note("%s", runs_notes);
	CHECK(EQUAL(outcome.row.status, OUTCOME_OK), IS(outcome.row.timing.record.present),
		IS(isnan(outcome.row.derived.step)), IS(isnan(outcome.row.claim.observed)),
		EQUAL(outcome.row.claim.verdict, CLAIM_NOT_APPLICABLE),
		HAS(runs_notes, "vecadd/vector4 has no step: vecadd/fine ran in turn "
				"with it, and the output of fine was wrong"));
}

int main(int argc, char **argv)
{
	runs_keep_roofs();
	return test_run(argc, argv);
}
