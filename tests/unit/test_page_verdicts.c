/* Sections of the page with verdicts: parity, claims, and what has no time. */
#include "host/page/parity_chart.h"
#include "tests/support/made_page.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

/* ---- Parity ---------------------------------------------------------------------------------- */

/* A file with both backends of GPU A. */
static struct result_document *add_both(struct made_page *made)
{
	struct result_document *document = made_page_file(made, &test_gpu_a_opencl);

	test_file_device(document, &test_gpu_a);
	return document;
}

static struct parity_row *add_parity(struct result_document *document, const char *variant,
	const char *first, const char *second, double ratio, enum parity_verdict verdict)
{
	struct parity_row *parity = record_list_add(&parity_row_type, &document->parity);

	assert_non_null(parity);
	text_set(&parity->family, "matmul");
	text_set(&parity->variant, variant);
	text_set(&parity->device, test_gpu_a.key);
	assert_true(text_list_add(&parity->backends, first));
	assert_true(text_list_add(&parity->backends, second));
	parity->same_device = true;
	assert_true(named_list_add(&parity->problem, "n", 64));
	assert_true(named_list_add(&parity->macros, "TILE", 16));
	parity->verdict = (int)verdict;
	parity->ratio = parity->round_ratio = ratio;
	parity->ci95[0] = 0.9 * ratio;
	parity->ci95[1] = 1.1 * ratio;
	parity->tolerance = 0.01;
	parity->n = 20;
	return parity;
}

static struct parity_pairs make_pairs(struct made_page *made)
{
	struct parity_pairs pairs;

	made_page_join(made);
	assert_true(parity_pairs_make(&made->page, &pairs));
	return pairs;
}

static const struct ratio_row {
	const char *name, *first, *second;
	double ratio; /* of the file */
	enum parity_verdict verdict;
	double want; /* OpenCL / CUDA */
	enum verdict want_verdict;
} ratio_rows[] = {
	{"same", "opencl", "cuda", 1, PARITY_SAME, 1, VERDICT_SAME},
	{"slow", "opencl", "cuda", 1.25, PARITY_SLOW, 1.25, VERDICT_SLOW},
	{"the other order of backends", "cuda", "opencl", 1.25, PARITY_SLOW, 0.8, VERDICT_FAST},
	{"the other order, fast", "cuda", "opencl", 0.8, PARITY_FAST, 1.25, VERDICT_SLOW},
	{"ambiguous", "opencl", "cuda", 1.01, PARITY_AMBG, 1.01, VERDICT_AMBG},
};

static void parity_ratio(const void *context)
{
	const struct ratio_row *row = context;
	struct made_page made = {0};
	struct chart chart;
	struct result_document *document = add_both(&made);

	test_row(document, &test_gpu_a_opencl, "tiled", 1000);
	test_row(document, &test_gpu_a, "tiled", 1000);
	add_parity(document, "tiled", row->first, row->second, row->ratio, row->verdict);
	struct parity_pairs pairs = make_pairs(&made);
	assert_int_equal(pairs.count, 1);
	assert_int_equal(pairs.items[0].count, 1);
	const struct parity_pair *pair = &pairs.items[0].items[0];
	test_near(pair->ratio, row->want, 1e-12);
	assert_true(pair->ci95[0] < row->want && row->want < pair->ci95[1]);
	assert_int_equal(pair->verdict, row->want_verdict);
	assert_true(pair->in_turn);
	assert_true(parity_chart_families(&made.page, &pairs.items[0], &chart));
	assert_string_equal(chart.x.label, "time OpenCL / time CUDA");
	assert_true(chart.x.low < pair->ci95[0] && chart.x.high > pair->ci95[1]);
	test_near(chart.series[0].points[0].x, row->want, 1e-12);
	chart_finish(&chart);
	assert_true(parity_chart_differences(&made.page, &pairs.items[0], &chart));
	assert_int_equal(chart.row_count, row->want_verdict != VERDICT_SAME);
	chart_finish(&chart);
	parity_pairs_finish(&pairs);
	made_page_finish(&made);
}

/* Without parity rows the two sides are compared as `compare` compares them, in the order of the
 * file. */
static void parity_from_sides(const void *context)
{
	struct made_page made = {0};
	struct result_document *document = add_both(&made);

	(void)context;
	test_row(document, &test_gpu_a, "tiled", 1000);
	test_row(document, &test_gpu_a_opencl, "tiled", 1250);
	test_row(document, &test_gpu_a, "after", 1000);
	test_row(document, &test_gpu_a_opencl, "after", 1000);
	test_row(document, &test_gpu_a, "both", 1000);
	test_row(document, &test_gpu_a_opencl, "both", 1000);
	test_row(document, &test_gpu_a, "alone", 1000);
	add_parity(document, "both", "opencl", "cuda", 1.5, PARITY_SLOW);
	struct parity_pairs pairs = make_pairs(&made);
	assert_int_equal(pairs.items[0].count, 3);
	const struct parity_pair *in_turn = &pairs.items[0].items[0];
	assert_string_equal(in_turn->variant, "both");
	test_near(in_turn->ratio, 1.5, 1e-12);
	const struct parity_pair *compared = &pairs.items[0].items[1];
	assert_string_equal(compared->variant, "tiled");
	test_near(compared->ratio, 1.25, 1e-9);
	assert_int_equal(compared->verdict, VERDICT_SLOW);
	assert_false(compared->in_turn);
	assert_string_equal(pairs.items[0].items[2].variant, "after");
	parity_pairs_finish(&pairs);
	made_page_finish(&made);
}

