/* Comparisons: which rows join, and their verdicts. */
#include "host/compare/compare.h"
#include "host/record/result.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

/* ---- Two rows that differ -------------------------------------------------------------------- */

typedef void change_fn(struct result_row *row);

static void slower(struct result_row *row)
{
	row->timing.cold.median *= 1.05;
}

static void other_size(struct result_row *row)
{
	test_row_size(row, 128);
}

static void other_math(struct result_row *row)
{
	text_set(&row->build.math, "fast");
}

static void unknown_math(struct result_row *row)
{
	text_set(&row->build.math, NULL);
}

static void old_contract(struct result_row *row)
{
	text_set(&row->timing.contract, "pmpp-timing/1");
}

static void other_macro(struct result_row *row)
{
	row->macros.items[0].value = 32;
}

static void other_dtype(struct result_row *row)
{
	text_set(&row->dtype, "f64");
	text_set(&row->op, "sum");
}

static void other_size_and_math(struct result_row *row)
{
	other_size(row);
	other_math(row);
}

static void other_source(struct result_row *row)
{
	text_set(&row->build.source_sha256, "0ther");
	row->seed = 2;
}

static void library(struct result_row *row)
{
	text_set(&row->peer, "cuBLAS 12.1");
}

static void other_library(struct result_row *row)
{
	text_set(&row->peer, "cuBLAS 13.1");
	slower(row);
}

static void known_code(struct result_row *row)
{
	text_set(&row->build.code_sha256, "c0de");
}

static void other_comments(struct result_row *row)
{
	known_code(row);
	text_set(&row->build.source_sha256, "0ther");
}

static void other_code(struct result_row *row)
{
	other_comments(row);
	text_set(&row->build.code_sha256, "0ther");
}

static void hot(struct result_row *row)
{
	row->timing.primary = TIMING_HOT;
	row->timing.hot = row->timing.cold;
	record_init(&samples_type, &row->timing.cold);
	row->timing.flags |= TIMING_BELOW_RESOLUTION;
}

static void failed(struct result_row *row)
{
	test_row_end(row, OUTCOME_FAILED, "wrong result");
}

static void crashed(struct result_row *row)
{
	test_row_end(row, OUTCOME_CRASHED, "SIGSEGV");
}

static void skipped(struct result_row *row)
{
	test_row_end(row, OUTCOME_SKIPPED, "no tensor cores");
}

static void untimed(struct result_row *row)
{
	record_finish(&timing_type, &row->timing);
	row->timing.record.present = false;
}

static void newer_status(struct result_row *row)
{
	test_row_end(row, OUTCOME_SKIPPED, "a reason");
	row->status = WORD_UNKNOWN;
}

static void throttled(struct result_row *row)
{
	row->timing.flags |= TIMING_THROTTLED;
}

static void slower_throttled(struct result_row *row)
{
	slower(row);
	throttled(row);
}

static void wide(struct result_row *row)
{
	row->timing.cold.half_width = 0.1;
}

