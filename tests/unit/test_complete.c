/* Rows completed with step, total and claim, and what the closing lines and the exit code count. */
#include "host/report/console.c"
#include "host/report/export.h"
#include "tests/support/quiet_job.h"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

#define NONE (-1.0) /* not timed; or: the figure is unknown */

static const bool truths[] = {false, true};

/* ---- Figures ------------------------------------------------------------------------------- */

struct rung {
	const char *variant, *backend;
	int64_t tile; /* value of TILE; 0 = the row has no macros */
	double median_ns;
	double width;   /* half of the interval of the median / median; NONE: no interval */
	unsigned flags; /* enum timing_flag */
	bool own;       /* a kernel of the user */
};

#define UNCOALESCED(...)                                    \
	{                                                   \
		"naive-uncoalesced", "cuda", 0, __VA_ARGS__ \
	}
#define NAIVE(...)                              \
	{                                       \
		"naive", "cuda", 0, __VA_ARGS__ \
	}

/* The figures of a row on a GPU whose step, total and claim are the same ratio. */
#define RATIO(ratio, verdict) true, ratio, ratio, true, ratio, CLAIM_##verdict

/* The last rung is completed from those before it. Matmul's claims: naive over naive-uncoalesced
 * at least 2, tiled16 over naive at least 1.2; tiled32 has none. */
static const struct figures_row {
	const char *name;
	struct rung rungs[4]; /* ended by a NULL variant */
	bool gpu;
	double step, total;
	bool has_claim;
	double observed;
	enum claim_verdict verdict;
} figures_rows[] = {
	{"the first variant", {UNCOALESCED(80)}, true, NONE, 1, false, NONE, CLAIM_NOT_APPLICABLE},
	{"a claim that holds", {UNCOALESCED(80), NAIVE(20)}, RATIO(4, HOLDS)},
	{"a claim at its border", {UNCOALESCED(80), NAIVE(40)}, RATIO(2, HOLDS)},
	{"above the border, the interval contains it", {UNCOALESCED(80, 0.01), NAIVE(39.5, 0.01)},
		RATIO(80 / 39.5, UNDECIDED)},
	{"below the border, the interval contains it", {UNCOALESCED(80, 0.01), NAIVE(40.5, 0.01)},
		RATIO(80 / 40.5, UNDECIDED)},
	{"the interval is above the border", {UNCOALESCED(80, 0.01), NAIVE(39, 0.01)},
		RATIO(80.0 / 39, HOLDS)},
	{"too few samples for an interval", {UNCOALESCED(80), NAIVE(20, NONE)},
		RATIO(4, UNDECIDED)},
	{"too few samples of the base", {UNCOALESCED(80, NONE), NAIVE(20)}, RATIO(4, UNDECIDED)},
	{"noisy", {UNCOALESCED(80), NAIVE(20, 0, TIMING_NOISY)}, RATIO(4, UNDECIDED)},
	{"noisy base", {UNCOALESCED(80, 0, TIMING_NOISY), NAIVE(20)}, RATIO(4, UNDECIDED)},
	{"throttled", {UNCOALESCED(80), NAIVE(20, 0, TIMING_THROTTLED)}, RATIO(4, UNDECIDED)},
	{"throttled base", {UNCOALESCED(80, 0, TIMING_THROTTLED), NAIVE(20)}, RATIO(4, UNDECIDED)},
	{"flags that say nothing about noise",
		{UNCOALESCED(80, 0, TIMING_HOST_CLOCK | TIMING_UNFLUSHED),
			NAIVE(20, 0, TIMING_BELOW_RESOLUTION)},
		RATIO(4, HOLDS)},
	{"a claim that does not hold", {UNCOALESCED(80), NAIVE(41)}, RATIO(80.0 / 41, FAILS)},
	{"not a GPU", {{"naive-uncoalesced", "opencl", 0, 80}, {"naive", "opencl", 0, 20}}, false,
		4, 4, true, 4, CLAIM_NOT_APPLICABLE},
	{"a variant without a claim",
		{UNCOALESCED(80), {"tiled16", "cuda", 0, 10}, {"tiled32", "cuda", 0, 8}}, true,
		1.25, 10, false, NONE, CLAIM_NOT_APPLICABLE},
	{"a kernel of the user has no claim", {UNCOALESCED(80), NAIVE(20, 0, 0, true)}, true, 4, 4,
		false, NONE, CLAIM_NOT_APPLICABLE},
	{"no claim over a kernel of the user", {UNCOALESCED(80, 0, 0, true), NAIVE(20)}, true, 4, 4,
		false, NONE, CLAIM_NOT_APPLICABLE},
	{"base not timed", {UNCOALESCED(NONE), NAIVE(20)}, RATIO(NONE, NOT_APPLICABLE)},
	{"base not there", {NAIVE(20)}, RATIO(NONE, NOT_APPLICABLE)},
	{"the row not timed", {UNCOALESCED(80), NAIVE(NONE)}, RATIO(NONE, NOT_APPLICABLE)},
	{"base on another backend", {{"naive-uncoalesced", "opencl", 0, 80}, NAIVE(20)},
		RATIO(NONE, NOT_APPLICABLE)},
	{"a sweep: the base with the same value",
		{{"tiled16", "cuda", 8, 30}, {"tiled16", "cuda", 16, 20},
			{"tiled32", "cuda", 16, 10}},
		true, 2, NONE, false, NONE, CLAIM_NOT_APPLICABLE},
	{"a sweep: the other value",
		{{"tiled16", "cuda", 8, 30}, {"tiled16", "cuda", 16, 20},
			{"tiled32", "cuda", 8, 10}},
		true, 3, NONE, false, NONE, CLAIM_NOT_APPLICABLE},
};

