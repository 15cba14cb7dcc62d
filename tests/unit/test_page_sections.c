/* The sections of a page and their figures: overview, rooflines, parity, sweeps, claims, skipped. */
#include "host/page/page.h"
#include "tests/support/result_example.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

static const struct test_device gpu_a_opencl = {
	"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", "0000:3b:00.0", "GPU A", "gpu", "opencl", "580.1"};

/* ---- Pages ----------------------------------------------------------------------------------- */

static struct result_document *add_file(struct test_files *files, const struct test_device *device)
{
	return test_device_file(files, "a.json", device);
}

/* Makes the page and frees the files. */
static char *page_of(struct test_files *files)
{
	const struct result_files input = {.items = files->items, .count = files->count};
	char *text;
	size_t length;

	test_ok(page_make(&input, &text, &length, &test_error));
	test_files_finish(files);
	return test_keep(text);
}

static void set_work(struct result_row *row, double flops, double bytes)
{
	row->work.record.present = true;
	row->work.flops = flops;
	row->work.bytes_compulsory = bytes;
	row->work.operations = OPERATIONS_F32;
}

/* A row whose floor is half of its time. */
static struct result_row *add_variant(struct result_document *document,
	const struct test_device *device, const char *variant, double ns)
{
	struct result_row *row = test_row(document, device, variant, ns);

	set_work(row, 2e6, 1e6);
	row->derived.record.present = row->derived.floor.record.present = true;
	row->derived.limited_by = LIMITED_BY_MEMORY;
	row->derived.floor.resource = FLOOR_MEMORY;
	row->derived.floor.ns = ns / 2;
	row->derived.gflops = 2e6 / ns;
	return row;
}

/* ---- Overview -------------------------------------------------------------------------------- */

struct overview_case {
	const char *name, *variant; /* the second row of the first device */
	double ns;                  /* its time; the first row takes 1000 ns */
	int64_t size;               /* of the second device */
	const char *want, *fastest;
};

static const struct overview_case overview_cases[] = {
	{"slower", "other", 2000, 64, "3.00x as fast in 1 memory-bound families", ">matmul/tiled<"},
	{"faster", "other", 500, 64, "6.00x as fast in 1 memory-bound families", ">matmul/other<"},
	{"does not solve the family", "f16-mma", 500, 64,
		"3.00x as fast in 1 memory-bound families", ">matmul/tiled<"},
	{"another size", "other", 2000, 128, "the fastest variant is limited by memory in 1 of 1",
		">matmul/tiled<"},
};

TEST_ROWS(overview, overview_cases, "overview: %s", row->name)
{
	struct test_files files = {0};
	struct result_document *document = add_file(&files, &test_gpu_a);

	add_variant(document, &test_gpu_a, "tiled", 1000);
	add_variant(document, &test_gpu_a, row->variant, row->ns);
	test_row_size(
		add_variant(add_file(&files, &test_gpu_b), &test_gpu_b, "tiled", 3000), row->size);
	char *text = page_of(&files);
	HAS(text, row->want);
	HAS(text, row->fastest);
	HAS(text, row->size == 64 ? "data-draw=\"overview\""
				  : "data-draw=\"limits\" data-device=\"0\"></figure>\n"
				    "<figure class=\"chart\" data-draw=\"limits\" "
				    "data-device=\"1\">");
}

/* The section names the device, even if no row solves the problem of its family. */
TEST(no_answer, "overview: no row solves its problem")
{
	struct test_files files = {0};

	add_variant(add_file(&files, &test_gpu_a), &test_gpu_a, "f16-mma", 1000);
	char *text = page_of(&files);
	HAS(text, "<li>GPU A: no timed variant solves the problem of its family.");
}

/* ---- Rooflines ------------------------------------------------------------------------------- */

struct roofline_case {
	const char *name;
	double copy, f32, flops, floor;
	const char *want;
};

static const struct roofline_case roofline_cases[] = {
	{"all is known", 1000, 8000, 2e6, 500, "\"roofs\":{\"copy\":1000,\"f32\":8000}"},
	{"no roofs", NAN, NAN, 2e6, 500, "\"roofs\":{}"},
	{"roofs of 0", 0, -1, 2e6, 500, "\"roofs\":{}"},
	{"no operations", 1000, 8000, 0, 500, ",0,1000000,\"f32\",\"memory\",0.5,"},
	{"no floor", 1000, 8000, 2e6, NAN, "\"f32\",\"memory\",null,"},
	{"neither operations nor floor", 1000, 8000, 0, 0, ",0,1000000,\"f32\",\"memory\",null,"},
};

