/* Rows of several runs, merged into one. */
#include "host/record/repetitions.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

#define MAX_RUNS 5

struct runs {
	struct test_files files;
	struct result_row merged;
};

static struct runs runs_of(const double *medians_ns, size_t count)
{
	struct runs runs = {.merged = {.record = {0}}};

	struct result_document *document = test_device_file(&runs.files, "x", &test_gpu_a);

	for (size_t i = 0; i < count; i++)
		test_row(document, &test_gpu_a, "tiled", medians_ns[i])->seed =
			(int64_t)i + 1; /* shows which run was taken */
	return runs;
}

static void runs_finish(struct runs *runs)
{
	record_finish(&result_row_type, &runs->merged);
	test_files_finish(&runs->files);
}

#define THREE_RUNS(runs, ...) \
	FINISHED(runs_finish) struct runs runs = runs_of((const double[]){__VA_ARGS__}, 3)

static struct result_row *run(struct runs *runs, size_t i)
{
	return &runs->files.items[0].document.results.items[i];
}

static const struct result_row *merge(struct runs *runs)
{
	const struct result_document *document = &runs->files.items[0].document;

	test_ok(repetitions_merge(document->results.items, document->results.count,
		&document->devices.items[0], &runs->merged, &test_error));
	return &runs->merged;
}

/* ---- The middle run -------------------------------------------------------------------------- */

static const struct middle_row {
	double medians_ns[MAX_RUNS];
	size_t count;
	int64_t middle; /* from 1 */
} middle_rows[] = {
	{{1000}, 1, 1},
	{{1000, 1001}, 2, 1},
	{{1001, 1000}, 2, 2},
	{{1002, 1000, 1001}, 3, 3},
	{{1000, 1000, 1000}, 3, 0}, /* any */
	{{1004, 1001, 1003, 1002}, 4, 4},
	{{1, 5, 3, 4, 2}, 5, 3},
};

TEST_ROWS(middle, middle_rows, "middle run: %zu runs, row %zu", row->count, i + 1)
{
	FREED double *medians;

	FINISHED(runs_finish) struct runs runs = runs_of(row->medians_ns, row->count);
	const struct result_row *merged = merge(&runs);
	if (row->middle)
		EQUAL(merged->seed, row->middle);
	EQUAL(merged->repetitions.record.present, row->count > 1);
	EQUAL(result_row_medians(merged, &medians), row->count);
	for (size_t i = 0; i < row->count; i++)
		test_near(medians[i], row->medians_ns[i], 0); /* in the order of the runs */
}

/* ---- The interval ---------------------------------------------------------------------------- */

static const struct interval_row {
	const char *name;
	double medians_ns[MAX_RUNS];
	size_t count;
	double half_width; /* of the samples of each run */
	double widest, narrowest;
	bool noisy;
} interval_rows[] = {
	/* t(12 degrees of freedom) * 0.2 % / sqrt(3) = 0.25 %, less by the equal medians */
	{"three equal runs", {1000, 1000, 1000}, 3, 0.001, 0.0026, 0.0015, false},
	{"three runs, wide samples", {1000, 1000, 1000}, 3, 0.05, 0.05, 0.02, true},
	{"three runs far apart", {1000, 1100, 1200}, 3, 0.001, 0.4, 0.1, true},
	{"five equal runs", {1000, 1000, 1000, 1000, 1000}, 5, 0.001, 0.002, 0.001, false},
};

TEST_ROWS(interval, interval_rows, "interval: %s", row->name)
{

	FINISHED(runs_finish) struct runs runs = runs_of(row->medians_ns, row->count);
	for (size_t i = 0; i < row->count; i++)
		run(&runs, i)->timing.cold.half_width = row->half_width;
	const struct result_row *merged = merge(&runs);
	const struct repetitions_record *repetitions = &merged->repetitions;
	IS(repetitions->half_width < row->widest);
	IS(repetitions->half_width > row->narrowest);
	test_near(result_row_half_width(merged), repetitions->half_width, 0);
	IS(repetitions->ci95[0] < repetitions->ci95[1]);
	test_near(repetitions->noise_sd, 0.002, 0);
	EQUAL((merged->timing.flags & TIMING_NOISY) != 0, row->noisy);
}

/* ---- Flags, steps and claims ----------------------------------------------------------------- */

