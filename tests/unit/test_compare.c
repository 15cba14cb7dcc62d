/* Comparisons: which rows join, and their verdicts. */
#include "host/compare/compare.h"
#include "host/record/result.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

/* ---- Two rows that differ -------------------------------------------------------------------- */

/* What a row has instead. 0 or NULL: the row is unchanged. */
struct change {
	double times; /* the median is so many times as long */
	int64_t n, tile, seed;
	const char *math, *contract, *dtype, *op, *source, *code, *peer; /* "": unknown */
	bool hot, wide, untimed, newer_status;
	unsigned flags;
	enum outcome_status end;
	const char *reason;
};

static void change_text(char **text, const char *value)
{
	if (value)
		text_set(text, *value ? value : NULL);
}

static void change(struct result_row *row, const struct change *change)
{
	if (change->times > 0)
		row->timing.cold.median *= change->times;
	if (change->n)
		test_row_size(row, change->n);
	if (change->tile)
		row->macros.items[0].value = change->tile;
	if (change->seed)
		row->seed = change->seed;
	change_text(&row->build.math, change->math);
	change_text(&row->timing.contract, change->contract);
	change_text(&row->dtype, change->dtype);
	change_text(&row->op, change->op);
	change_text(&row->build.source_sha256, change->source);
	change_text(&row->build.code_sha256, change->code);
	change_text(&row->peer, change->peer);
	if (change->hot) {
		row->timing.primary = TIMING_HOT;
		row->timing.hot = row->timing.cold;
		record_init(&samples_type, &row->timing.cold);
	}
	row->timing.flags |= change->flags;
	if (change->wide)
		row->timing.cold.half_width = 0.1;
	if (change->reason)
		test_row_end(row, change->end, change->reason);
	if (change->newer_status)
		row->status = WORD_UNKNOWN;
	if (change->untimed) {
		record_finish(&timing_type, &row->timing);
		row->timing.record.present = false;
	}
}

#define SLOWER .times = 1.05
#define HOT .hot = true, .flags = TIMING_BELOW_RESOLUTION
#define LIBRARY(version) .peer = "cuBLAS " version
#define FAILED .end = OUTCOME_FAILED, .reason = "wrong result"
#define CRASHED .end = OUTCOME_CRASHED, .reason = "SIGSEGV"
#define SKIPPED .end = OUTCOME_SKIPPED, .reason = "no tensor cores"
#define THROTTLED .flags = TIMING_THROTTLED