static void parity_spoiled(const void *context)
{
	struct made_page made = {0};
	struct result_document *document = add_both(&made);

	(void)context;
	test_row(document, &test_gpu_a, "tiled", 0);
	test_row(document, &test_gpu_a_opencl, "tiled", 0);
	test_row(document, &test_gpu_a, "a", 1000);
	test_row(document, &test_gpu_a_opencl, "b", 1000);
	add_parity(document, "tiled", "opencl", "cuda", 0, PARITY_SLOW);
	add_parity(document, "tiled", "opencl", "cuda", NAN, PARITY_SAME);
	add_parity(document, "tiled", "opencl", "cuda", 1, PARITY_RESULTS_ONLY);
	add_parity(document, "tiled", "opencl", "none", 1, PARITY_SAME);
	add_parity(document, "tiled", "opencl", "cuda", 1, PARITY_SAME)->same_device = false;
	add_parity(document, "tiled", "opencl", "cuda", 1, PARITY_SAME)->verdict = WORD_UNKNOWN;
	struct parity_pairs pairs = make_pairs(&made);
	assert_int_equal(pairs.count, 0);
	parity_pairs_finish(&pairs);
	assert_string_equal(made_page_write(&made, section_parity), "");
	made_page_finish(&made);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

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

static void claim_texts(const void *context)
{
	struct made_page made = {0};
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	add_claim(document, "yes", CLAIM_HOLDS, 1.5);
	add_claim(document, "no", CLAIM_FAILS, 0.75);
	add_claim(document, "open", CLAIM_UNDECIDED, NAN);
	add_claim(document, "none", CLAIM_NOT_APPLICABLE, NAN);
	test_row_size(add_claim(document, "no", CLAIM_HOLDS, 2.5), 128);
	made_page_join(&made);
	const char *text = made_page_write(&made, section_claims);
	test_text_has(text, "&lt;tiled&gt; &gt;= 1.2 x naive");
	test_text_has(text, "<td>does not hold: 0.75</td>");
	test_text_has(text, "<td>does not hold: 0.75 [0.5, 1]</td>");
	test_text_has(text, "<td>holds: 1.5 [1.25, 1.75]</td>");
	test_text_has(text, "<td>undecided</td>");
	test_text_has(text, "<td>n/a</td>");
	test_text_has(text, "2.5 [2.25, 2.75]");
	test_text_has(text, ">1 claim holds on all devices with a verdict.");
	made_page_finish(&made);
}

static void claims_empty(const void *context)
{
	struct made_page made = {0};
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	test_row(document, &test_gpu_a, "tiled", 1000);
	add_claim(document, "none", CLAIM_NOT_APPLICABLE, 1.5);
	made_page_join(&made);
	assert_string_equal(made_page_write(&made, section_claims), "");
	made_page_finish(&made);
}

static void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		test_fail("'%s' is in: %s", part, text);
}

/* ---- Without a time -------------------------------------------------------------------------- */

static void skipped_texts(const void *context)
{
	struct made_page made = {0};
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	test_row(document, &test_gpu_a, "tiled", 1000);
	test_row_end(test_row(document, &test_gpu_a, "a", 0), OUTCOME_SKIPPED, "needs <half>");
	test_row_end(test_row(document, &test_gpu_a, "b", 0), OUTCOME_SKIPPED, "needs <half>");
	test_row_end(test_row(document, &test_gpu_a, "c", 0), OUTCOME_CRASHED, "SIGSEGV");
	test_row(document, &test_gpu_a, "d", 0);
	for (int n = 1; n <= 3; n++) {
		struct result_row *row = test_row(document, &test_gpu_a, "e", 0);
		test_row_size(row, n);
		test_row_end(row, OUTCOME_UNSUPPORTED, "too large");
		row = test_row(document, &test_gpu_a, "f", 0);
		test_row_size(row, n);
		test_row_end(row, OUTCOME_UNSUPPORTED, "too large");
	}
	made_page_join(&made);
	const char *text = made_page_write(&made, section_skipped);
	test_text_has(text, ": 1 timed, 1 checked, not timed, 6 unsupported, 2 skipped, 1 crashed");
	test_text_has(text, "<bdi>needs &lt;half&gt;</bdi></td><td class=\"number\">2</td>"
			    "<td>matmul/a, matmul/b</td>");
	test_text_has(text, "matmul/e (3 sizes), matmul/f (3 sizes)</td>");
	assert_lacks(text, "matmul/tiled");
	made_page_finish(&made);
}

/* A variant that one file skipped and another file timed has a time. */
static void skipped_once(const void *context)
{
	struct made_page made = {0};
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	test_row_end(test_row(document, &test_gpu_a, "tiled", 0), OUTCOME_CRASHED, "SIGSEGV");
	test_row(made_page_file(&made, &test_gpu_a), &test_gpu_a, "tiled", 1000);
	made_page_join(&made);
	assert_string_equal(made_page_write(&made, section_skipped), "");
	made_page_finish(&made);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof ratio_rows / sizeof *ratio_rows; i++)
		test_add(&list, parity_ratio, &ratio_rows[i], "parity: %s", ratio_rows[i].name);
	test_add(&list, parity_from_sides, NULL, "parity: from two sides");
	test_add(&list, parity_spoiled, NULL, "parity: rows without a ratio");
	test_add(&list, claim_texts, NULL, "claims: texts");
	test_add(&list, claims_empty, NULL, "claims: none applies");
	test_add(&list, skipped_texts, NULL, "without a time: texts");
	test_add(&list, skipped_once, NULL, "without a time: timed in another file");
	return test_run(&list, argc, argv);
}