TEST_ROWS(roofline, roofline_cases, "roofline: %s", row->name)
{
	struct test_files files = {0};
	struct result_document *document = add_file(&files, &test_gpu_a);
	struct roofs_record *roofs = &document->devices.items[0].roofs;
	struct result_row *variant = add_variant(document, &test_gpu_a, "tiled", 1000);

	roofs->record.present = true;
	roofs->copy_gbps = row->copy;
	roofs->fma_gflops.f32 = row->f32;
	variant->work.flops = row->flops;
	variant->derived.floor.ns = row->floor;
	char *text = page_of(&files);
	HAS(text, row->want);
}

/* ---- Parity ---------------------------------------------------------------------------------- */

static struct parity_row *add_parity(struct result_document *document, const char *variant,
	const char *first, const char *second, double ratio, enum parity_verdict verdict)
{
	struct parity_row *parity = record_list_add(&parity_row_type, &document->parity);

	SOME(parity);
	text_set(&parity->family, "matmul");
	text_set(&parity->variant, variant);
	text_set(&parity->device, test_gpu_a.key);
	IS(text_list_add(&parity->backends, first));
	IS(text_list_add(&parity->backends, second));
	parity->same_device = true;
	IS(named_list_add(&parity->problem, "n", 64));
	IS(named_list_add(&parity->macros, "TILE", 16));
	parity->verdict = (int)verdict;
	parity->ratio = parity->round_ratio = ratio;
	parity->ci95[0] = 0.9 * ratio;
	parity->ci95[1] = 1.1 * ratio;
	parity->tolerance = 0.01;
	parity->n = 20;
	return parity;
}

/* A file with both backends of GPU A, and rows of the variants. */
static struct result_document *add_both(
	struct test_files *files, const char *const *variants, double opencl_ns)
{
	struct result_document *document = add_file(files, &gpu_a_opencl);

	test_file_device(document, &test_gpu_a);
	for (; *variants; variants++) {
		test_row(document, &gpu_a_opencl, *variants, opencl_ns);
		test_row(document, &test_gpu_a, *variants, 1000);
	}
	return document;
}

struct ratio_case {
	const char *name, *first, *second;
	double ratio; /* of the file */
	enum parity_verdict verdict;
	const char *want, *cells;
};

#define PAIR "\"parity\":[[0,1," /* the rows of OpenCL and CUDA */
static const struct ratio_case ratio_cases[] = {
	{"same", "opencl", "cuda", 1, PARITY_SAME, PAIR "1,0.9,1.1,0.01,\"SAME\"", ">1.000</td>"},
	{"slow", "opencl", "cuda", 1.25, PARITY_SLOW, PAIR "1.25,1.125,1.375,0.01,\"SLOW\"",
		">1.250</td>"},
	{"ambiguous", "opencl", "cuda", 1.01, PARITY_AMBG, PAIR "1.01,0.909,1.111,0.01,\"AMBG\"",
		">1.010</td>"},
};

TEST_ROWS(ratio, ratio_cases, "parity: %s", row->name)
{
	static const char *const variants[] = {"tiled", NULL};
	struct test_files files = {0};

	add_parity(add_both(&files, variants, 1000), "tiled", row->first, row->second, row->ratio,
		row->verdict);
	char *text = page_of(&files);
	HAS(text, row->want);
	HAS(text, row->cells);
	HAS(text, "<bdi>in turn</bdi></td>", "<li>OpenCL against CUDA on GPU A: ");
}

/* Without parity rows the times of the two sides are divided. */
TEST(two_sides, "parity: from two sides")
{
	static const char *const variants[] = {"tiled", "both", NULL};
	struct test_files files = {0};

	struct result_document *document = add_both(&files, variants, 1250);
	test_row(document, &test_gpu_a, "alone", 1000);
	add_parity(document, "both", "opencl", "cuda", 1.5, PARITY_SLOW);
	char *text = page_of(&files);
	HAS(text, PAIR "1.25,");
	HAS(text, "\"SLOW\",\"unknown\"", "],[2,3,1.5,",
		"0 of 2 variants are SAME, 2 SLOW; 0 of 2 are within 5 %.",
		"<bdi>in separate runs</bdi></td>");
	LACKS(text,
		"<bdi>matmul/alone</bdi></th><td><bdi>f32 n=64</bdi></td><td class=\"number\" data");
}

