/* The page: its parts and its sides. */
#include "host/page/page.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

#include <time.h>

/* The text of a page without its script, which has only what is from the files. */
static char *made(struct test_files *files)
{
	const struct result_files input = {.items = files->items, .count = files->count};
	char *text;
	size_t length;

	test_ok(page_make(&input, &text, &length, &test_error));
	EQUAL(strlen(text), length);
	*strstr(text, "<script>") = '\0';
	return test_keep(text);
}

static void set_rate(struct result_row *row, double gflops)
{
	row->derived.record.present = true;
	row->derived.gflops = gflops;
}

/* A file of one row with a rate. */
static struct result_document *rated_file(struct test_files *files, const char *path,
	const struct test_device *device, double ns, double gflops)
{
	struct result_document *document = test_small_file(files, path, device, ns);

	set_rate(&document->results.items[0], gflops);
	return document;
}

/* compare refuses one side; the page shows it. */
TEST(one_side, "one side")
{
	SCOPED_FILES files = {0};

	rated_file(&files, "a.json", &test_gpu_a, 2500, 500);
	char *page = made(&files);
	HAS(page, "<!DOCTYPE html>", "GPU A, CUDA", "default-src 'none'; style-src 'sha256-",
		"; script-src 'sha256-", "2.50 µs ±",
		"<script type=\"application/json\" id=\"data\">{\"schema\":\"pmpp-page/1\"");
	LACKS(page, "as fast in");
}

/* Absurd figures in a file are null in the figures of the charts, or finite. */
TEST(absurd_figures, "absurd figures")
{
	static const double values[] = {1e308, 1e-308, 1e-300, 1e40, 1e-40};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		SCOPED_FILES files = {0};
		struct result_document *document =
			test_small_file(&files, "a.json", &test_gpu_a, 1000);
		struct result_row *bad = &document->results.items[0];
		struct roofs_record *roofs = &document->devices.items[0].views.items[0].roofs;
		roofs->record.present = true;
		roofs->copy_gbps = roofs->fma_gflops.f32 = values[i];
		set_rate(bad, 4);
		bad->timing.cold.median = values[i];
		bad->derived.floor.record.present = true;
		bad->derived.floor.ns = values[i];
		bad->work.record.present = true;
		bad->work.flops = bad->work.bytes_compulsory = values[i];
		char *page = made(&files);
		HAS(page, "id=\"data\">{");
		LACKS(page, "nan");
		LACKS(strstr(page, "id=\"data\">"), "e+");
	}
}

/* Two devices of one name, and two backends of one device. */
TEST(sides_have_names, "names of sides")
{
	static const struct test_device twin = {
		"uuid:cccccccc-0000", "cccccccc-0000", NULL, "GPU A", "gpu", "cuda", "580.1"};
	static const struct test_device other = {
		"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", NULL, "GPU A", "gpu", "opencl", "580.1"};
	SCOPED_FILES files = {0};

	rated_file(&files, "a.json", &test_gpu_a, 1000, 4);
	rated_file(&files, "b.json", &twin, 2000, 2);
	rated_file(&files, "c.json", &other, 1000, 4);
	char *page = made(&files);
	HAS(page, "<bdi>GPU A, CUDA</bdi>", "<bdi>GPU A, OpenCL</bdi>",
		"<bdi>GPU A #2, CUDA</bdi>");
	LACKS(page, "GPU A #2, OpenCL");
	HAS(page, "2.00x as fast in 1 other families");
}

/* Marks of flags are behind the times, and are explained below the table. */
TEST(flags_are_shown, "flags of samples")
{
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < 2; i++) {
		rated_file(&files, "a.json", i ? &test_gpu_b : &test_gpu_a, 1000, 4);
		char *page = made(&files);
		LACKS(page, "throttled:", "noisy:");
	}
	files.items[1].document.results.items[0].timing.flags = TIMING_THROTTLED | TIMING_NOISY;
	char *page = made(&files);
	HAS(page, "s!~ ± ", "s ± ",
		"<p class=\"note\">! throttled: ", "<p class=\"note\">~ noisy: ");
	LACKS(page, "unflushed");
	EQUAL(test_count(page, "s!~ ± "), 2); /* ladder, overview */
	struct roofs_record *roofs = &files.items[0].document.devices.items[0].views.items[0].roofs;
	roofs->record.present = true;
	roofs->copy_gbps = 100;
	roofs->flags = TIMING_THROTTLED;
	page = made(&files);
	HAS(page, "<th scope=\"col\" data-key=\"flags\">flags</th>",
		"<td><bdi>throttled</bdi></td>");
}

/* A device whose own name looks like a generated one. */
TEST(names_are_unique, "names that look like generated ones")
{
	static const char *const names[] = {"X", "X", "X #2", "X #2"};
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < 4; i++) {
		char uuid[] = "cccccccc-0000", key[] = "uuid:cccccccc-0000";
		uuid[0] = key[5] = (char)('a' + i);
		struct test_device device = {key, uuid, NULL, names[i], "gpu", "cuda", "580.1"};
		rated_file(&files, "a.json", &device, 1000, 4);
	}
	char *page = made(&files);
	HAS(page, "<title>Kernels: 4 devices</title>", "<bdi>X, CUDA</bdi>",
		"<bdi>X #2, CUDA</bdi>", "<bdi>X #2 #2, CUDA</bdi>", "<bdi>X #2 #3, CUDA</bdi>");
	/* No device has pairs of backends: the two named "X #2" are not one device. */
	LACKS(page, "OpenCL against CUDA");
}