static void fill(const struct rung *rung, struct result_row *row)
{
	text_set(&row->family, "matmul");
	text_set(&row->variant, rung->variant);
	text_set(&row->backend, rung->backend);
	row->own_kernel = rung->own;
	if (rung->tile)
		IS(named_list_add(&row->macros, "TILE", rung->tile));
	row->derived.record.present = true;
	if (rung->median_ns > 0) {
		row->timing.record.present = row->timing.cold.record.present = true;
		row->timing.primary = TIMING_COLD;
		row->timing.cold.median = rung->median_ns;
		row->timing.flags = rung->flags;
		for (int end = 0; end < 2 && rung->width >= 0; end++)
			row->timing.cold.ci95[end] =
				rung->median_ns * (1 + (end ? rung->width : -rung->width));
	}
}

static void near(double got, double want)
{
	if (want < 0)
		IS(isnan(got));
	else
		test_near(got, want, 1e-12);
}

TEST_ROWS(figures, figures_rows, "%s", row->name)
{
	struct result_row *result = NULL;

	TEST_RECORD(result_document_type, struct result_document, document);
	for (size_t i = 0; i < 4 && row->rungs[i].variant; i++) {
		result = record_list_add(&result_row_type, &document.results);
		SOME(result);
		fill(&row->rungs[i], result);
	}
	SOME(result);
	result_row_drop_comparisons(result);
	complete_row(result, document.results.items, document.results.count - 1, row->gpu);
	near(result->derived.step, row->step);
	near(result->derived.total, row->total);
	EQUAL(result->claim.record.present, row->has_claim);
	near(result->claim.observed, row->observed);
	if (row->has_claim)
		EQUAL(result->claim.verdict, row->verdict);
	CHECK(EQUAL(result->claim.holds, row->verdict == CLAIM_HOLDS   ? TRUTH_YES
					 : row->verdict == CLAIM_FAILS ? TRUTH_NO
								       : TRUTH_UNKNOWN),
		EQUAL(result->derived.step_paired, row->step > 0 ? TRUTH_NO : TRUTH_UNKNOWN),
		EQUAL(result->derived.record.absent, 0), EQUAL(result->record.absent, 0));
}

/* Ratios of samples that were taken in turn stay as they are. */
TEST(keeps_pairs, "ratios of rounds stay")
{
	struct result_row base, row;

	record_init(&result_row_type, &base);
	record_init(&result_row_type, &row);
	fill(&(struct rung){"naive-uncoalesced", "cuda", 0, 80}, &base);
	fill(&(struct rung){"naive", "cuda", 0, 39}, &row);
	row.derived.step = row.claim.observed = 1.95;
	row.derived.step_ci95[0] = row.claim.ci95[0] = 1.94;
	row.derived.step_ci95[1] = row.claim.ci95[1] = 1.96;
	row.derived.step_paired = row.claim.paired = TRUTH_YES;
	complete_row(&row, &base, 1, true);
	CHECK(NEAR(row.derived.step, 1.95, 0), NEAR(row.derived.step_ci95[1], 1.96, 0),
		NEAR(row.derived.total, 80.0 / 39, 1e-12), NEAR(row.claim.observed, 1.95, 0),
		NEAR(row.claim.ci95[0], 1.94, 0), EQUAL(row.derived.step_paired, TRUTH_YES),
		EQUAL(row.claim.verdict, CLAIM_FAILS));
	base.timing.flags = TIMING_NOISY;
	complete_row(&row, &base, 1, true);
	EQUAL(row.claim.verdict, CLAIM_UNDECIDED);
	record_finish(&result_row_type, &base);
	record_finish(&result_row_type, &row);
}

