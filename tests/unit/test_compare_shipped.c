/* Comparisons with shipped devices: what the text leaves out, and what the record keeps. */
#include "tests/support/result_files.h"
#include "tests/support/test.h"

static const struct test_device own_gpu = {
	"uuid:cccccccc-0000", "cccccccc-0000", NULL, "My GPU", "gpu", "cuda", "580.1"};

/* A row of a family with a size. n = 0: none. */
struct size_row {
	const char *family, *variant;
	int64_t n;
};

#define MAX_ROWS 5

static void add_file(struct test_files *files, const char *path, const struct test_device *device,
	const struct size_row *rows, bool shipped)
{
	struct result_document *document = test_file(files, path, "host", NULL);

	files->items[files->count - 1].shipped = shipped;
	test_file_device(document, device);
	for (size_t i = 0; i < MAX_ROWS && rows[i].n; i++) {
		struct result_row *row = test_row(document, device, rows[i].variant, 1000);
		text_set(&row->family, rows[i].family);
		test_row_size(row, rows[i].n);
	}
}

#define MAX_PARTS 4

static const struct shipped_row {
	const char *name;
	struct size_row own[MAX_ROWS], second[MAX_ROWS]; /* files that are not shipped */
	struct size_row a[MAX_ROWS], b[MAX_ROWS];        /* shipped devices; b: optional */
	size_t record_rows;
	const char *has[MAX_PARTS], *lacks[MAX_PARTS];
} shipped_rows[] = {
	{"the same rows", {{"matmul", "x", 64}}, {{0}}, {{"matmul", "x", 64}}, {{0}}, 1,
		{"matmul  f32 n=64 cuda\n"}, {"left out", "not compared"}},
	{"a family and a variant of the shipped device only", {{"matmul", "x", 64}}, {{0}},
		{{"matmul", "x", 64}, {"matmul", "y", 64}, {"reduce", "z", 64},
			{"reduce", "w", 64}},
		{{0}}, 4,
		{"\nleft out: 3 rows that only shipped devices have; --json writes all rows\n",
			"\nx "},
		{"\ny ", "reduce", "not compared"}},
	{"a row of the shipped devices only", {{"matmul", "x", 64}}, {{0}},
		{{"matmul", "x", 64}, {"matmul", "y", 64}}, {{0}}, 2,
		{"\nleft out: 1 row that only shipped devices have; --json"}, {"\ny ", "family"}},
	{"another size", {{"matmul", "x", 64}, {"matmul", "y", 64}}, {{0}},
		{{"matmul", "x", 128}, {"matmul", "y", 128}}, {{0}}, 4,
		{"\nnot compared, because the shipped devices have other sizes: 2 rows of matmul; to "
		 "compare, run `pmpp-run matmul --like=a --json=FILE`\n",
			"\nleft out: 2 rows that only shipped", "4 NOCOMP"},
		{"problem: n=64", "variant "}},
	{"another size, and a variant of the user only",
		{{"matmul", "x", 64}, {"matmul", "cpu", 64}}, {{0}}, {{"matmul", "x", 128}}, {{0}},
		3,
		{" sizes: 1 row of matmul; to compare, run `pmpp-run matmul --like=a ",
			"1 MISSING"},
		{"variant "}},
	{"a sweep, with the size of the shipped device",
		{{"matmul", "x", 64}, {"matmul", "x", 128}, {"matmul", "x", 256}}, {{0}},
		{{"matmul", "x", 128}}, {{0}}, 3,
		{"matmul  f32 n=128 cuda\n", " sizes: 2 rows of matmul\n"}, {"n=64", "n=256"}},
	{"a variant of the user only, at the size of the shipped device", {{"matmul", "x", 64}},
		{{0}}, {{"matmul", "y", 64}}, {{0}}, 2,
		{"matmul  f32 n=64 cuda\n", "MISSING", "left out: 1 row"}, {"not compared"}},
	{"a family that the shipped device lacks", {{"matmul", "x", 64}, {"reduce", "x", 64}},
		{{0}}, {{"matmul", "x", 64}}, {{0}}, 2, {"reduce  f32 n=64 cuda\n", "MISSING"},
		{"not compared", "left out"}},
	{"two devices with different sizes", {{"matmul", "x", 64}}, {{0}}, {{"matmul", "x", 128}},
		{{"matmul", "x", 256}}, 3,
		{" 1 row of matmul; to compare, run `pmpp-run matmul --like=a --json=FILE` (B) or "
		 "`pmpp-run matmul --like=b --json=FILE` (C)\n"},
		{"variant "}},
	{"two devices with the same size", {{"matmul", "x", 64}}, {{0}}, {{"matmul", "x", 128}},
		{{"matmul", "x", 128}}, 2,
		{" --like=a --json=FILE` (B) or `pmpp-run matmul --like=b --json=FILE` (C)\n"},
		{"variant "}},
	{"one of two devices has the size", {{"matmul", "x", 64}}, {{0}}, {{"matmul", "x", 64}},
		{{"matmul", "x", 128}}, 2, {"matmul  f32 n=64 cuda\n"},
		{"problem: n=64", "to compare"}},
	{"two files of the user", {{"matmul", "x", 64}}, {{"matmul", "x", 64}},
		{{"matmul", "x", 128}}, {{0}}, 2,
		{"matmul  f32 n=64 cuda\n", "run `pmpp-run matmul --like=a --json=FILE` (C)\n"},
		{"problem: n=64"}},
};

