/* The summary of `parity`: counts, rows without times, and the builds of the worst rows. */
#include "host/record/document.h"
#include "host/report/console.h"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

/* ---- Documents ----------------------------------------------------------------------------- */

struct side {
	int status;
	int64_t registers, spill_bytes, shared_bytes, max_block;
	const char *options;
};

struct pair {
	const char *variant;
	int64_t n, tile; /* the only dimension, the only macro */
	int verdict;
	double ratio;
	enum record_truth identical;
	struct side sides[2];
	bool lone; /* the first side alone, without a parity row */
};

#define COMPILERS_DIFFER                                                             \
	{                                                                            \
		{OUTCOME_OK, 152, 0, 4096, 256, "-cl-std=CL1.2 -DTILE=16"},          \
		{                                                                    \
			OUTCOME_OK, 126, 8, 4096, 512, "-arch=sm_90 -DTILE=16 -DA=1" \
		}                                                                    \
	}
#define PAIR(variant, verdict, ratio)                                              \
	{                                                                          \
		variant, 8, 16, verdict, ratio, TRUTH_YES, COMPILERS_DIFFER, false \
	}

static void add_side(struct result_document *document, const struct pair *pair, size_t index)
{
	struct result_row *row = record_list_add(&result_row_type, &document->results);
	const struct side *side = &pair->sides[index];

	SOME(row);
	text_set(&row->family, "matmul");
	text_set(&row->variant, pair->variant);
	text_set(&row->backend, index ? "cuda" : "opencl");
	row->status = side->status;
	if (side->status == OUTCOME_OK && pair->verdict == PARITY_RESULTS_ONLY)
		text_set(&row->reason, "no common device");
	IS(named_list_add(&row->problem, "n", pair->n));
	IS(named_list_add(&row->macros, "TILE", pair->tile));
	text_set(&row->build.options, side->options);
	text_set(&row->build.compiler, index ? "NVRTC 13.0" : "580.1");
	row->resources.registers = side->registers;
	row->resources.spill_bytes = side->spill_bytes;
	row->resources.shared_bytes = side->shared_bytes;
	row->resources.max_block = side->max_block;
}

static struct parity_row *add_pair(struct result_document *document, const struct pair *pair)
{
	add_side(document, pair, 0);
	if (pair->lone)
		return NULL;
	add_side(document, pair, 1);
	struct parity_row *row = record_list_add(&parity_row_type, &document->parity);
	SOME(row);
	text_set(&row->family, "matmul");
	text_set(&row->variant, pair->variant);
	IS(text_list_add(&row->backends, "opencl"));
	IS(text_list_add(&row->backends, "cuda"));
	IS(named_list_add(&row->problem, "n", pair->n));
	IS(named_list_add(&row->macros, "TILE", pair->tile));
	row->verdict = pair->verdict;
	row->round_ratio = pair->ratio;
	row->ci95[0] = pair->ratio - 0.002;
	row->ci95[1] = pair->ratio + 0.002;
	row->bit_identical = pair->identical;
	return row;
}

static void add_instruction(struct ptx_record *ptx, const char *name, int64_t a, int64_t b)
{
	struct instruction_record *added = record_list_add(&instruction_type, &ptx->instructions);

	SOME(added);
	text_set(&added->name, name);
	CHECK(IS(integer_list_add(&added->counts, a)), IS(integer_list_add(&added->counts, b)));
}

static char *summary_of(const struct result_document *document)
{
	char *text = WRITTEN(out, parity_summary_put(out, document));

	test_note("%s", text);
	return text;
}

/* ---- Counts -------------------------------------------------------------------------------- */

#define OPENCL_STATUS(status)                            \
	{                                                \
		{status, -1, -1, -1, -1, NULL},          \
		{                                        \
			OUTCOME_OK, -1, -1, -1, -1, NULL \
		}                                        \
	}
#define BOTH_OK OPENCL_STATUS(OUTCOME_OK)