/* The column `claim` of the table, CSV and Markdown. */
TEST(shows_undecided, "tables show an undecided claim")
{
	struct table table = {0};

	TEST_RECORD(group_type, struct group_record, group);
	TEST_RECORD(roofs_type, struct roofs_record, roofs);
	text_set(&group.family, "matmul");
	text_set(&group.driver, "1");
	TEST_RECORD(result_document_type, struct result_document, document);
	for (int i = 0; i < 2; i++)
		SOME(record_list_add(&result_row_type, &document.results));
	struct result_row *rows = document.results.items;
	fill(&(struct rung){"naive-uncoalesced", "cuda", 0, 80, 0.01}, &rows[0]);
	fill(&(struct rung){"naive", "cuda", 0, 40, 0.01}, &rows[1]);
	complete_row(&rows[1], rows, 1, true);
	rows[1].status = OUTCOME_OK;
	text_set(&rows[1].technique, "coalescing");
	const char *text = WRITTEN(out, put_heading(out, &(struct page_style){0}, &group, &roofs);
				   begin_ladder(&table, out, &(struct page_style){0}, &group);
				   add_ladder_row(&table, "naive", &rows[1]); table_flush(&table);
				   table_finish(&table));
	test_note("%s", text);
	HAS(text, "  undecided\n");
	char *(*const exports[])(const struct result_document *) = {export_csv, export_markdown};
	for (size_t i = 0; i < 2; i++) {
		HAS(test_keep(exports[i](&document)), i ? "| claim |" : "claim_verdict",
			"undecided");
	}
}

/* The heading names the age of the roofs that it shows, and the flags of the roofs that the rows are
 * compared with. A file without ages has only the age of the oldest roof. */
TEST_ROWS(shows_flags_of_roofs, truths, "age and flags of the roofs in the heading%s",
	*row ? ", by roof" : "")
{
	bool ages = *row;
	FINISHED(table_finish) struct table table;

	TEST_RECORD(group_type, struct group_record, group);
	TEST_RECORD(roofs_type, struct roofs_record, roofs);
	text_set(&group.family, "vecadd");
	text_set(&group.choices, "f32");
	text_set(&group.problem, "n=1");
	text_set(&group.device, "opencl:0");
	text_set(&group.device_name, "a device");
	text_set(&group.driver, "1");
	roofs.copy_gbps = 10;
	roofs.fma_gflops.f32 = 200;
	roofs.age_s = 1020;
	roofs.flags = TIMING_THROTTLED | TIMING_NOISY;
	roofs.ages_s.record.present = roofs.roof_flags.record.present = ages;
	if (ages) {
		roofs.ages_s.copy = 360;
		roofs.ages_s.fma_f32 = 120;
		roofs.ages_s.h2d = 1020;
		roofs.roof_flags.copy = TIMING_THROTTLED;
	}
	const char *text = WRITTEN(out, put_heading(out, &(struct page_style){0}, &group, &roofs);
				   begin_ladder(&table, out, &(struct page_style){0}, &group));
	test_note("%s", text);
	HAS(text, ages ? "roofs: 10.0 GB/s copy, 200 GFLOP/s fma (measured 6 min ago, throttled)\n"
		       : "fma (measured 17 min ago, throttled, noisy)\n");
}

TEST(verdicts_of_records, "verdicts of null and of newer words")
{

	TEST_RECORD(claim_type, struct claim_record, claim);
	EQUAL(claim_record_verdict(&claim), CLAIM_NOT_APPLICABLE);
	claim.verdict = WORD_UNKNOWN;
	EQUAL(claim_record_verdict(&claim), CLAIM_NOT_APPLICABLE);
	claim.verdict = CLAIM_UNDECIDED;
	EQUAL(claim_record_verdict(&claim), CLAIM_UNDECIDED);
}

