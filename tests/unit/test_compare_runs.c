/* Comparisons: several runs of a side, in one file or in several; names of sides in reasons. */
#include "common/model/repetition.h"
#include "host/compare/compare.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

/* The text of the comparison has this part. */
static void check_text(const struct comparison_document *document, const char *part)
{
	char *text = test_compared_text(document);

	HAS(text, part);
}

/* ---- Drivers --------------------------------------------------------------------------------- */

static const struct test_device gpu_a_opencl = {
	"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", NULL, "GPU A", "gpu", "opencl", "CL 580.1"};

/* Two files with the rows of two backends in another order have the same drivers: one side. The
 * third file has a newer driver: another side. */
TEST(order_of_drivers, "drivers: the order of the rows does not matter")
{
	static const struct test_device newer = {
		"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", NULL, "GPU A", "gpu", "opencl", "CL 590.2"};
	static const struct test_device *const orders[3][2] = {
		{&test_gpu_a, &gpu_a_opencl}, {&gpu_a_opencl, &test_gpu_a}, {&test_gpu_a, &newer}};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 3; f++) {
		struct result_document *document = test_file(&files, "x", "host", NULL);
		for (size_t d = 0; d < 2; d++)
			test_file_device(document, orders[f][d]);
		for (size_t d = 0; d < 2; d++)
			test_row(document, orders[f][d], "tiled", 1000);
	}
	TEST_COMPARISON document = test_compare(&files, "driver");
	EQUAL(document.sides.count, 2);
	STRING(document.sides.items[0].name, "580.1; CL 580.1");
	EQUAL(document.sides.items[0].rows, 4);
	STRING(document.sides.items[1].name, "580.1; CL 590.2");
}

/* Rows of one file are sides by their own drivers. */
TEST(drivers_of_one_file, "drivers: rows of one file")
{
	static const struct test_device other = {
		"uuid:bbbbbbbb-0000", "bbbbbbbb-0000", NULL, "GPU B", "gpu", "cuda", "590.2"};
	SCOPED_FILES files = {0};
	struct result_document *file = test_device_file(&files, "x", &test_gpu_a);

	test_file_device(file, &other);
	test_row(file, &test_gpu_a, "tiled", 1000);
	test_row(file, &other, "tiled", 1000);
	TEST_COMPARISON document = test_compare(&files, "driver");
	CHECK(EQUAL(document.sides.count, 2), STRING(document.sides.items[0].name, "580.1"),
		STRING(document.sides.items[1].name, "590.2"));
}

/* ---- The same run in two files --------------------------------------------------------------- */

/* By device: three files of one side; the second is a copy of the first. */
TEST(copied_run, "a run in two files counts once")
{
	static const char *const runs[] = {"one", "one", "two", "base"};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 4; f++) {
		const struct test_device *device = f == 3 ? &test_gpu_b : &test_gpu_a;
		struct result_document *document = test_small_file(&files, "x", device, 1000);
		text_set(&document->run.id, runs[f]);
	}
	TEST_COMPARISON document = test_compare(&files, "device");
	const struct comparison_row *row = test_compared_row(&document, "tiled");
	CHECK(EQUAL(row->cells.items[0].runs, 2), EQUAL(row->cells.items[1].runs, 1),
		EQUAL(document.sides.items[0].doubled, 1), EQUAL(document.sides.items[0].rows, 2),
		EQUAL(document.sides.items[1].doubled, 0));
	check_text(&document, "; 1 rows left out: their run is in two files");
}

/* A size that is given twice makes two rows of one run in one file: two runs of the variant. */
TEST(size_given_twice, "a size that is given twice")
{
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		struct result_document *document =
			test_small_file(&files, "x", f ? &test_gpu_b : &test_gpu_a, 1000);
		text_set(&document->run.id, f ? "b" : "a");
		test_row(document, f ? &test_gpu_b : &test_gpu_a, "tiled", 1001);
	}
	TEST_COMPARISON document = test_compare(&files, "device");
	EQUAL(test_compared_row(&document, "tiled")->cells.items[0].runs, 2);
}

/* Runs of an export of the store: sides by run are named by their labels. */
TEST(named_runs, "runs of one file")
{
	static const char *const names[] = {"before", "after", "after"};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 3; f++) {
		test_small_file(&files, "data/export.json", &test_gpu_a, 1000);
		files.items[f].name = names[f];
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	CHECK(EQUAL(document.sides.count, 3), STRING(document.sides.items[0].name, "before"),
		STRING(document.sides.items[1].name, "data/export.json: after #2"),
		STRING(document.sides.items[2].name, "data/export.json: after #3"));
}