TEST(flags, "flags")
{
	THREE_RUNS(runs, 1000, 1000.1, 1000.2);
	run(&runs, 0)->timing.flags = TIMING_NOISY;
	run(&runs, 2)->timing.flags = TIMING_THROTTLED | TIMING_UNFLUSHED;
	const struct result_row *merged = merge(&runs);
	EQUAL(merged->timing.flags, TIMING_THROTTLED | TIMING_UNFLUSHED);
	EQUAL(merged->repetitions.runs.items[0].flags, TIMING_NOISY);
	EQUAL(merged->repetitions.runs.items[1].flags, 0);
}

/* steps and claims: 0 = not measured in turn */
static const struct ratio_row {
	const char *name;
	double ratios[3], merged;
	bool interval; /* over the runs */
} ratio_rows[] = {
	{"geometric mean", {2, 4, 8}, 4, true},
	{"equal", {2, 2, 2}, 2, true},
	{"one run did not measure it: the middle run's", {2, 4, 0}, 4, false},
};

TEST_ROWS(ratios, ratio_rows, "step and claim: %s", row->name)
{
	THREE_RUNS(runs, 1000, 1001, 1002);
	for (size_t i = 0; i < 3; i++) {
		struct derived_record *derived = &run(&runs, i)->derived;
		struct claim_record *claim = &run(&runs, i)->claim;
		derived->record.present = true;
		derived->step = row->ratios[i];
		derived->step_paired = row->ratios[i] > 0 ? TRUTH_YES : TRUTH_NO;
		claim->record.present = row->ratios[i] > 0;
		claim->observed = 10 * row->ratios[i];
		claim->paired = TRUTH_YES;
	}
	const struct result_row *merged = merge(&runs);
	test_near(merged->derived.step, row->merged, 1e-12);
	test_near(merged->claim.observed, 10 * row->merged, 1e-11);
	const double *const intervals[] = {merged->derived.step_ci95, merged->claim.ci95};
	for (size_t i = 0; i < 2; i++) {
		EQUAL(isfinite(intervals[i][0]), row->interval);
		if (row->interval)
			IS(intervals[i][0] < (i ? 10 : 1) * row->merged &&
				intervals[i][1] > (i ? 10 : 1) * row->merged);
	}
}

/* Peers: 0 = the run does not have the peer. */
static const struct peer_row {
	const char *name;
	double ratios[3], medians_ns[3]; /* of each run; the middle run is the second */
	double ratio, median_ns;         /* of the merged row; NAN = none */
} peer_rows[] = {
	{"geometric mean and median", {2, 4, 8}, {500, 900, 700}, 4, 700},
	{"one run without it", {2, 4, 0}, {500, 900, 0}, NAN, NAN},
	{"the middle run without it", {2, 0, 8}, {500, 0, 700}, NAN, NAN},
	{"an unknown ratio", {2, NAN, 8}, {500, 900, 700}, NAN, NAN},
};

static void add_peer(struct peer_list *list, const char *variant, double ratio, double median_ns)
{
	struct peer_record *peer = record_list_add(&peer_type, list);

	SOME(peer);
	text_set(&peer->variant, variant);
	text_set(&peer->library, "library");
	peer->ratio = ratio;
	peer->median_ns = median_ns;
	peer->ci95[0] = peer->ci95[1] = 1;
}

TEST_ROWS(peers, peer_rows, "peers: %s", row->name)
{
	THREE_RUNS(runs, 1000, 1001, 1002);
	for (size_t i = 0; i < 3; i++) {
		add_peer(&run(&runs, i)->peers, "other", 1, 1000);
		if (row->ratios[i] != 0)
			add_peer(&run(&runs, i)->peers, "cublas-f32", row->ratios[i],
				row->medians_ns[i]);
	}
	const struct result_row *merged = merge(&runs);
	CHECK(EQUAL(merged->peers.count, 2), NEAR(merged->peers.items[0].ratio, 1, 1e-12));
	const struct peer_record *peer = &merged->peers.items[1];
	STRING(peer->library, "library");
	NEAR_OR_NAN(peer->ratio, row->ratio, 1e-9);
	NEAR_OR_NAN(peer->median_ns, row->median_ns, 1e-9);
	EQUAL(isnan(peer->ci95[0]), isnan(row->ratio));
	if (isfinite(row->ratio))
		IS(peer->ci95[0] < row->ratio && peer->ci95[1] > row->ratio);
}