TEST_ROWS(shipped, shipped_rows, "%s", row->name)
{
	static const struct test_device second = {
		"uuid:dddddddd-0000", "dddddddd-0000", NULL, "Second GPU", "gpu", "cuda", "580.1"};
	SCOPED_FILES files = {0};

	add_file(&files, "mine.json", &own_gpu, row->own, false);
	if (row->second[0].n)
		add_file(&files, "second.json", &second, row->second, false);
	add_file(&files, "a.json", &test_gpu_a, row->a, true);
	if (row->b[0].n)
		add_file(&files, "b.json", &test_gpu_b, row->b, true);
	TEST_COMPARISON document = test_compare(&files, "device");
	EQUAL(document.rows.count, row->record_rows);
	char *text = test_compared_text(&document);
	for (size_t i = 0; i < MAX_PARTS; i++) {
		if (row->has[i] && !strstr(text, row->has[i]))
			test_fail("no '%s' in:\n%s", row->has[i], text);
		if (row->lacks[i] && strstr(text, row->lacks[i]))
			test_fail("'%s' in:\n%s", row->lacks[i], text);
	}
}

/* Nothing is left out if all files are shipped, or none. */
TEST(of_one_kind, "all files are shipped, or none")
{
	static const struct size_row one[MAX_ROWS] = {{"matmul", "x", 64}};
	static const struct size_row two[MAX_ROWS] = {{"matmul", "x", 128}, {"reduce", "y", 64}};

	for (int all = 0; all < 2; all++) {
		SCOPED_FILES files = {0};
		add_file(&files, "a.json", &test_gpu_a, one, all);
		add_file(&files, "b.json", &test_gpu_b, two, all);
		TEST_COMPARISON document = test_compare(&files, "device");
		char *text = test_compared_text(&document);
		CHECK(HAS(text, "problem: n=64 / n=128"), HAS(text, "reduce  f32 n=64 cuda\n"),
			LACKS(text, "left out"), EQUAL(document.sides.items[1].shipped, all));
	}
}

static void fast_math(struct result_row *row)
{
	text_set(&row->build.math, "fast");
}

static void small_tile(struct result_row *row)
{
	row->macros.items[0].value = 8;
}

static void half_precision(struct result_row *row)
{
	text_set(&row->dtype, "f16");
}

/* A row that differs in more than its size, or not in its size, is shown with the reason. */
static const struct unlike_row {
	const char *name;
	int64_t n;
	void (*change)(struct result_row *row);
	const char *reason;
} unlike_rows[] = {
	{"another size and another math mode", 128, fast_math, "math: default / fast"},
	{"other macros", 64, small_tile, "macros: TILE=16 / TILE=8"},
	{"another type", 64, half_precision, "dtype: f32 / f16"},
};

TEST_ROWS(unlike, unlike_rows, "%s", row->name)
{
	const struct size_row one[MAX_ROWS] = {{"matmul", "x", 64}};
	const struct size_row two[MAX_ROWS] = {{"matmul", "x", row->n}};
	SCOPED_FILES files = {0};

	add_file(&files, "a.json", &test_gpu_a, one, false);
	add_file(&files, "b.json", &test_gpu_b, two, true);
	row->change(&files.items[1].document.results.items[0]);
	TEST_COMPARISON document = test_compare(&files, "device");
	EQUAL(document.rows.items[0].cells.items[1].verdict, VERDICT_NOCOMP);
	char *text = test_compared_text(&document);
	if (!strstr(text, row->reason) || strstr(text, "other sizes"))
		test_fail("no '%s', or a hint about sizes, in:\n%s", row->reason, text);
}