TEST(limits_of_claims, "limits of a claim")
{

	TEST_RECORD(result_row_type, struct result_row, row);
	fill(&(struct rung){"naive", "cuda", 0, 20}, &row);
	complete_row(&row, NULL, 0, true);
	test_near(row.claim.expected, 2, 0);
	IS(isnan(row.claim.at_most)); /* there is no such limit */
}

TEST(unknown_variant, "a variant of a newer version")
{

	TEST_RECORD(result_row_type, struct result_row, row);
	fill(&(struct rung){"of-a-newer-version", "cuda", 0, 20}, &row);
	complete_row(&row, NULL, 0, true);
	CHECK(IS(isnan(row.derived.total)), NOT(row.claim.record.present));
}

/* ---- Exit codes of a job --------------------------------------------------------------------- */

struct reported {
	int kind;   /* EVENT_RESULT or EVENT_PARITY; 0 = end */
	int status; /* of a result; of both rows of a comparison */
	int64_t size;
	const char *backend; /* of a result */
	enum record_truth same_bits;
	enum pmpp_status error; /* of a result; PMPP_OK: none */
};

#define TOO_LARGE(kind, backend)                                                \
	{                                                                       \
		kind, OUTCOME_UNSUPPORTED, 8, backend, TRUTH_NO, PMPP_TOO_LARGE \
	}

#define RESULT(status, size, backend)                         \
	{                                                     \
		EVENT_RESULT, OUTCOME_##status, size, backend \
	}

static const struct exit_row {
	const char *name;
	enum job_action action;
	struct reported events[3];
	enum exit_code want;
} exit_rows[] = {
	{"nothing ran", JOB_RUN, {{0}}, EXIT_CODE_ALL_SKIPPED},
	{"roofline has no rows", JOB_ROOFLINE, {{0}}, EXIT_CODE_OK},
	{"ok", JOB_RUN, {RESULT(OK, 8, "opencl")}, EXIT_CODE_OK},
	{"skipped", JOB_RUN, {RESULT(SKIPPED, 8, "opencl")}, EXIT_CODE_ALL_SKIPPED},
	{"wrong", JOB_VERIFY, {RESULT(FAILED, 8, "opencl")}, EXIT_CODE_FAILED},
	{"broken", JOB_VERIFY, {RESULT(CRASHED, 8, "opencl")}, EXIT_CODE_BROKEN},
	{"wrong and broken", JOB_VERIFY,
		{RESULT(TIMEOUT, 8, "opencl"), RESULT(FAILED, 8, "opencl")}, EXIT_CODE_FAILED},
	{"too large everywhere", JOB_RUN, {TOO_LARGE(EVENT_RESULT, "opencl")}, EXIT_CODE_USAGE},
	{"too large here, right elsewhere", JOB_VERIFY,
		{TOO_LARGE(EVENT_RESULT, "opencl"), RESULT(OK, 8, "cuda")}, EXIT_CODE_OK},
	{"too large, another size fits elsewhere", JOB_VERIFY,
		{TOO_LARGE(EVENT_RESULT, "opencl"), RESULT(OK, 4, "cuda")}, EXIT_CODE_USAGE},
	{"too large, the same place took it before", JOB_VERIFY,
		{RESULT(OK, 8, "opencl"), TOO_LARGE(EVENT_RESULT, "opencl")}, EXIT_CODE_USAGE},
	{"too large on each of two devices", JOB_VERIFY,
		{TOO_LARGE(EVENT_RESULT, "opencl"), TOO_LARGE(EVENT_RESULT, "cuda")},
		EXIT_CODE_USAGE},
	{"unsupported for another reason", JOB_VERIFY,
		{RESULT(OK, 8, "cuda"), RESULT(UNSUPPORTED, 4, "opencl")}, EXIT_CODE_OK},
	{"too large for both sides", JOB_PARITY, {TOO_LARGE(EVENT_PARITY, "opencl")},
		EXIT_CODE_USAGE},
	{"wrong, then too large", JOB_VERIFY,
		{RESULT(FAILED, 4, "opencl"), TOO_LARGE(EVENT_RESULT, "opencl")}, EXIT_CODE_FAILED},
	{"out of memory", JOB_VERIFY,
		{RESULT(OK, 4, "opencl"),
			{EVENT_RESULT, OUTCOME_LAUNCH_ERROR, 8, "opencl", 0, PMPP_OUT_OF_MEMORY}},
		EXIT_CODE_BROKEN},
	{"wrong, then out of memory", JOB_VERIFY,
		{RESULT(FAILED, 4, "opencl"),
			{EVENT_RESULT, OUTCOME_LAUNCH_ERROR, 8, "opencl", 0, PMPP_OUT_OF_MEMORY}},
		EXIT_CODE_FAILED},
	{"same bits", JOB_PARITY, {{EVENT_PARITY, OUTCOME_OK, 8, "opencl", TRUTH_YES}},
		EXIT_CODE_OK},
	{"promised bits differ", JOB_PARITY, {{EVENT_PARITY, OUTCOME_OK, 8, "opencl", TRUTH_NO}},
		EXIT_CODE_FAILED},
};