static const struct pair_row {
	const char *name;
	const struct test_device *device;
	change_fn *base, *other; /* NULL: unchanged */
	int verdict;             /* WORD_NULL: not counted */
	const char *reason, *also;
} pair_rows[] = {
	{"equal rows", &test_gpu_a, NULL, NULL, VERDICT_SAME, "", ""},
	{"5 % slower", &test_gpu_a, NULL, slower, VERDICT_SLOW, "", ""},
	{"5 % faster", &test_gpu_a, slower, NULL, VERDICT_FAST, "", ""},
	{"5 % slower on a CPU", &test_cpu, NULL, slower, VERDICT_AMBG, "", ""},
	{"other problem", &test_gpu_a, NULL, other_size, VERDICT_NOCOMP, "problem: n=64 / n=128",
		""},
	{"other math", &test_gpu_a, other_math, NULL, VERDICT_NOCOMP, "math: fast / default", ""},
	{"unknown math", &test_gpu_a, unknown_math, NULL, VERDICT_SAME, "", ""},
	{"other contract", &test_gpu_a, old_contract, NULL, VERDICT_NOCOMP,
		"contract: pmpp-timing/1 / pmpp-timing/2", ""},
	{"the old contract on both sides", &test_gpu_a, old_contract, old_contract, VERDICT_SAME,
		"", ""},
	{"other macros", &test_gpu_a, NULL, other_macro, VERDICT_NOCOMP,
		"macros: TILE=16 / TILE=32", ""},
	{"other type; an operation on one side", &test_gpu_a, NULL, other_dtype, VERDICT_NOCOMP,
		"dtype: f32 / f64", ""},
	{"two differences", &test_gpu_a, NULL, other_size_and_math, VERDICT_NOCOMP,
		"math: default / fast, problem: n=64 / n=128", ""},
	{"hot samples against cold", &test_gpu_a, NULL, hot, VERDICT_NOCOMP, "samples: cold / hot",
		""},
	{"hot samples on both sides", &test_gpu_a, hot, hot, VERDICT_SAME, "", ""},
	{"other source and seed", &test_gpu_a, NULL, other_source, VERDICT_SAME, "", "source seed"},
	{"a library", &test_gpu_a, library, library, VERDICT_SAME, "", ""},
	{"another version of a library", &test_gpu_a, library, other_library, VERDICT_SLOW, "",
		"library"},
	{"a library that failed in the base", &test_gpu_a, failed, library, VERDICT_NOCOMP,
		"base: failed: wrong result", ""},
	{"other comments", &test_gpu_a, known_code, other_comments, VERDICT_SAME, "", ""},
	{"other code", &test_gpu_a, known_code, other_code, VERDICT_SAME, "", "source"},
	{"code that one side does not have", &test_gpu_a, NULL, other_comments, VERDICT_SAME, "",
		"source"},
	{"new failed", &test_gpu_a, NULL, failed, VERDICT_NOCOMP, "new: failed: wrong result", ""},
	{"new crashed", &test_gpu_a, NULL, crashed, VERDICT_NOCOMP, "new: crashed: SIGSEGV", ""},
	{"new skipped", &test_gpu_a, NULL, skipped, VERDICT_NOCOMP, "new: skipped: no tensor cores",
		""},
	{"base failed", &test_gpu_a, failed, NULL, VERDICT_NOCOMP, "base: failed: wrong result",
		""},
	{"new not timed", &test_gpu_a, NULL, untimed, VERDICT_NOCOMP, "new: not timed", ""},
	{"a status of a newer version", &test_gpu_a, NULL, newer_status, VERDICT_NOCOMP,
		"new: not timed: a reason", ""},
	{"skipped on both sides", &test_gpu_a, skipped, skipped, WORD_NULL, "no tensor cores", ""},
	{"failed and not timed", &test_gpu_a, failed, untimed, WORD_NULL, "", ""},
	{"a slower GPU was throttled", &test_gpu_a, NULL, slower_throttled, VERDICT_AMBG,
		"new throttled", ""},
	{"a slower GPU, the base was throttled", &test_gpu_a, throttled, slower, VERDICT_AMBG,
		"base throttled", ""},
	{"both throttled", &test_gpu_a, throttled, slower_throttled, VERDICT_AMBG, "both throttled",
		""},
	{"throttled, but the same", &test_gpu_a, throttled, throttled, VERDICT_SAME, "", ""},
	{"wide samples", &test_gpu_a, wide, slower, VERDICT_AMBG, "", ""},
};

static void join_texts(const struct text_list *list, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < list->count; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " " : "",
			list->items[i]);
}

static int64_t counted(const struct comparison_document *document)
{
	int64_t sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		sum += *verdict_counts_at(&document->counts.items[0], (enum verdict)v);
	return sum;
}