/* ---- A raised floor -------------------------------------------------------------------------- */

TEST(raised_floor, "a raised floor is shown")
{
	static const double medians[] = {900, 1000, 1150};
	static const char *const names[] = {"a", "b", "c", "d"};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		struct result_document *document =
			test_device_file(&files, f ? "new" : "base", &test_cpu);
		for (size_t i = 0; i < 4; i++)
			test_runs(document, &test_cpu, names[i],
				f ? medians : (const double[]){1000, 1000, 1000}, 3);
	}
	TEST_COMPARISON document = test_compare(&files, "run");
	CHECK(EQUAL(document.sides.items[0].raised, 0), EQUAL(document.sides.items[1].raised, 4),
		IS(document.sides.items[1].spread_sd > 0.05));
	check_text(&document, "(5 %, CPU)\n");
	check_text(&document, "(5 %, CPU), raised to 15 % in 4 rows by the spread of its runs\n");
}

/* ---- Reasons --------------------------------------------------------------------------------- */

/* With three sides the reasons have the letters of the table. */
TEST(letters, "reasons with three sides")
{
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 3; f++) {
		struct result_document *document =
			test_device_file(&files, (const char *[]){"a", "b", "c"}[f], &test_gpu_a);
		struct result_row *row = test_row(document, &test_gpu_a, "tiled", 1000);
		if (f == 2)
			test_row_end(row, OUTCOME_CRASHED, "SIGSEGV");
		row = test_row(document, &test_gpu_a, "naive", f == 2 ? 2000 : 1000);
		if (f == 2)
			row->timing.flags |= TIMING_THROTTLED;
		else
			test_row(document, &test_gpu_a, "alone", 1000);
	}
	TEST_COMPARISON document = test_compare(&files, "run");
	STRING(test_compared_row(&document, "tiled")->cells.items[2].reason, "C: crashed: SIGSEGV");
	STRING(test_compared_row(&document, "naive")->cells.items[2].reason, "C throttled");
	check_text(&document, "MISSING"); /* a side without the row has a line */
}

/* ---- Shares of roofs ------------------------------------------------------------------------- */

TEST(share_of_roof, "the share of the roof")
{
	SCOPED_FILES files = {0};

	test_small_file(&files, "a", &test_gpu_a, 1000);
	struct result_row *row = &test_small_file(&files, "b", &test_gpu_a, 1000)->results.items[0];
	row->derived.record.present = row->derived.floor.record.present = true;
	row->derived.floor.ns = 400;
	TEST_COMPARISON document = test_compare(&files, "run");
	const struct cell_record *cells = test_compared_row(&document, "tiled")->cells.items;
	IS(isnan(cells[0].pct_roof));
	test_near(cells[1].pct_roof, 40, 1e-9); /* of the median of the side */
}

/* ---- The spread of a side -------------------------------------------------------------------- */

/* Runs of all rows vary by 14 %: more than the floor of a CPU. */
TEST(spread_of_side, "the spread of a side raises the floor")
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	static const double medians[] = {900, 1000, 1150};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		struct result_document *document =
			test_device_file(&files, f ? "new" : "base", &test_cpu);
		for (size_t i = 0; i < NOISE_FLOOR_SPREAD_ROWS + (f ? 1 : 0) - 1; i++)
			test_runs(document, &test_cpu, names[i], medians, 3);
		test_runs(document, &test_cpu, "quiet", (const double[]){1000, 1000, 1000}, 3);
	}
	TEST_COMPARISON document = test_compare(&files, "run");
	const struct comparison_row *quiet = test_compared_row(&document, "quiet");
	/* The variance of a median row over the median of chi-squared with 2 degrees of freedom. */
	double dof = 0;
	double typical = repetition_variance(medians, 3, &dof) / pow(1 - 2 / (9 * 2.0), 3);
	for (size_t f = 0; f < 2; f++)
		test_near(quiet->cells.items[f].noise_sd, sqrt(typical), 1e-9);
}

