/* Comparisons: claims, the fastest variants, many sides and many rows. */
#include "tests/support/result_files.h"
#include "tests/support/test.h"

#include <time.h>

/* ---- Claims ---------------------------------------------------------------------------------- */

static void set_claim(struct result_row *row, enum claim_verdict verdict)
{
	row->claim.record.present = true;
	text_set(&row->claim.text, "tiled < naive");
	row->claim.verdict = (int)verdict;
}

TEST(claims, "claims")
{
	static const int verdicts[] = {CLAIM_HOLDS, CLAIM_FAILS, WORD_NULL};
	SCOPED_FILES files = {0};

	set_claim(&test_small_file(&files, "a", &test_gpu_a, 1000)->results.items[0], CLAIM_HOLDS);
	set_claim(&test_small_file(&files, "b", &test_gpu_b, 1000)->results.items[0], CLAIM_FAILS);
	test_small_file(&files, "c", &test_cpu, 1000);
	TEST_COMPARISON document = test_compare(&files, NULL);
	STRING(document.rows.items[0].claim, "tiled < naive");
	for (size_t i = 0; i < 3; i++)
		EQUAL(document.rows.items[0].cells.items[i].claim, verdicts[i]);
}

/* ---- The fastest variants -------------------------------------------------------------------- */

static const struct best_test {
	const char *name;
	double base[3], other[3]; /* naive, tiled, coarse; 0: not timed */
	const char *line;         /* NULL: no line about the fastest variants */
} best_rows[] = {
	{"another order", {3000, 1000, 2000}, {3000, 2000, 1000},
		"  matmul  f32 n=64 cuda: base tiled; new coarse\n"},
	{"a tie within the intervals", {3000, 1000, 1001}, {3000, 2000, 1000},
		"the fastest variant is the same in 1 of 1 problems\n"},
	{"the fastest of a tie is named", {3000, 1001, 1000}, {1000, 2000, 3000},
		": base coarse and 1 more; new naive\n"},
	{"one is not timed", {3000, 0, 1000}, {0, 1000, 3000}, ": base coarse; new tiled\n"},
	{"a single timed variant is not listed", {0, 1000, 0}, {2000, 1000, 3000}, NULL},
};

/* Whether the text about a comparison has a line about the fastest variants that ends in `line`. */
static void check_best(const struct comparison_document *document, const char *line)
{
	char *text = test_compared_text(document);

	if (line ? !strstr(text, line) : strstr(text, "the fastest variant") != NULL)
		test_fail("no '%s' in:\n%s", text_or_empty(line), text);
}

TEST_ROWS(best, best_rows, "fastest: %s", row->name)
{
	static const char *const variants[] = {"naive", "tiled", "coarse"};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		const struct test_device *device = f ? &test_gpu_b : &test_gpu_a;
		struct result_document *file = test_device_file(&files, "x", device);
		for (size_t v = 0; v < 3; v++)
			test_row(file, device, variants[v], (f ? row->other : row->base)[v]);
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	check_best(&document, row->line);
}

/* A kernel of the user has its mark among the fastest. */
TEST(best_own, "a kernel of the user")
{
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		const struct test_device *device = f ? &test_gpu_b : &test_gpu_a;
		struct result_document *file = test_device_file(&files, "x", device);
		test_row(file, device, "naive", 1000);
		test_row(file, device, f ? "coarse" : "tiled", 500)->own_kernel = f == 0;
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	check_best(&document, ": base tiled=; new coarse\n");
}

