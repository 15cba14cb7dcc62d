/* The rank of a device among other devices. */
#include "host/contribute/contribute.h"
#include "host/report/standing_text.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct test_device test_gpu_c = {
	"uuid:cccccccc-0000", "cccccccc-0000", NULL, "GPU C", "gpu", "opencl", "1"};

static char *text_of_files(struct test_files *files)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct standings standings = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 1; i < files->count; i++)
		files->items[i].name = files->items[i].path;
	test_ok(standings_make(&files->items[0].document, &files->items[1], files->count - 1,
			&standings, &error),
		&error);
	standing_text_put(out, &standings);
	fclose(out);
	standings_finish(&standings);
	return text;
}

static void expect_text(struct test_files *files, const char *want)
{
	char *text = text_of_files(files);

	if (*want)
		assert_non_null(strstr(text, want));
	else
		assert_string_equal(text, "");
	free(text);
	test_files_finish(files);
}

/* The variants naive and tiled of a device; ns <= 0: not timed. */
static struct result_document *add_file(struct test_files *files, const char *name,
	const struct test_device *device, double naive, double tiled)
{
	struct result_document *document = test_file(files, name, "host-one", NULL);

	test_file_device(document, device);
	test_row(document, device, "naive", naive);
	test_row(document, device, "tiled", tiled);
	return document;
}

#define TITLE "among the devices that ship with pmpp (fastest variant; docs/comparing.md):\n"

static void places(const void *context)
{
	static const struct {
		double own;
		const char *text;
	} cases[] = {
		{500, "1st of 3: this device tiled 500 ns, b naive 1.00 µs, c tiled 2.00 µs\n"},
		{1500, "2nd of 3: b naive 1.00 µs, this device tiled 1.50 µs, c tiled 2.00 µs\n"},
		{2500, "3rd of 3: b naive 1.00 µs, c tiled 2.00 µs, this device tiled 2.50 µs\n"},
	};

	(void)context;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test_files files = {0};
		char want[300];
		add_file(&files, "own", &test_gpu_a, 9000, cases[i].own);
		add_file(&files, "b", &test_gpu_b, 1000, 3000);
		add_file(&files, "c", &test_gpu_c, 2500, 2000);
		snprintf(want, sizeof want, TITLE "    matmul  n=64  %s", cases[i].text);
		char *text = text_of_files(&files);
		assert_string_equal(text, want);
		free(text);
		test_files_finish(&files);
	}
}

typedef void change_fn(struct result_document *document);

static void other_size(struct result_document *document)
{
	test_row_size(&document->results.items[0], 65);
}

static void other_type(struct result_document *document)
{
	text_set(&document->results.items[0].dtype, "f16");
}

static void other_operation(struct result_document *document)
{
	text_set(&document->results.items[0].op, "max");
}

static void other_data(struct result_document *document)
{
	text_set(&document->results.items[0].data, "tame");
}

static void other_math(struct result_document *document)
{
	text_set(&document->results.items[0].build.math, "fast");
}

static void other_contract(struct result_document *document)
{
	text_set(&document->results.items[0].timing.contract, "pmpp-timing/1");
}

static void other_variant(struct result_document *document)
{
	text_set(&document->results.items[0].variant, "not run here");
}

/* Rounds its inputs to f16. The device itself also has the variant. */
static void less_precise(struct result_document *document)
{
	text_set(&document->results.items[0].variant, "f16-mma");
}

static void failed(struct result_document *document)
{
	document->results.items[0].status = OUTCOME_FAILED;
}

static void own_kernel(struct result_document *document)
{
	document->results.items[0].own_kernel = true;
}

static const struct left_out {
	const char *name;
	change_fn *change;
} left_out_rows[] = {
	{"size", other_size},
	{"type", other_type},
	{"operation", other_operation},
	{"data", other_data},
	{"math", other_math},
	{"contract", other_contract},
	{"variant", other_variant},
	{"failed row", failed},
	{"kernel of the user", own_kernel},
	{"precision", less_precise},
};