/* The noise of a CPU says nothing about a GPU of the same machine. */
TEST(spread_of_classes, "each class of devices has its own spread")
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		struct result_document *document =
			test_device_file(&files, f ? "new" : "base", &test_cpu);
		test_file_device(document, &test_gpu_a);
		for (size_t i = 0; i < NOISE_FLOOR_SPREAD_ROWS; i++)
			test_runs(document, &test_cpu, names[i], (const double[]){900, 1000, 1150},
				3);
		test_runs(document, &test_gpu_a, names[NOISE_FLOOR_SPREAD_ROWS],
			(const double[]){1000, 1001, 1002}, 3);
	}
	TEST_COMPARISON document = test_compare(&files, "run");
	const char *gpu = names[NOISE_FLOOR_SPREAD_ROWS];
	for (size_t f = 0; f < 2; f++) {
		const struct comparison_row *row = test_compared_row(&document, gpu);
		test_near(row->cells.items[f].noise_sd, 0.002, 0);
		row = test_compared_row(&document, names[0]);
		IS(row->cells.items[f].noise_sd > 0.1);
	}
}

/* Too few rows to know the state of the machine. */
TEST(spread_of_few, "few rows have no spread")
{
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		struct result_document *document =
			test_device_file(&files, f ? "new" : "base", &test_cpu);
		for (size_t i = 1; i < NOISE_FLOOR_SPREAD_ROWS; i++)
			test_runs(document, &test_cpu,
				i == 1   ? "a"
				: i == 2 ? "b"
					 : "c",
				(const double[]){900, 1000, 1150}, 3);
	}
	TEST_COMPARISON document = test_compare(&files, "run");
	test_near(test_compared_row(&document, "a")->cells.items[0].noise_sd, 0.05, 0);
}

/* ---- The run of a ladder (report) ------------------------------------------------------------ */

/* Files of one device in order of time, each with its rows: a letter is a variant, a capital letter has no time,
 * '!' before it means the other floating-point mode. kept: the rows that the page shows. */
static const struct ladder_row {
	const char *name, *files[4], *kept[4];
} ladder_rows[] = {
	{"the newest file has all", {"ab", "ab"}, {"", "ab"}},
	{"the newest file has most", {"abc", "ab"}, {"c", "ab"}},
	{"the newest file has few", {"abcde", "ab"}, {"abcde", ""}},
	{"a row without a time takes no place", {"ab", "aB"}, {"b", "aB"}},
	{"a row without a time in the older file", {"aB", "ab"}, {"", "ab"}},
	{"no file has a time", {"A", "AB"}, {"", "AB"}},
	{"another floating-point mode", {"!a!b!c", "ab"}, {"", "ab"}},
	{"another floating-point mode in a part", {"ab!c", "ab"}, {"", "ab"}},
	{"four runs show their noise", {"a", "a", "a", "a"}, {"a", "a", "a", "a"}},
};

static void add_ladder_rows(struct result_document *document, const char *rows)
{
	for (const char *at = rows; *at; at++) {
		const char *math = *at == '!' ? (at++, "fast") : "precise";
		char variant[] = {*at | 0x20, '\0'};
		struct result_row *row =
			test_row(document, &test_gpu_a, variant, *at & 0x20 ? 1000 : 0);
		text_set(&row->build.math, math);
		if (!(*at & 0x20))
			test_row_end(row, OUTCOME_SKIPPED, "why");
	}
}

TEST_ROWS(ladder_run, ladder_rows, "ladder: %s", row->name)
{
	SCOPED_FILES files = {0};
	size_t count = 0;

	for (; count < 4 && row->files[count]; count++) {
		char started[] = "2026-11-01T00:00:00Z";
		struct result_document *document = test_file(&files, "x", "host", NULL);
		started[9] = (char)('1' + count);
		text_set(&document->run.started_utc, started);
		test_file_device(document, &test_gpu_a);
		add_ladder_rows(document, row->files[count]);
	}
	IS(compared_files_choose_runs(files.items, count, false));
	for (size_t f = 0; f < count; f++) {
		const struct result_row_list *rows = &files.items[f].document.results;
		char kept[16] = "";
		for (size_t r = 0; r < rows->count; r++) {
			kept[r] = *rows->items[r].variant;
			if (!(result_row_median_ns(&rows->items[r]) > 0))
				kept[r] = (char)(kept[r] & ~0x20);
		}
		test_note("file %zu", f);
		STRING(kept, row->kept[f]);
	}
}