/* Two machines whose devices have only a name. */
struct host_case {
	const char *name, *hosts[2], *cpus[2];
	bool same;
};

static const struct host_case host_cases[] = {
	{"two hosts", {"one", "two"}, {"cpu", "cpu"}, false},
	{"one host", {"one", "one"}, {"cpu", "cpu"}, true},
	{"no host, two CPUs", {NULL, NULL}, {"cpu", "other"}, false},
	{"no host, one CPU", {NULL, NULL}, {"cpu", "cpu"}, true},
};

TEST_ROWS(hosts_stay_apart, host_cases, "a device without identity: %s", row->name)
{
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < 2; i++) {
		struct result_document *document =
			rated_file(&files, "a.json", &test_cpu, i ? 90000 : 1000, 4);
		text_set(&document->run.host_id, row->hosts[i]);
		text_set(&document->host.cpu, row->cpus[i]);
	}
	char *page = made(&files);
	HAS(page, "<bdi>CPU, OpenCL</bdi>");
	for (size_t i = 0; i < 2; i++) {
		const char *const of_second[] = {"<bdi>CPU #2, OpenCL</bdi>", "90.0 µs ±"};
		EQUAL(strstr(page, of_second[i]) == NULL, row->same);
	}
}

/* Names that are equal where they are cut stay different, and no cut divides a character. */
TEST(long_names, "long names of devices")
{
	struct test_device devices[2] = {test_gpu_a, test_gpu_b};
	SCOPED_FILES files = {0};
	char names[2][800];

	for (size_t d = 0; d < 2; d++) {
		snprintf(names[d], sizeof names[d], "(R)x");
		for (size_t i = 0; i < 90; i++)
			strcat(names[d], "\u00e9(TM)");
		strcat(names[d], d ? "two" : "one");
		devices[d].name = names[d];
		test_small_file(&files, "a.json", &devices[d], 1000);
	}
	char *page = made(&files);
	HAS(page, "<bdi>x\u00e9", "\u00e9..., CUDA</bdi>", "\u00e9... #2, CUDA</bdi>");
	LACKS(page, "\\x", "one, CUDA");
}

/* Rows of other sizes are not joined: each device has its own chart. */
TEST(sizes_stay_apart, "sizes stay apart")
{
	SCOPED_FILES files = {0};

	rated_file(&files, "a.json", &test_gpu_a, 1000, 4);
	struct result_document *second = rated_file(&files, "b.json", &test_gpu_b, 3000, 2);
	test_row_size(&second->results.items[0], 128);
	char *page = made(&files);
	HAS(page, "<caption>matmul, f32 n=64<", "<caption>matmul, f32 n=128<");
	LACKS(page, "NOCOMP");
}

/* A row without a time is in the table, with its status. */
TEST(untimed_rows_are_listed, "rows without a time")
{
	SCOPED_FILES files = {0};
	struct result_document *document = rated_file(&files, "a.json", &test_gpu_a, 1000, 4);

	test_row_end(test_row(document, &test_gpu_a, "f16", 0), OUTCOME_LAUNCH_ERROR, "broken");
	char *page = made(&files);
	HAS(page, "<bdi>f16</bdi>", "launch error");
}

TEST(same_variant_twice, "a variant with two tiles")
{
	SCOPED_FILES files = {0};
	struct result_document *document = rated_file(&files, "a.json", &test_gpu_a, 1000, 4);
	struct result_row *row = test_row(document, &test_gpu_a, "tiled", 2000);

	row->macros.items[0].value = 32;
	set_rate(row, 2);
	char *page = made(&files);
	HAS(page, "<bdi>tiled TILE=16</bdi>", "<bdi>tiled TILE=32</bdi>");
}

/* What is different in the rows of a large page. */
enum large {
	LARGE_VARIANTS,
	LARGE_MACROS,
	LARGE_SIZES,
};

static const enum large large_cases[] = {LARGE_VARIANTS, LARGE_MACROS, LARGE_SIZES};
static const char *const large_names[] = {"variants", "macros", "sizes"};

/* Returns the processor time, in seconds, to make a page of one family with `count` rows. */
static double seconds_of(enum large different, int count)
{
	SCOPED_FILES files = {0};
	struct result_document *document = test_device_file(&files, "a.json", &test_gpu_a);
	char name[32];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof name, "v%d", different == LARGE_VARIANTS ? i : 0);
		struct result_row *row = test_row(document, &test_gpu_a, name, 1000);
		set_rate(row, 4);
		if (different == LARGE_MACROS)
			row->macros.items[0].value = i;
		if (different == LARGE_SIZES)
			test_row_size(row, i + 1);
	}
	clock_t start = clock();
	made(&files);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	return seconds;
}

/* The time of a page is almost proportional to its rows: 8 times as many rows do not take 64 times as
 * long. The bound allows n log n, and an error by a factor of 2. */
TEST_ROWS(large_pages, large_cases, "many %s", large_names[i])
{
	double few = seconds_of(*row, 1000), many = seconds_of(*row, 8000);

	if (many > 20 * few)
		test_fail("8 times as many %s: %.2f s instead of %.2f s", large_names[*row], many,
			few);
}
