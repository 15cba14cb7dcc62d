/* Compiler warnings in the suite: in the row, as notes, and as a reason to reject a kernel. The
 * fake compiler reports each line "#warning TEXT" of a source. */
#include "tests/support/fake_suite.h"
#include "tests/support/test.h"

#include "host/suite/suite.h"

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
	{"no warning", "/* vecadd_fine( */\n", OUTCOME_OK, NULL, 0, 0, NULL},
	{"an uninitialised variable", "/* vecadd_fine( */\n" DEFINITE, OUTCOME_FAILED,
		"uninitialised: \"sum\" is used before its value is set (" PLACE "2)", 1, 1,
		"the compiler warns: " PLACE
		"2: #warning variable 'sum' is uninitialized when used here [-Wuninitialized]"},
	{"the first of two", "/* vecadd_fine( */\n" UNUSED MAYBE DEFINITE DEFINITE, OUTCOME_FAILED,
		"uninitialised: \"sum\" is used before its value is set (" PLACE "4)", 4, 4,
		"the compiler warns: " PLACE "2: #warning unused variable 'x'"},
	{"perhaps uninitialised", "/* vecadd_fine( */\n" MAYBE, OUTCOME_OK, NULL, 1, 1,
		"the compiler warns: " PLACE
		"2: #warning variable 'sum' may be uninitialized when used here"},
	{"perhaps uninitialised, in local memory",
		"/* vecadd_fine( */\n" MAYBE "__local int is_last, sum;\n", OUTCOME_OK, NULL, 0, 0,
		NULL},
	{"a parameter in local memory does not count",
		"/* vecadd_fine( */\n" MAYBE "void f(__local int *a) { int sum; }\n", OUTCOME_OK,
		NULL, 1, 1, NULL},
	{"part of a name in local memory does not count",
		"/* vecadd_fine( */\n" MAYBE "__local int my_sum, sum2;\n", OUTCOME_OK, NULL, 1, 1,
		NULL},
	{"another warning", "/* vecadd_fine( */\n" UNUSED, OUTCOME_OK, NULL, 1, 1, NULL},
	{"many warnings", "/* vecadd_fine( */\n" FOUR FOUR FOUR, OUTCOME_OK, NULL, 12, 11, NULL},
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
	FREED struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state;
	struct suite *suite = NULL;
	size_t count = 0;
	char path[600];

	fake_suite_setup();
	options.kernel_dir = test_folder();
	options.note = take_note;
	options.note_context = notes;
	snprintf(path, sizeof path, "%s/cuda_kernels/vecadd/fine.cu", options.kernel_dir);
	test_write_file(path, source, strlen(source));
	test_ok(gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, &test_error));
	test_ok(suite_open(&infos[0], &options, &suite, &test_error));
	return suite;
}

static struct outcome verify(struct suite *suite, int64_t n)
{
	const struct family *family = family_find("vecadd");
	const struct config config = config_default(variant_find(family, "fine"));
	struct problem problem = problem_default(family);
	struct outcome outcome;

	problem.dim[0] = n;
	test_ok(suite_run(suite, &config, &problem, SUITE_VERIFY, &outcome, &test_error));
	return outcome;
}

/* Twice: the second row uses the program of the first. */
TEST_ROWS(test_warned, warned_rows, "%s", row->name)
{
	struct notes notes = {0};
	FINISHED(suite_close) struct suite *suite = open_suite(row->source, &notes);
	uint64_t launches = fake_suite_control.vecadd_launches;

	for (int64_t n = 100; n < 102; n++) {
		FINISHED(outcome_finish) struct outcome outcome = verify(suite, n);
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