static void fill_event_row(const struct reported *reported, struct result_row *row)
{
	fill(&(struct rung){"naive", reported->backend, 0, NONE}, row);
	text_set(&row->device, "name:x");
	text_set(&row->repro, "bitwise");
	row->status = reported->status;
	IS(named_list_add(&row->problem, "m", reported->size));
	if (reported->error != PMPP_OK) {
		PMPP_FAIL(&test_error, reported->error, "needs more");
		error_record_set(&row->error, &test_error);
		text_set(&row->reason, test_error.message);
	}
}

static void send(struct quiet_job *job, const struct reported *reported)
{
	struct event event;

	record_init(&event_type, &event);
	event.kind = reported->kind;
	fill_event_row(reported, &event.row);
	for (size_t i = 0; i < 2 && reported->kind == EVENT_PARITY; i++) {
		struct result_row *row = record_list_add(&result_row_type, &event.rows);
		SOME(row);
		fill_event_row(reported, row);
	}
	event.parity.bit_identical = reported->same_bits;
	quiet_job_emit(job, &event);
}

TEST_ROWS(exits, exit_rows, "exit: %s", row->name)
{
	FINISHED(quiet_job_end) struct quiet_job job;

	quiet_job_begin(&job, row->action);
	for (size_t i = 0; i < 3 && row->events[i].kind; i++)
		send(&job, &row->events[i]);
	collector_close(&job.collector);
	EQUAL(collector_exit_code(&job.collector), row->want);
}

/* ---- Groups --------------------------------------------------------------------------------- */

static void send_group(struct quiet_job *job, const char *problem)
{
	struct event event;

	record_init(&event_type, &event);
	event.kind = EVENT_GROUP;
	event.group.record.present = true;
	text_set(&event.group.family, "matmul");
	text_set(&event.group.problem, problem);
	quiet_job_emit(job, &event);
}

static void send_row(struct quiet_job *job, const char *variant, int64_t size, double ns)
{
	struct event event;

	record_init(&event_type, &event);
	event.kind = EVENT_RESULT;
	fill(&(struct rung){variant, "cuda", 0, ns}, &event.row);
	IS(named_list_add(&event.row.problem, "m", size));
	quiet_job_emit(job, &event);
}

/* If a new worker chooses another size, its rows are not compared with the earlier rows. */
TEST_ROWS(new_size, truths, "a new worker %s",
	*row ? "continues its group" : "with another size begins a group")
{
	FINISHED(quiet_job_end) struct quiet_job job;

	quiet_job_begin(&job, JOB_RUN);
	send_group(&job, "m=8");
	send_row(&job, "naive-uncoalesced", 8, 100);
	send_group(&job, *row ? "m=8" : "m=4");
	send_row(&job, "naive", *row ? 8 : 4, 50);
	const struct result_row *result = &job.collector.document.results.items[1];
	if (*row)
		test_near(result->derived.step, 2, 1e-12);
	else
		IS(isnan(result->derived.step));
}

/* The table marks no flagged row: a closing line counts the flagged rows. */
TEST(closing_flags, "flagged rows are counted")
{
	FINISHED(quiet_job_end) struct quiet_job job;
	FREED char *text = NULL;

	quiet_job_begin(&job, JOB_RUN);
	send_row(&job, "naive-uncoalesced", 8, 100);
	send_row(&job, "naive", 8, 50);
	job.collector.document.results.items[1].timing.flags = TIMING_NOISY;
	job.collector.console.terminal.out = test_stream(&text);
	SOME(job.collector.console.terminal.out);
	collector_close(&job.collector);
	fclose(job.collector.console.terminal.out);
	HAS(text, "\n  ~ noisy: ");
	job.collector.console.terminal.out = NULL;
}