/* Two cold runs and a hot run: only runs with the kind of the middle run are merged-> */
TEST(other_primary, "hot and cold runs")
{
	THREE_RUNS(runs, 1000, 1002, 1001);
	FREED double *medians;

	struct timing_record *timing = &run(&runs, 0)->timing;
	timing->primary = TIMING_HOT;
	timing->hot = timing->cold;
	record_init(&samples_type, &timing->cold);
	timing->hot.median = 100;
	const struct result_row *merged = merge(&runs);
	CHECK(EQUAL(merged->seed, 3), EQUAL(merged->repetitions.runs.count, 3),
		EQUAL(result_row_medians(merged, &medians), 2), NEAR(medians[0], 1002, 0),
		NEAR(medians[1], 1001, 0));
}

/* ---- Runs that are not ok -------------------------------------------------------------------- */

static const struct failed_row {
	const char *name;
	enum outcome_status statuses[3];
	const char *reasons[3];
	enum outcome_status status;
	const char *reason;
} failed_rows[] = {
	{"one crashed", {OUTCOME_OK, OUTCOME_CRASHED, OUTCOME_OK}, {NULL, "SIGSEGV", NULL},
		OUTCOME_CRASHED, "run 2 of 3: SIGSEGV"},
	{"one failed without a reason", {OUTCOME_OK, OUTCOME_OK, OUTCOME_FAILED}, {NULL},
		OUTCOME_FAILED, "run 3 of 3"},
	{"wrong is worse than crashed", {OUTCOME_CRASHED, OUTCOME_FAILED, OUTCOME_CRASHED},
		{"a", "b", "c"}, OUTCOME_FAILED, "run 2 of 3: b"},
	{"the first of the worst", {OUTCOME_OK, OUTCOME_TIMEOUT, OUTCOME_CRASHED}, {NULL, "a", "b"},
		OUTCOME_TIMEOUT, "run 2 of 3: a"},
	{"all skipped", {OUTCOME_SKIPPED, OUTCOME_SKIPPED, OUTCOME_SKIPPED}, {"a", "b", "c"},
		OUTCOME_SKIPPED, "a"},
	{"skipped is better than crashed", {OUTCOME_SKIPPED, OUTCOME_OK, OUTCOME_CRASHED},
		{"a", NULL, "b"}, OUTCOME_CRASHED, "run 3 of 3: b"},
};

TEST_ROWS(failed_run, failed_rows, "not ok: %s", row->name)
{
	THREE_RUNS(runs, 1000, 1001, 1002);
	for (size_t i = 0; i < 3; i++)
		if (row->statuses[i] != OUTCOME_OK)
			test_row_end(run(&runs, i), row->statuses[i], row->reasons[i]);
	const struct result_row *merged = merge(&runs);
	CHECK(EQUAL(merged->status, row->status),
		STRING(text_or_empty(merged->reason), row->reason),
		NOT(merged->repetitions.record.present), IS(isnan(result_row_median_ns(merged))));
}

/* Runs of an emulator have no times, so the merged row is the row of the first run. */
TEST(untimed, "without times")
{
	FINISHED(runs_finish) struct runs runs = runs_of((const double[]){0, 0}, 2);
	const struct result_row *merged = merge(&runs);
	CHECK(EQUAL(merged->status, OUTCOME_OK), EQUAL(merged->seed, 1), NIL(merged->reason),
		NOT(merged->repetitions.record.present));
}

/* A run that skipped the variant is left out; the other two are merged-> */
static const struct {
	enum outcome_status statuses[3];
} skipped_rows[] = {
	{{OUTCOME_SKIPPED, OUTCOME_OK, OUTCOME_OK}},
	{{OUTCOME_OK, OUTCOME_SKIPPED, OUTCOME_OK}},
	{{OUTCOME_OK, OUTCOME_OK, OUTCOME_UNSUPPORTED}},
	{{OUTCOME_SKIPPED, OUTCOME_SKIPPED, OUTCOME_OK}},
};

TEST_ROWS(skipped_run, skipped_rows, "skipped runs, row %zu", i)
{
	static const double medians_ns[] = {1001, 1002, 1003};
	FREED double *medians;
	size_t ok = 0;

	FINISHED(runs_finish) struct runs runs = runs_of(medians_ns, 3);
	for (size_t i = 0; i < 3; i++) {
		run(&runs, i)->status = (int)row->statuses[i];
		ok += row->statuses[i] == OUTCOME_OK;
	}
	const struct result_row *merged = merge(&runs);
	CHECK(EQUAL(merged->status, OUTCOME_OK), NIL(merged->reason),
		EQUAL(merged->repetitions.runs.count, ok > 1 ? ok : 0),
		EQUAL(result_row_medians(merged, &medians), ok));
	for (size_t i = 0, next = 0; i < 3; i++)
		if (row->statuses[i] == OUTCOME_OK)
			test_near(medians[next++], medians_ns[i], 0);
}