static const struct counts_row {
	const char *name;
	struct pair pairs[10]; /* ended by a NULL variant */
	const char *want;      /* the whole text */
} counts_rows[] = {
	{"no rows", {{NULL}}, ""},
	{"all SAME", {PAIR("a", PARITY_SAME, 1.003), PAIR("b", PARITY_SAME, 0.996)},
		"\nparity: 2 of 2 SAME; bits identical in 2 of 2\n"
		"largest differences: none\n"},
	{"one row that is not SAME",
		{PAIR("a", PARITY_SAME, 1.03), PAIR("b", PARITY_AMBG, 1.02),
			PAIR("c", PARITY_SAME, 0.96)},
		"\nparity: 2 of 3 SAME, 1 AMBG; bits identical in 3 of 3\n"
		"largest differences, opencl / cuda:\n"
		"  matmul/b AMBG 1.020 [1.018, 1.022]\n"
		"    opencl: registers 152, spill_bytes 0, shared_bytes 4096, max_block 256\n"
		"    cuda: registers 126, spill_bytes 8, shared_bytes 4096, max_block 512\n"},
	{"no common device",
		{{"a", 8, 16, PARITY_RESULTS_ONLY, NAN, TRUTH_YES, BOTH_OK},
			{"b", 8, 16, PARITY_RESULTS_ONLY, NAN, TRUTH_NO, BOTH_OK}},
		"\nparity: no times; bits identical in 1 of 2\n"
		"    bits differ, both results are right: sums in another order, or a*b+c as one "
		"operation (--math)\n"},
	{"rows without times beside a row with times",
		{{"lost", 8, 16, 0, NAN, TRUTH_UNKNOWN, OPENCL_STATUS(OUTCOME_CRASHED), true},
			PAIR("a", PARITY_SAME, 1.003),
			{"big", 8, 16, PARITY_RESULTS_ONLY, NAN, TRUTH_UNKNOWN,
				OPENCL_STATUS(OUTCOME_UNSUPPORTED)},
			{"none", 8, 16, PARITY_RESULTS_ONLY, NAN, TRUTH_UNKNOWN,
				{{OUTCOME_FAILED, -1, -1, -1, -1},
					{OUTCOME_SKIPPED, -1, -1, -1, -1}}},
			{"large", 8, 16, PARITY_RESULTS_ONLY, NAN, TRUTH_UNKNOWN,
				OPENCL_STATUS(OUTCOME_UNSUPPORTED)}},
		"\nparity: 1 of 1 SAME; bits identical in 1 of 1; 3 not timed\n"
		"largest differences: none\n"},
	{"skipped on both sides",
		{{"a", 8, 16, PARITY_RESULTS_ONLY, NAN, TRUTH_UNKNOWN,
			{{OUTCOME_SKIPPED, -1, -1, -1, -1}, {OUTCOME_SKIPPED, -1, -1, -1, -1}}}},
		"\nparity: no times\n"},
	{"a failed second side",
		{{"a", 8, 16, PARITY_RESULTS_ONLY, NAN, TRUTH_UNKNOWN,
			{{OUTCOME_OK, -1, -1, -1, -1}, {OUTCOME_FAILED, -1, -1, -1, -1}}}},
		"\nparity: no times\n"},
	{"sizes and macros of a sweep",
		{{"a", 8, 16, PARITY_SLOW, 1.3, TRUTH_YES, BOTH_OK},
			{"a", 9, 16, PARITY_SAME, 1, TRUTH_YES, BOTH_OK}},
		"\nparity: 1 of 2 SAME, 1 SLOW; bits identical in 2 of 2\n"
		"largest differences, opencl / cuda:\n"
		"  matmul/a n=8 TILE=16 SLOW 1.300 [1.298, 1.302]\n"},
};

TEST_ROWS(counts, counts_rows, "counts: %s", row->name)
{

	TEST_RECORD(result_document_type, struct result_document, document);
	for (size_t i = 0; row->pairs[i].variant; i++)
		add_pair(&document, &row->pairs[i]);
	char *text = summary_of(&document);
	STRING(text, row->want);
}

/* ---- Builds -------------------------------------------------------------------------------- */

