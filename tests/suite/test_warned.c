/* Compiler warnings in the suite: in the row, as notes, and as a reason to reject a kernel. The
 * fake compiler reports each line "#warning TEXT" of a source. */
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

#include "host/suite/suite.h"

#define HEAD "/* vecadd_fine( */\n"
#define DEFINITE "#warning variable 'sum' is uninitialized when used here [-Wuninitialized]\n"
#define MAYBE "#warning variable 'sum' may be uninitialized when used here\n"
#define UNUSED "#warning unused variable 'x'\n"
#define FOUR UNUSED MAYBE UNUSED MAYBE
#define PLACE "cuda_kernels/vecadd/fine.cu:"

static const struct warned_row {
	const char *name, *source;
	enum outcome_status status;
	const char *reason; /* NULL: the reason of an untimed row */
	size_t warnings;    /* in the row */
	size_t notes;
	const char *note; /* the first */
} warned_rows[] = {
	{"no warning", HEAD, OUTCOME_OK, NULL, 0, 0, NULL},
	{"an uninitialised variable", HEAD DEFINITE, OUTCOME_FAILED,
		"uninitialised: \"sum\" is used before its value is set (" PLACE "2)", 1, 1,
		"the compiler warns: " PLACE
		"2: #warning variable 'sum' is uninitialized when used here [-Wuninitialized]"},
	{"the first of two", HEAD UNUSED MAYBE DEFINITE DEFINITE, OUTCOME_FAILED,
		"uninitialised: \"sum\" is used before its value is set (" PLACE "4)", 4, 4,
		"the compiler warns: " PLACE "2: #warning unused variable 'x'"},
	{"perhaps uninitialised", HEAD MAYBE, OUTCOME_OK, NULL, 1, 1,
		"the compiler warns: " PLACE
		"2: #warning variable 'sum' may be uninitialized when used here"},
	{"perhaps uninitialised, in local memory", HEAD MAYBE "__local int is_last, sum;\n",
		OUTCOME_OK, NULL, 0, 0, NULL},
	{"a parameter in local memory does not count",
		HEAD MAYBE "void f(__local int *a) { int sum; }\n", OUTCOME_OK, NULL, 1, 1, NULL},
	{"part of a name in local memory does not count", HEAD MAYBE "__local int my_sum, sum2;\n",
		OUTCOME_OK, NULL, 1, 1, NULL},
	{"another warning", HEAD UNUSED, OUTCOME_OK, NULL, 1, 1, NULL},
	{"many warnings", HEAD FOUR FOUR FOUR, OUTCOME_OK, NULL, 12, 11, NULL},
};

struct notes {
	size_t count;
	char first[400], last[400];
};

static void take_note(void *context, const char *text)
{
	struct notes *notes = context;

	if (notes->count++ == 0)
		snprintf(notes->first, sizeof notes->first, "%s", text);
	snprintf(notes->last, sizeof notes->last, "%s", text);
}

static struct suite *open_suite(const char *source, struct notes *notes)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;

	fake_suite_setup();
	options.kernel_dir = test_folder();
	options.note = take_note;
	options.note_context = notes;
	test_write_text(source, "%s/cuda_kernels/vecadd/fine.cu", options.kernel_dir);
	return runs_open(&options);
}

/* Twice: the second row uses the program of the first. */
TEST_ROWS(test_warned, warned_rows, "%s", row->name)
{
	struct notes notes = {0};
	RUNS_SUITE suite = open_suite(row->source, &notes);
	uint64_t launches = fake_suite_control.vecadd_launches;

	for (int64_t n = 100; n < 102; n++) {
		RUNS_OUTCOME outcome = runs_vecadd(suite, n, SUITE_VERIFY);
		EQUAL(outcome.row.status, row->status);
		if (row->reason)
			STRING(outcome.row.reason, row->reason);
		EQUAL(outcome.row.build.warnings.count, row->warnings);
		NOT(outcome.row.timing.record.present);
	}
	EQUAL(notes.count, row->notes);
	if (row->note)
		STRING(notes.first, row->note);
	if (row->warnings > 10)
		STRING(notes.last, "the compiler warns 2 more times about vecadd/fine.cu");
	/* A kernel with an undefined result does not run. */
	if (row->status == OUTCOME_FAILED)
		EQUAL(fake_suite_control.vecadd_launches, launches);
	else
		IS(fake_suite_control.vecadd_launches > launches);
}