/* The fastest rows do not solve the problem of the family at full precision. */
TEST(best_of_solutions, "fastest: solves the family's problem at full precision")
{
	static const struct {
		const char *family;
		const char *variants[3]; /* the first one is no solution */
		const char *line;
	} rows[] = {
		{"matmul", {"f16-wgmma", "best", "registers"},
			"  matmul  f32 n=64 cuda: base best; new registers\n"},
		{"transpose", {"copy", "tiled", "vector"},
			"  transpose  f32 n=64 cuda: base tiled; new vector\nclaims: "},
		{"instructions", {"add", "fma", "sin"}, NULL},
	};
	SCOPED_FILES files = {0};

	for (size_t f = 0; f < 2; f++) {
		const struct test_device *device = f ? &test_gpu_b : &test_gpu_a;
		struct result_document *file = test_device_file(&files, "x", device);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			for (size_t v = 0; v < 3; v++) {
				double ns = v ? 100 * (double)(f ? 4 - v : v + 1) : 100;
				struct result_row *row =
					test_row(file, device, rows[i].variants[v], ns);
				text_set(&row->family, rows[i].family);
				set_claim(row, CLAIM_HOLDS);
			}
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	for (size_t i = 0; i < 2; i++)
		check_best(&document, rows[i].line);
}

/* Rows of the second side that cannot be compared with the base. Each is the fastest row of its
 * side. It counts if it has the problem of the base. */
static const struct incomparable_row {
	const char *name;
	int64_t tile, n;
	const char *math;
	bool hot;
	const char *line;
} incomparable_rows[] = {
	{"a smaller tile", 8, 64, "default", false, ": base tiled; new naive\n"},
	{"hot samples", 16, 64, "default", true, ": base tiled; new naive\n"},
	{"another size", 16, 8, "default", false, ": base tiled; new coarse\n"},
	{"a smaller tile and another size", 8, 8, "default", false, ": base tiled; new coarse\n"},
	{"another math mode", 16, 64, "fast", false, ": base tiled; new coarse\n"},
};

TEST_ROWS(best_of_incomparable, incomparable_rows, "fastest of rows that are not comparable: %s",
	row->name)
{
	SCOPED_FILES files = {0};

	struct result_document *base = test_small_file(&files, "base", &test_gpu_a, 1000);
	test_row(base, &test_gpu_a, "naive", 2000);
	test_row(base, &test_gpu_a, "coarse", 3000);
	struct result_document *other = test_small_file(&files, "new", &test_gpu_b, 2000);
	struct result_row *naive = test_row(other, &test_gpu_b, "naive", 10);
	naive->macros.items[0].value = row->tile;
	test_row_size(naive, row->n);
	text_set(&naive->build.math, row->math);
	if (row->hot) {
		naive->timing.hot = naive->timing.cold;
		naive->timing.cold = (struct samples_record){0};
		naive->timing.primary = TIMING_HOT;
	}
	test_row(other, &test_gpu_b, "coarse", 1000);
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(test_compared_row(&document, "naive")->cells.items[1].verdict, VERDICT_NOCOMP);
	check_best(&document, row->line);
}

/* The base has no time. */
TEST(best_without_base, "a time of another problem, and none in the base")
{
	SCOPED_FILES files = {0};

	struct result_document *base = test_small_file(&files, "base", &test_gpu_a, 1000);
	test_row_end(test_row(base, &test_gpu_a, "naive", 0), OUTCOME_SKIPPED, "no tensor cores");
	struct result_document *other = test_small_file(&files, "new", &test_gpu_b, 2000);
	test_row_size(test_row(other, &test_gpu_b, "naive", 10), 8);
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(document.counts.items[0].nocomp, 1);
	check_best(&document, NULL);
}

/* ---- Many sides and rows --------------------------------------------------------------------- */

static const size_t side_counts[] = {3, 5};

TEST_ROWS(many_sides, side_counts, "%zu sides", *row)
{
	const size_t count = *row;
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < count; i++) {
		char key[32];
		snprintf(key, sizeof key, "uuid:%zu", i);
		const struct test_device device = {key, key + 5, NULL, key, "gpu", "cuda", "580"};
		struct result_document *file =
			test_small_file(&files, "x", &device, 1000 * (1 + (double)i));
		if (i == 1)
			test_row(file, &device, "only-second", 1000);
		if (i == 2)
			test_row_end(&file->results.items[0], OUTCOME_FAILED, "wrong result");
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	CHECK(EQUAL(document.sides.count, count), EQUAL(document.counts.count, count - 1));
	const struct comparison_row *compared = test_compared_row(&document, "tiled");
	EQUAL(compared->cells.count, count);
	for (size_t i = 1; i < count; i++) {
		EQUAL(compared->cells.items[i].verdict, i == 2 ? VERDICT_NOCOMP : VERDICT_SLOW);
		if (i != 2)
			test_near(compared->cells.items[i].ratio, 1 + (double)i, 1e-9);
	}
	compared = test_compared_row(&document, "only-second");
	EQUAL(compared->cells.items[1].verdict, VERDICT_MISSING);
	EQUAL(compared->cells.items[count - 1].verdict, WORD_NULL);
}

#define MANY 20000

/* Sweeps over many sizes: equal ones, other sizes, another math mode. */
static const struct many_row {
	const char *name, *by, *math;
	bool moves;          /* the new sizes are others */
	int64_t same, other; /* SAME; NOCOMP or MISSING: for each size */
} many_rows[] = {
	{"equal", NULL, "default", false, 1, 0},
	{"equal, by driver and run", "driver,run", "default", false, 1, 0},
	{"other sizes", NULL, "default", true, 0, 2},
	{"another math mode", NULL, "fast", false, 0, 2},
};

/* CPU time of a comparison of `count` sizes. */
static double seconds_of(const struct many_row *row, int64_t count)
{
	SCOPED_FILES files = {0};

	for (int f = 0; f < 2; f++) {
		struct result_document *file =
			test_device_file(&files, f ? "new" : "base", &test_gpu_a);
		for (int64_t i = 0; i < count; i++) {
			struct result_row *added = test_row(file, &test_gpu_a, "tiled", 1000);
			test_row_size(added, 1 + i + (f && row->moves ? count : 0));
			if (f)
				text_set(&added->build.math, row->math);
		}
	}
	clock_t start = clock();
	TEST_COMPARISON document = test_compare(&files, row->by);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	const struct verdict_counts_record *counts = &document.counts.items[0];
	EQUAL(document.rows.count, (row->same + row->other) * count);
	EQUAL(counts->same, row->same * count);
	EQUAL(counts->nocomp + counts->missing, row->other * count);
	EQUAL(counts->nocomp > 0, row->other > 0);
	return seconds;
}

/* The time is almost proportional to the rows: 8 times as many rows do not take 64 times as long. The bound
 * allows n log n, and an error by a factor of 2. */
TEST_ROWS(many, many_rows, "40 000 rows: %s", row->name)
{
	double few = seconds_of(row, MANY / 8), most = seconds_of(row, MANY);

	test_note("%.2f s, 8 times as many rows %.2f s", few, most);
	if (most > 20 * few)
		test_fail("8 times as many rows take %.1f times as long", most / few);
}