/* Three of four rows that are not SAME: the largest first. */
TEST(builds, "the builds of the worst rows")
{
	static const struct pair pairs[] = {PAIR("same", PARITY_SAME, 1.3),
		PAIR("ambiguous", PARITY_AMBG, 1.01), PAIR("fast", PARITY_FAST, 0.8),
		{"slow", 8, 16, PARITY_SLOW, 1.2, TRUTH_YES,
			{{OUTCOME_OK, 32, 0, -1, 256, "-cl-std=CL1.2 -DTILE=16"},
				{OUTCOME_OK, -1, 0, -1, 256, "-arch=sm_90 -DTILE=16"}},
			false},
		{"slower", 8, 16, PARITY_SLOW, 1.1, TRUTH_YES,
			{{OUTCOME_OK, 40, 0, 0, 256, "-cl-std=CL2.0"},
				{OUTCOME_OK, 40, 0, 0, 256, "-arch=sm_90"}},
			false}};

	TEST_RECORD(result_document_type, struct result_document, document);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct ptx_record *ptx = &add_pair(&document, &pairs[i])->ptx;

		ptx->record.present = pairs[i].verdict != PARITY_SAME;
		if (pairs[i].verdict == PARITY_FAST) {
			IS(integer_list_add(&ptx->totals, 812));
			IS(integer_list_add(&ptx->totals, 640));
			add_instruction(ptx, "add", 123, 42);
			add_instruction(ptx, "bar", 2, 1);
			add_instruction(ptx, "cvt", 0, 90);
			add_instruction(ptx, "ld.shared", 8, 7);
			add_instruction(ptx, "mov", 30, 31);
			add_instruction(ptx, "mul", 9, 7);
		} else if (pairs[i].ratio > 1.15) {
			IS(integer_list_add(&ptx->totals, 12));
			IS(integer_list_add(&ptx->totals, 12));
		} else {
			text_set(&ptx->reason, "the program binary of A device is not PTX");
		}
	}
	char *text = summary_of(&document);
	STRING(text,
		"\nparity: 1 of 5 SAME, 2 SLOW, 1 FAST, 1 AMBG; bits identical in 5 of 5\n"
		"largest differences, opencl / cuda:\n"
		"  matmul/fast FAST 0.800 [0.798, 0.802]\n"
		"    opencl: registers 152, spill_bytes 0, shared_bytes 4096, max_block 256\n"
		"    cuda: registers 126, spill_bytes 8, shared_bytes 4096, max_block 512\n"
		"    PTX instructions 812 / 640: add 123 / 42, bar 2 / 1, cvt 0 / 90, ld.shared 8 / "
		"7, mov 30 / 31, mul 9 / 7\n"
		"  matmul/slow SLOW 1.200 [1.198, 1.202]\n"
		"    opencl: registers 32, spill_bytes 0, max_block 256\n"
		"    cuda: spill_bytes 0, max_block 256\n"
		"    PTX instructions 12 / 12: equal counts\n"
		"  matmul/slower SLOW 1.100 [1.098, 1.102]\n"
		"    opencl: registers 40, spill_bytes 0, shared_bytes 0, max_block 256\n"
		"    cuda: registers 40, spill_bytes 0, shared_bytes 0, max_block 256\n"
		"    PTX instructions not counted: the program binary of A device is not PTX\n");
}

/* ---- Committed files ----------------------------------------------------------------------- */

#define RESULTS PMPP_SOURCE_ROOT "/docs/results/nvidia-h200/"

/* The counts and the worst row, found in the parity rows alone. The file has many families, rows
 * that were skipped on a side, and no PTX. */
TEST(committed, "nvidia-h200/families-parity.json")
{
	TEST_DOCUMENT document;
	const struct parity_row *worst = NULL;
	size_t timed = 0, same = 0, identical = 0, passed = 0;
	char want[300];

	test_ok(result_example_load(RESULTS "families-parity.json", &document, &test_error));
	for (size_t i = 0; i < document.parity.count; i++) {
		const struct parity_row *row = &document.parity.items[i];

		passed += row->bit_identical != TRUTH_UNKNOWN;
		identical += row->bit_identical == TRUTH_YES;
		timed += row->verdict != PARITY_RESULTS_ONLY;
		same += row->verdict == PARITY_SAME;
		if (row->verdict == PARITY_SLOW && (!worst || row->ratio > worst->ratio))
			worst = row;
	}
	CHECK(IS(timed > 100), SOME(worst));
	char *text = summary_of(&document);
	snprintf(want, sizeof want, "\nparity: %zu of %zu SAME, ", same, timed);
	EQUAL(strncmp(text, want, strlen(want)), 0);
	snprintf(want, sizeof want, "; bits identical in %zu of %zu; %zu not timed\n", identical,
		passed, document.parity.count - timed);
	HAS(text, want);
	snprintf(want, sizeof want,
		"\nlargest differences, opencl / cuda:\n  %s/%s SLOW %.3f [%.3f, %.3f]\n"
		"    opencl: registers ",
		worst->family, worst->variant, worst->ratio, worst->ci95[0], worst->ci95[1]);
	CHECK(HAS(text, want), LACKS(text, "PTX"));
}

/* The page of parity has the summary of a committed file, indented by four blanks. */
TEST(quoted, "docs/parity.md has the summary of nvidia-h200/parity-all.json")
{
	TEST_DOCUMENT document;
	FREED char *page = NULL;
	size_t page_size = 0;

	test_ok(result_example_load(RESULTS "parity-all.json", &document, &test_error));
	FILE *file = fopen(PMPP_SOURCE_ROOT "/docs/parity.md", "r");
	CHECK(SOME(file), IS(getdelim(&page, &page_size, '\0', file) > 0));
	fclose(file);
	char *text = summary_of(&document);
	const char *indented = "";
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		indented = test_text("%s    %s\n", indented, line);
	HAS(page, indented);
}