/* The first row, the fastest, does not count. */
static void left_out(const void *context)
{
	const struct left_out *row = context;
	struct test_files files = {0};

	add_file(&files, "own", &test_gpu_a, 9000, 2000);
	struct result_document *own = &files.items[0].document;
	if (row->change == less_precise)
		text_set(&own->results.items[0].variant, "f16-mma");
	row->change(add_file(&files, "b", &test_gpu_b, 1000, 3000));
	expect_text(&files, "1st of 2: this device tiled 2.00 µs, b tiled 3.00 µs\n");
}

static void none(const void *context)
{
	struct test_files files = {0};

	(void)context;
	/* The rows of the family have different answers. */
	for (size_t i = 0; i < 2; i++) {
		const struct test_device *device = i ? &test_gpu_b : &test_gpu_a;
		struct result_document *document = add_file(&files, "x", device, 9000, 2000);
		for (size_t r = 0; r < 2; r++) {
			text_set(&document->results.items[r].family, "instructions");
			text_set(&document->results.items[r].variant, r ? "fma" : "sin");
		}
	}
	expect_text(&files, "");
	add_file(&files, "own", &test_gpu_a, 9000, 2000);
	expect_text(&files, "");
	/* The device itself. */
	add_file(&files, "own", &test_gpu_a, 9000, 2000);
	add_file(&files, "a", &test_gpu_a, 1000, 2000);
	expect_text(&files, "");
	/* Not timed here. */
	add_file(&files, "own", &test_gpu_a, 0, 0);
	add_file(&files, "b", &test_gpu_b, 1000, 2000);
	expect_text(&files, "");
	/* Several devices. */
	struct result_document *both = add_file(&files, "own", &test_gpu_a, 9000, 2000);
	test_file_device(both, &test_gpu_c);
	test_row(both, &test_gpu_c, "tiled", 1000);
	add_file(&files, "b", &test_gpu_b, 1000, 2000);
	expect_text(&files, "");
}

/* A variant that was skipped here counts on other devices: it is part of the ladder. */
static void skipped_here(const void *context)
{
	struct test_files files = {0};
	struct result_document *own = add_file(&files, "own", &test_gpu_a, 9000, 2000);

	(void)context;
	test_row_end(&own->results.items[1], OUTCOME_SKIPPED, "needs f16");
	add_file(&files, "b", &test_gpu_b, 0, 3000);
	expect_text(&files, "2nd of 2: b tiled 3.00 µs, this device naive 9.00 µs\n");
}

/* With many devices, a line shows the first three, this device and its neighbours. */
static void many(const void *context)
{
	static struct test_device devices[9];
	static const char *const names[9] = {"d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9"};
	struct test_files files = {0};

	(void)context;
	add_file(&files, "own", &test_gpu_a, 9000, 6500);
	for (size_t i = 0; i < 9; i++) {
		devices[i] =
			(struct test_device){names[i], names[i], NULL, "GPU", "gpu", "cuda", "1"};
		add_file(&files, names[i], &devices[i], 9000, 1000 * (double)(i + 1));
	}
	expect_text(&files,
		"7th of 10: d1 tiled 1.00 µs, d2 tiled 2.00 µs, d3 tiled 3.00 µs, ..., d6 tiled "
		"6.00 µs, this device tiled 6.50 µs, d7 tiled 7.00 µs, ...\n");
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, places, NULL, "places");
	for (size_t i = 0; i < sizeof left_out_rows / sizeof *left_out_rows; i++)
		test_add(&list, left_out, &left_out_rows[i], "left out: another %s",
			left_out_rows[i].name);
	test_add(&list, none, NULL, "nothing to compare with");
	test_add(&list, skipped_here, NULL, "a variant that is skipped here");
	test_add(&list, many, NULL, "many devices");
	return test_run(&list, argc, argv);
}