TEST_ROWS(pair, pair_rows, "pair: %s", row->name)
{
	change_fn *const changes[] = {row->base, row->other};
	SCOPED_FILES files = {0};
	char also[64];

	for (size_t i = 0; i < 2; i++) {
		struct result_document *file =
			test_small_file(&files, i ? "new" : "base", row->device, 1000);
		if (changes[i])
			changes[i](&file->results.items[0]);
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	/* A row for each side if their fields differ, and one row if only the samples differ. */
	bool apart = strstr(row->reason, " / ") && strncmp(row->reason, "samples", 7) != 0;
	EQUAL(document.rows.count, apart ? 2 : 1);
	for (size_t r = 0; r < document.rows.count; r++) {
		const struct cell_record *of_row = &document.rows.items[r].cells.items[1];
		EQUAL(of_row->verdict, row->verdict);
		STRING(text_or_empty(of_row->reason), row->reason);
	}
	const struct cell_record *cell = &document.rows.items[0].cells.items[1];
	join_texts(&document.rows.items[0].also_differ, also, sizeof also);
	STRING(also, row->also);
	bool peer = row->other == library || row->other == other_library;
	CHECK(EQUAL(document.rows.items[0].peer != NULL, peer),
		EQUAL(counted(&document),
			row->verdict >= 0 && !peer ? (int64_t)document.rows.count : 0),
		EQUAL(document.counts.items[0].confirmed, cell->confirmed == TRUTH_YES));
	if (row->verdict >= 0 && !peer)
		EQUAL(*verdict_counts_at(&document.counts.items[0], (enum verdict)row->verdict),
			document.rows.count);
}

/* 5 % slower on a CPU, with a warning of the probe: the floor of noise includes the effect. */
TEST(throttled_cpu, "pair: a slower CPU was throttled")
{
	SCOPED_FILES files = {0};

	test_small_file(&files, "base", &test_cpu, 1000);
	struct result_row *row = &test_small_file(&files, "new", &test_cpu, 2000)->results.items[0];
	throttled(row);
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(document.counts.items[0].slow, 1);
}

/* A kernel of the user is compared with the project's of another run, but it is not another run of
 * it. */
TEST(own_kernel, "a kernel of the user")
{
	static const struct {
		const char *by;
		size_t rows;
	} cases[] = {{"run", 1}, {"label", 1}, {"device", 2}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		SCOPED_FILES files = {0};

		test_small_file(&files, "base", &test_gpu_a, 1000);
		test_small_file(&files, "new", &test_gpu_a, 2000)->results.items[0].own_kernel =
			true;
		if (cases[i].rows == 2)
			test_small_file(&files, "other", &test_gpu_b, 1000);
		text_set(&files.items[0].document.run.label, "a");
		text_set(&files.items[1].document.run.label, "b");
		TEST_COMPARISON document = test_compare(&files, cases[i].by);
		size_t own = 0;
		for (size_t r = 0; r < document.rows.count; r++)
			for (size_t c = 0; c < document.rows.items[r].cells.count; c++)
				own += document.rows.items[r].cells.items[c].own_kernel;
		test_note("by %s", cases[i].by);
		CHECK(EQUAL(own, 1), EQUAL(document.rows.count, cases[i].rows));
		const struct cell_record *last =
			&document.rows.items[document.rows.count - 1].cells.items[1];
		if (cases[i].rows == 2)
			STRING(last->reason, "kernel: own / of pmpp");
	}
}

/* ---- Rows of one side only ------------------------------------------------------------------- */

TEST(missing, "rows of one side")
{
	SCOPED_FILES files = {0};

	struct result_document *base = test_small_file(&files, "base", &test_gpu_a, 1000);
	test_row(base, &test_gpu_a, "old", 1000);
	test_row_end(test_row(base, &test_gpu_a, "old-skipped", 0), OUTCOME_SKIPPED, "why");
	struct result_document *other = test_small_file(&files, "new", &test_gpu_a, 1000);
	test_row(other, &test_gpu_a, "fresh", 1000);
	TEST_COMPARISON document = test_compare(&files, NULL);
	CHECK(EQUAL(document.rows.count, 4), EQUAL(document.counts.items[0].missing, 2),
		EQUAL(document.counts.items[0].same, 1), EQUAL(counted(&document), 3),
		EQUAL(test_compared_row(&document, "old")->cells.items[1].verdict, VERDICT_MISSING),
		EQUAL(test_compared_row(&document, "fresh")->cells.items[1].verdict,
			VERDICT_MISSING),
		EQUAL(test_compared_row(&document, "old-skipped")->cells.items[1].verdict,
			WORD_NULL));
}

/* Sizes 16, 32, 48 and sizes 32, 48, 64: two sizes join, the other two are NOCOMP. */
TEST(sizes, "rows of other sizes")
{
	SCOPED_FILES files = {0};

	for (int f = 0; f < 2; f++) {
		struct result_document *file =
			test_device_file(&files, f ? "new" : "base", &test_gpu_a);
		for (int i = 1; i <= 3; i++)
			test_row_size(test_row(file, &test_gpu_a, "tiled", 1000 * i), 16 * (i + f));
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	CHECK(EQUAL(document.rows.count, 4),
		STRING(document.rows.items[0].cells.items[1].reason, "problem: n=16 / n=32"),
		EQUAL(document.counts.items[0].nocomp, 2), EQUAL(document.counts.items[0].fast, 2));
}

/* The rows of one family and problem are neighbours, in the order of the first row. */
TEST(neighbours, "rows of one problem are neighbours")
{
	static const char *const variants[] = {"x", "other", "y"};
	static const char *const order[] = {"x", "y", "other"};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		struct result_document *file =
			test_device_file(&files, f ? "new" : "base", &test_gpu_a);
		for (size_t i = 0; i < 3; i++) {
			struct result_row *row = test_row(file, &test_gpu_a, variants[i], 1000);
			test_row_size(row, i == 1 ? 128 : 64);
		}
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(document.rows.count, 3);
	for (size_t i = 0; i < 3; i++)
		STRING(document.rows.items[i].variant, order[i]);
	EQUAL(document.rows.items[1].section, document.rows.items[0].section);
	NOT(document.rows.items[2].section == document.rows.items[0].section);
}

/* ---- Several runs of a side ------------------------------------------------------------------ */

/* If a run crashes in one of two files of a side, the side has no time. */
TEST(one_run_crashed, "runs: one file crashed")
{
	SCOPED_FILES files = {0};

	test_small_file(&files, "base", &test_gpu_a, 1000);
	test_small_file(&files, "new", &test_gpu_b, 1000);
	struct result_document *again = test_small_file(&files, "again", &test_gpu_b, 1000);
	test_row(again, &test_gpu_b, "naive", 1000);
	crashed(&again->results.items[0]);
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(document.rows.count, 2);
	const struct cell_record *cell = &test_compared_row(&document, "tiled")->cells.items[1];
	CHECK(EQUAL(cell->verdict, VERDICT_NOCOMP), STRING(cell->reason, "new: crashed: SIGSEGV"),
		EQUAL(cell->status, OUTCOME_CRASHED), IS(isnan(cell->median_ns)));
}

static const struct worst_row {
	const char *name;
	change_fn *runs[3];
	int verdict, status;
	int64_t counted;
} worst_rows[] = {
	{"all ok", {NULL, NULL, NULL}, VERDICT_SAME, OUTCOME_OK, 3},
	{"one skipped", {NULL, skipped, NULL}, VERDICT_SAME, OUTCOME_SKIPPED, 2},
	{"the first skipped", {skipped, NULL, NULL}, VERDICT_SAME, OUTCOME_SKIPPED, 2},
	{"failed, then skipped", {NULL, failed, skipped}, VERDICT_NOCOMP, OUTCOME_FAILED, 0},
	{"skipped, then failed", {skipped, failed, NULL}, VERDICT_NOCOMP, OUTCOME_FAILED, 0},
	{"crashed, then failed", {crashed, failed, NULL}, VERDICT_NOCOMP, OUTCOME_FAILED, 0},
	{"one with hot samples", {NULL, hot, NULL}, VERDICT_SAME, OUTCOME_OK, 2},
};

TEST_ROWS(worst_run, worst_rows, "runs: %s", row->name)
{
	SCOPED_FILES files = {0};

	test_small_file(&files, "base", &test_gpu_a, 1000);
	for (size_t i = 0; i < 3; i++) {
		struct result_document *file = test_small_file(&files, "new", &test_gpu_b, 1000);
		if (row->runs[i])
			row->runs[i](&file->results.items[0]);
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(document.rows.count, 1);
	const struct cell_record *cell = &document.rows.items[0].cells.items[1];
	CHECK(EQUAL(cell->verdict, row->verdict), EQUAL(cell->status, row->status),
		EQUAL(cell->runs, row->counted));
}

TEST(repeated_runs, "runs: repetitions and files")
{
	static const double runs[] = {1000, 1001, 1002, 1003};
	SCOPED_FILES files = {0};

	test_small_file(&files, "base", &test_gpu_a, 1000);
	struct result_document *file = test_device_file(&files, "new", &test_gpu_b);
	test_runs(file, &test_gpu_b, "tiled", runs, 4);
	test_small_file(&files, "again", &test_gpu_b, 1000);
	TEST_COMPARISON document = test_compare(&files, NULL);
	const struct cell_record *cells = document.rows.items[0].cells.items;
	EQUAL(cells[1].runs, 5);
	IS(cells[1].median_ns > 1000.9 && cells[1].median_ns < 1001.1);
	IS(cells[1].ci95_ns[1] - cells[1].ci95_ns[0] <
		0.6 * (cells[0].ci95_ns[1] - cells[0].ci95_ns[0]));
}

/* ---- Options --------------------------------------------------------------------------------- */

TEST(tolerance, "a tolerance")
{
	static const double tolerances[] = {NAN, 0.01, 0.1};
	static const enum verdict verdicts[] = {VERDICT_SLOW, VERDICT_SLOW, VERDICT_SAME};
	SCOPED_FILES files = {0};

	test_small_file(&files, "base", &test_gpu_a, 1000);
	test_small_file(&files, "new", &test_gpu_a, 1050);
	for (size_t i = 0; i < 3; i++) {
		const struct compare_options options = {.tolerance = tolerances[i]};
		TEST_COMPARISON document;
		test_ok(compare_files(files.items, 2, &options, &document, &test_error));
		const struct cell_record *cell = &document.rows.items[0].cells.items[1];
		EQUAL(cell->verdict, verdicts[i]);
		test_near(cell->tolerance, i ? tolerances[i] : 0.0175, 0);
	}
}

/* The base has n = 64, B has n = 128, C has both. */
TEST(near_on_one_side, "three sides: a near row of one side only")
{
	SCOPED_FILES files = {0};
	static const int64_t sizes[3][2] = {{64, 0}, {128, 0}, {64, 128}};
	size_t of_c = 0;

	for (size_t f = 0; f < 3; f++) {
		struct result_document *document = test_device_file(&files,
			f == 0   ? "a"
			: f == 1 ? "b"
				 : "c",
			&test_gpu_a);
		for (size_t i = 0; i < 2 && sizes[f][i]; i++)
			test_row_size(test_row(document, &test_gpu_a, "tiled", 1000), sizes[f][i]);
	}
	TEST_COMPARISON document = test_compare(&files, "run");
	EQUAL(document.rows.count, 2);
	for (size_t r = 0; r < document.rows.count; r++)
		of_c += document.rows.items[r].cells.items[2].median_ns > 0;
	CHECK(EQUAL(of_c, 2), EQUAL(document.counts.items[0].nocomp, 2),
		EQUAL(document.counts.items[1].same, 1), EQUAL(document.counts.items[1].nocomp, 1));
}

/* One row of 100 that is barely SLOW may be chance. A row that is 5 % slower is not chance. */
TEST(confirmed, "confirmed regressions")
{
	static const struct {
		double ratio;
		int64_t slow, confirmed;
	} rows[] = {{1.027, 1, 0}, {1.05, 1, 1}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		SCOPED_FILES files = {0};
		for (size_t f = 0; f < 2; f++) {
			struct result_document *document =
				test_device_file(&files, f ? "new" : "base", &test_gpu_a);
			for (int64_t r = 0; r < 100; r++)
				test_row_size(test_row(document, &test_gpu_a, "tiled",
						      f && r == 7 ? 1000 * rows[i].ratio : 1000),
					64 + r);
		}
		TEST_COMPARISON document = test_compare(&files, "run");
		EQUAL(document.counts.items[0].slow, rows[i].slow);
		EQUAL(document.counts.items[0].confirmed, rows[i].confirmed);
	}
}