static const struct pair_row {
	const char *name;
	const struct test_device *device;
	struct change base, other;
	int verdict;               /* WORD_NULL: not counted */
	const char *reason, *also; /* NULL: none */
} pair_rows[] = {
	{"equal rows", &test_gpu_a, {0}, {0}, VERDICT_SAME},
	{"5 % slower", &test_gpu_a, {0}, {SLOWER}, VERDICT_SLOW},
	{"5 % faster", &test_gpu_a, {SLOWER}, {0}, VERDICT_FAST},
	{"5 % slower on a CPU", &test_cpu, {0}, {SLOWER}, VERDICT_AMBG},
	{"other problem", &test_gpu_a, {0}, {.n = 128}, VERDICT_NOCOMP, "problem: n=64 / n=128"},
	{"other math", &test_gpu_a, {.math = "fast"}, {0}, VERDICT_NOCOMP, "math: fast / default"},
	{"unknown math", &test_gpu_a, {.math = ""}, {0}, VERDICT_SAME},
	{"other contract", &test_gpu_a, {.contract = "pmpp-timing/1"}, {0}, VERDICT_NOCOMP,
		"contract: pmpp-timing/1 / pmpp-timing/2"},
	{"the old contract on both sides", &test_gpu_a, {.contract = "pmpp-timing/1"},
		{.contract = "pmpp-timing/1"}, VERDICT_SAME},
	{"other macros", &test_gpu_a, {0}, {.tile = 32}, VERDICT_NOCOMP,
		"macros: TILE=16 / TILE=32"},
	{"other type; an operation on one side", &test_gpu_a, {0}, {.dtype = "f64", .op = "sum"},
		VERDICT_NOCOMP, "dtype: f32 / f64"},
	{"two differences", &test_gpu_a, {0}, {.n = 128, .math = "fast"}, VERDICT_NOCOMP,
		"math: default / fast, problem: n=64 / n=128"},
	{"hot samples against cold", &test_gpu_a, {0}, {HOT}, VERDICT_NOCOMP,
		"samples: cold / hot"},
	{"hot samples on both sides", &test_gpu_a, {HOT}, {HOT}, VERDICT_SAME},
	{"other source and seed", &test_gpu_a, {0}, {.source = "0ther", .seed = 2}, VERDICT_SAME,
		"", "source seed"},
	{"a library", &test_gpu_a, {LIBRARY("12.1")}, {LIBRARY("12.1")}, VERDICT_SAME},
	{"another version of a library", &test_gpu_a, {LIBRARY("12.1")}, {LIBRARY("13.1"), SLOWER},
		VERDICT_SLOW, "", "library"},
	{"a library that failed in the base", &test_gpu_a, {FAILED}, {LIBRARY("12.1")},
		VERDICT_NOCOMP, "base: failed: wrong result"},
	{"other comments", &test_gpu_a, {.code = "c0de"}, {.code = "c0de", .source = "0ther"},
		VERDICT_SAME},
	{"other code", &test_gpu_a, {.code = "c0de"}, {.code = "0ther", .source = "0ther"},
		VERDICT_SAME, "", "source"},
	{"code that one side does not have", &test_gpu_a, {0}, {.code = "c0de", .source = "0ther"},
		VERDICT_SAME, "", "source"},
	{"new failed", &test_gpu_a, {0}, {FAILED}, VERDICT_NOCOMP, "new: failed: wrong result"},
	{"new crashed", &test_gpu_a, {0}, {CRASHED}, VERDICT_NOCOMP, "new: crashed: SIGSEGV"},
	{"new skipped", &test_gpu_a, {0}, {SKIPPED}, VERDICT_NOCOMP,
		"new: skipped: no tensor cores"},
	{"base failed", &test_gpu_a, {FAILED}, {0}, VERDICT_NOCOMP, "base: failed: wrong result"},
	{"new not timed", &test_gpu_a, {0}, {.untimed = true}, VERDICT_NOCOMP, "new: not timed"},
	{"a status of a newer version", &test_gpu_a, {0},
		{.end = OUTCOME_SKIPPED, .reason = "a reason", .newer_status = true},
		VERDICT_NOCOMP, "new: not timed: a reason"},
	{"skipped on both sides", &test_gpu_a, {SKIPPED}, {SKIPPED}, WORD_NULL, "no tensor cores"},
	{"failed and not timed", &test_gpu_a, {FAILED}, {.untimed = true}, WORD_NULL},
	{"a slower GPU was throttled", &test_gpu_a, {0}, {SLOWER, THROTTLED}, VERDICT_AMBG,
		"new throttled"},
	{"a slower GPU, the base was throttled", &test_gpu_a, {THROTTLED}, {SLOWER}, VERDICT_AMBG,
		"base throttled"},
	{"both throttled", &test_gpu_a, {THROTTLED}, {SLOWER, THROTTLED}, VERDICT_AMBG,
		"both throttled"},
	{"throttled, but the same", &test_gpu_a, {THROTTLED}, {THROTTLED}, VERDICT_SAME},
	{"wide samples", &test_gpu_a, {.wide = true}, {SLOWER}, VERDICT_AMBG},
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
	SCOPED_FILES files = {0};
	char also[64];

	for (size_t i = 0; i < 2; i++) {
		struct result_document *file =
			test_small_file(&files, i ? "new" : "base", row->device, 1000);
		change(&file->results.items[0], i ? &row->other : &row->base);
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	/* A row for each side if their fields differ, and one row if only the samples differ. */
	bool apart = row->reason && strstr(row->reason, " / ") &&
		     strncmp(row->reason, "samples", 7) != 0;
	EQUAL(document.rows.count, apart ? 2 : 1);
	for (size_t r = 0; r < document.rows.count; r++) {
		const struct cell_record *of_row = &document.rows.items[r].cells.items[1];
		EQUAL(of_row->verdict, row->verdict);
		STRING(text_or_empty(of_row->reason), text_or_empty(row->reason));
	}
	const struct cell_record *cell = &document.rows.items[0].cells.items[1];
	join_texts(&document.rows.items[0].also_differ, also, sizeof also);
	STRING(also, text_or_empty(row->also));
	bool peer = row->other.peer != NULL;
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
	row->timing.flags |= TIMING_THROTTLED;
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
	change(&again->results.items[0], &(struct change){CRASHED});
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(document.rows.count, 2);
	const struct cell_record *cell = &test_compared_row(&document, "tiled")->cells.items[1];
	CHECK(EQUAL(cell->verdict, VERDICT_NOCOMP), STRING(cell->reason, "new: crashed: SIGSEGV"),
		EQUAL(cell->status, OUTCOME_CRASHED), IS(isnan(cell->median_ns)));
}

static const struct worst_row {
	const char *name;
	struct change runs[3];
	int verdict, status;
	int64_t counted;
} worst_rows[] = {
	{"all ok", {{0}}, VERDICT_SAME, OUTCOME_OK, 3},
	{"one skipped", {[1] = {SKIPPED}}, VERDICT_SAME, OUTCOME_SKIPPED, 2},
	{"the first skipped", {{SKIPPED}}, VERDICT_SAME, OUTCOME_SKIPPED, 2},
	{"failed, then skipped", {[1] = {FAILED}, {SKIPPED}}, VERDICT_NOCOMP, OUTCOME_FAILED, 0},
	{"skipped, then failed", {{SKIPPED}, {FAILED}}, VERDICT_NOCOMP, OUTCOME_FAILED, 0},
	{"crashed, then failed", {{CRASHED}, {FAILED}}, VERDICT_NOCOMP, OUTCOME_FAILED, 0},
	{"one with hot samples", {[1] = {HOT}}, VERDICT_SAME, OUTCOME_OK, 2},
};

TEST_ROWS(worst_run, worst_rows, "runs: %s", row->name)
{
	SCOPED_FILES files = {0};

	test_small_file(&files, "base", &test_gpu_a, 1000);
	for (size_t i = 0; i < 3; i++) {
		struct result_document *file = test_small_file(&files, "new", &test_gpu_b, 1000);
		change(&file->results.items[0], &row->runs[i]);
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