TEST(spoiled_parity, "parity: rows without a ratio")
{
	static const char *const variants[] = {NULL};
	struct test_files files = {0};

	struct result_document *document = add_both(&files, variants, 0);
	test_row(document, &test_gpu_a, "a", 1000);
	test_row(document, &gpu_a_opencl, "b", 1000);
	add_parity(document, "tiled", "opencl", "cuda", 0, PARITY_SLOW);
	add_parity(document, "tiled", "opencl", "cuda", NAN, PARITY_SAME);
	add_parity(document, "tiled", "opencl", "cuda", 1, PARITY_RESULTS_ONLY);
	add_parity(document, "tiled", "opencl", "none", 1, PARITY_SAME);
	add_parity(document, "tiled", "opencl", "cuda", 1, PARITY_SAME)->same_device = false;
	add_parity(document, "tiled", "opencl", "cuda", 1, PARITY_SAME)->verdict = WORD_UNKNOWN;
	char *text = page_of(&files);
	LACKS(text, "id=\"parity\"");
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

static const int64_t sweep_sizes[] = {2, 3};

TEST_ROWS(sweep, sweep_sizes, "sweep: %d sizes", (int)*row)
{
	int64_t sizes = *row;
	struct test_files files = {0};
	struct result_document *document = add_file(&files, &test_gpu_a);

	document->devices.items[0].limits.record.present = true;
	document->devices.items[0].limits.cache_bytes = 2000000;
	for (int64_t n = 1; n <= sizes; n++) {
		struct result_row *result = test_row(document, &test_gpu_a, "tiled", 1000);
		test_row_size(result, n);
		set_work(result, 10e6 * (double)n, 1e6 * (double)n);
		test_row_size(test_row(document, &test_gpu_a, "untimed", 0), n);
	}
	char *text = page_of(&files);
	EQUAL(strstr(text, "data-draw=\"sweep\" data-family=\"0\" data-side=\"0\"") != NULL,
		sizes >= 3);
	HAS(text, "\"cache\":2000000}");
}

/* ---- Claims and rows without a time ---------------------------------------------------------- */

static struct result_row *add_claim(struct result_document *document, const char *variant,
	enum claim_verdict verdict, double observed)
{
	struct result_row *row = test_row(document, &test_gpu_a, variant, 1000);

	row->claim.record.present = true;
	text_set(&row->claim.text, "<tiled> >= 1.2 x naive");
	row->claim.verdict = (int)verdict;
	row->claim.observed = observed;
	row->claim.ci95[0] = observed - 0.25;
	row->claim.ci95[1] = observed + 0.25;
	return row;
}

/* The section, and what follows it. */
static const char *claims_of(const char *text)
{
	const char *section = strstr(text, "<section id=\"claims\"");

	return section ? section : "";
}

TEST(claims, "claims: texts")
{
	struct test_files files = {0};
	struct result_document *document = add_file(&files, &test_gpu_a);

	add_claim(document, "yes", CLAIM_HOLDS, 1.5);
	add_claim(document, "no", CLAIM_FAILS, 0.75);
	add_claim(document, "open", CLAIM_UNDECIDED, NAN);
	add_claim(document, "none", CLAIM_NOT_APPLICABLE, NAN);
	test_row_size(add_claim(document, "no", CLAIM_HOLDS, 2.5), 128);
	char *text = page_of(&files);
	HAS(text, "<td><bdi>&lt;tiled&gt; &gt;= 1.2 x naive: holds, 1.5 [1.25, 1.75]</bdi></td>",
		"2.5 [2.25, 2.75]");
	HAS(claims_of(text),
		"<bdi>&lt;tiled&gt; &gt;= 1.2 x naive: does not hold, 0.75 [0.5, 1]</bdi></td>");
	HAS(claims_of(text), ": undecided</bdi></td>", "1 hold, 1 do not hold, 1 undecided");
	LACKS(claims_of(text), ": holds");
}

TEST(no_claims, "claims: none applies")
{
	struct test_files files = {0};
	struct result_document *document = add_file(&files, &test_gpu_a);

	test_row(document, &test_gpu_a, "tiled", 1000);
	add_claim(document, "none", CLAIM_NOT_APPLICABLE, 1.5);
	char *text = page_of(&files);
	LACKS(text, "id=\"claims\"");
}

#define NO_TIME(variant)                                                                           \
	"<bdi>matmul/" variant "</bdi></th><td><bdi>GPU A, CUDA</bdi></td><td><bdi>f32 n=64</bdi>" \
	"</td><td class=\"number\">"
TEST(skipped, "without a time: texts")
{
	struct test_files files = {0};
	struct result_document *document = add_file(&files, &test_gpu_a);

	test_row(document, &test_gpu_a, "tiled", 1000);
	test_row_end(test_row(document, &test_gpu_a, "a", 0), OUTCOME_SKIPPED, "needs <half>");
	test_row_end(test_row(document, &test_gpu_a, "b", 0), OUTCOME_SKIPPED, "needs <half>");
	test_row_end(test_row(document, &test_gpu_a, "c", 0), OUTCOME_CRASHED, "SIGSEGV");
	test_row(document, &test_gpu_a, "d", 0);
	for (int n = 1; n <= 3; n++) {
		struct result_row *row = test_row(document, &test_gpu_a, "e", 0);
		test_row_size(row, n);
		test_row_end(row, OUTCOME_UNSUPPORTED, "too large");
	}
	char *text = page_of(&files);
	HAS(text, "7 of 8 rows have no time.");
	HAS(text, NO_TIME("a") "<bdi>skipped</bdi></td><td><bdi>needs &lt;half&gt;</bdi></td>");
	HAS(text, NO_TIME("b") "<bdi>skipped</bdi></td><td><bdi>needs &lt;half&gt;</bdi></td>");
	HAS(text, NO_TIME("c") "<bdi>crashed</bdi></td><td><bdi>SIGSEGV</bdi></td>");
	HAS(text, NO_TIME("d") "<bdi>not timed</bdi></td><td>");
	HAS(text, "<bdi>f32 n=3</bdi></td><td class=\"number\"><bdi>unsupported</bdi></td>"
		  "<td><bdi>too large</bdi></td>");
}

/* A variant that one file skipped and another file timed has a time. */
TEST(skipped_once, "without a time: timed in another file")
{
	struct test_files files = {0};

	test_row_end(test_row(add_file(&files, &test_gpu_a), &test_gpu_a, "tiled", 0),
		OUTCOME_SKIPPED, "too large");
	test_row(add_file(&files, &test_gpu_a), &test_gpu_a, "tiled", 1000);
	char *text = page_of(&files);
	LACKS(text, "id=\"skipped\"");
}

/* Nothing is timed: only the table of the ladder and the reasons. */
TEST(only_untimed, "nothing is timed")
{
	struct test_files files = {0};

	test_row_end(test_row(add_file(&files, &test_gpu_a), &test_gpu_a, "a", 0), OUTCOME_SKIPPED,
		NULL);
	char *text = page_of(&files);
	LACKS(text, "class=\"chart\"");
	HAS(text, "id=\"skipped\"", "<caption>matmul");
}

/* ---- Main problems --------------------------------------------------------------------------- */

/* The charts show the problem with the ladders of most sides, and f16 only if there is no other. */
TEST(main_problem, "the problem of the charts")
{
	static const struct test_device *const devices[] = {
		&test_gpu_a, &test_gpu_b, &gpu_a_opencl};
	struct test_files files = {0};

	for (size_t i = 0; i < 3; i++) {
		struct result_document *document = add_file(&files, devices[i]);
		text_set(&add_variant(document, devices[i], "tiled", 1000)->dtype, "f16");
		if (i > 0)
			add_variant(document, devices[i], "tiled", 2000);
	}
	char *text = page_of(&files);
	HAS(text, "<caption>matmul, f32 n=64");
	HAS(text, "<caption>matmul, f16 n=64"); /* of the side without f32 */
	HAS(text, "<caption>matmul at other sizes");
}

/* A real file of one CPU. */
TEST(real_file, "a real file")
{
	struct test_files files = {.count = 1};

	files.items[0].path = "matmul.json";
	result_example(&files.items[0].document);
	char *text = page_of(&files);
	HAS(text, "id=\"ladders\"");
	LACKS(text, "id=\"parity\"");
}
