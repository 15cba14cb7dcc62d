#include "common/model/exit_code.h"
#include "common/model/trace.h"
#include "tests/support/test.h"

/* ---- Counts -------------------------------------------------------------------------------- */

#define OF(ok, failed, broken, skipped, unverified)                                     \
	{                                                                               \
		[OUTCOME_CLASS_OK] = (ok), [OUTCOME_CLASS_FAILED] = (failed),           \
		[OUTCOME_CLASS_BROKEN] = (broken), [OUTCOME_CLASS_SKIPPED] = (skipped), \
		[OUTCOME_CLASS_UNVERIFIED] = (unverified)                               \
	}

static const struct counts_row {
	const char *name;
	struct exit_counts counts;
	int want;
} counts_rows[] = {
	{"nothing", {OF(0, 0, 0, 0, 0), 0, false}, 0},
	{"nothing, rows needed", {OF(0, 0, 0, 0, 0), 0, true}, 77},
	{"one row", {OF(1, 0, 0, 0, 0), 0, true}, 0},
	{"one unverified row", {OF(0, 0, 0, 0, 1), 0, true}, 77},
	{"an unverified row, others right", {OF(1, 0, 0, 0, 1), 0, true}, 0},
	{"one skipped row", {OF(0, 0, 0, 1, 0), 0, true}, 77},
	{"one skipped row, none needed", {OF(0, 0, 0, 1, 0), 0, false}, 0},
	{"one row, others skipped", {OF(1, 0, 0, 9, 0), 0, true}, 0},
	{"a failed row", {OF(9, 1, 0, 0, 0), 0, true}, 3},
	{"failed before broken", {OF(9, 1, 9, 0, 0), 0, true}, 3},
	{"failed before a misfit", {OF(0, 1, 0, 0, 0), 1, true}, 3},
	{"failed, no rows needed", {OF(0, 1, 0, 0, 0), 0, false}, 3},
	{"a broken row", {OF(9, 0, 1, 0, 0), 0, true}, 5},
	{"broken before a misfit", {OF(0, 0, 1, 0, 0), 1, true}, 5},
	{"broken before all skipped", {OF(0, 0, 1, 9, 0), 0, true}, 5},
	{"a lost device", {OF(9, 0, 0, 0, 0), 0, true, 1}, 5},
	{"a lost device, no rows needed", {OF(0, 0, 0, 0, 0), 0, false, 1}, 5},
	{"a misfit", {OF(9, 0, 0, 0, 0), 1, true}, 1},
	{"a misfit before all skipped", {OF(0, 0, 0, 9, 0), 1, true}, 1},
	{"a misfit, no rows needed", {OF(0, 0, 0, 0, 0), 1, false}, 1},
};

TEST_ROWS(counts, counts_rows, "counts: %s", row->name)
{
	EQUAL(exit_code_of_counts(&row->counts), row->want);
}

/* ---- Errors -------------------------------------------------------------------------------- */

static const struct error_row {
	enum pmpp_status status;
	int want;
} error_rows[] = {
	{PMPP_OK, 0},
	{PMPP_USAGE, 1},
	{PMPP_TOO_LARGE, 1},
	{PMPP_UNAVAILABLE, 2},
	{PMPP_UNSUPPORTED, 2},
	{PMPP_OUT_OF_MEMORY, 5},
	{PMPP_BUILD, 5},
	{PMPP_LAUNCH, 5},
	{PMPP_TIMEOUT, 5},
	{PMPP_IO, 5},
	{PMPP_INTERRUPTED, 130},
	{PMPP_INTERNAL, 5},
	{(enum pmpp_status)1000, 5},
};

TEST_ROWS(error, error_rows, "error: status %d", row->status)
{
	EQUAL(exit_code_with_error(EXIT_CODE_OK, row->status), row->want);
}

/* Findings of a command, and the error that ended it. */
static const struct ended_row {
	enum exit_code found;
	enum pmpp_status status;
	int want;
} ended_rows[] = {
	{EXIT_CODE_OK, PMPP_OK, 0},
	{EXIT_CODE_FAILED, PMPP_OK, 3},
	{EXIT_CODE_OK, PMPP_OUT_OF_MEMORY, 5},
	{EXIT_CODE_FAILED, PMPP_OUT_OF_MEMORY, 3},
	{EXIT_CODE_FAILED, PMPP_IO, 3},
	{EXIT_CODE_FAILED, PMPP_UNAVAILABLE, 3},
	{EXIT_CODE_FAILED, PMPP_USAGE, 3},
	{EXIT_CODE_FAILED, PMPP_INTERRUPTED, 130},
	{EXIT_CODE_BROKEN, PMPP_UNAVAILABLE, 5},
	{EXIT_CODE_BROKEN, PMPP_INTERRUPTED, 130},
	{EXIT_CODE_USAGE, PMPP_OUT_OF_MEMORY, 5},
	{EXIT_CODE_ALL_SKIPPED, PMPP_OUT_OF_MEMORY, 5},
	{EXIT_CODE_ALL_SKIPPED, PMPP_UNAVAILABLE, 2},
};

TEST_ROWS(ended, ended_rows, "ended: exit %d, status %d", row->found, row->status)
{
	EQUAL(exit_code_with_error(row->found, row->status), row->want);
}

/* A status without a row in the table would exit with 0. */
TEST(every_error, "error: every status")
{
#define XX(name, text) +1
	const int count = 0 PMPP_STATUS_MAP(XX);
#undef XX

	for (int i = PMPP_OK + 1; i < count; i++)
		assert_int_not_equal(
			exit_code_with_error(EXIT_CODE_OK, (enum pmpp_status)i), EXIT_CODE_OK);
	EQUAL(exit_code_with_error(EXIT_CODE_OK, (enum pmpp_status)count), EXIT_CODE_BROKEN);
}

/* The exit code of two commands together. */
static const struct worst_row {
	int a, b, want;
} worst_rows[] = {
	{0, 0, 0},
	{0, 77, 0},
	{77, 77, 77},
	{1, 77, 1},
	{2, 1, 2},
	{4, 2, 4},
	{5, 4, 5},
	{5, 2, 5},
	{3, 5, 3},
	{130, 3, 130},
	{130, 141, 130},
	{141, 3, 141},
	{137, 0, 137},
	{137, 1, 137},
	{137, 3, 3},
};

TEST_ROWS(worst, worst_rows, "worst: %d and %d", row->a, row->b)
{
	CHECK(EQUAL(exit_code_worst((enum exit_code)row->a, (enum exit_code)row->b), row->want),
		EQUAL(exit_code_worst((enum exit_code)row->b, (enum exit_code)row->a), row->want));
}

/* ---- Defects ------------------------------------------------------------------------------- */

static const struct defect_row {
	const char *name;
	enum trace_defect_kind kind;
	enum outcome_class class;
} defect_rows[] = {
	{"none", TRACE_NO_DEFECT, OUTCOME_CLASS_OK},
	{"race", TRACE_RACE, OUTCOME_CLASS_FAILED},
	{"out-of-bounds", TRACE_OUT_OF_BOUNDS, OUTCOME_CLASS_FAILED},
	{"uninitialised", TRACE_UNINITIALISED, OUTCOME_CLASS_FAILED},
	{"barrier", TRACE_BARRIER, OUTCOME_CLASS_FAILED},
	{"deadlock", TRACE_DEADLOCK, OUTCOME_CLASS_FAILED},
	{"fault", TRACE_FAULT, OUTCOME_CLASS_BROKEN},
	{"runaway", TRACE_RUNAWAY, OUTCOME_CLASS_BROKEN},
};
#define DEFECT_ROWS (sizeof defect_rows / sizeof *defect_rows)

TEST_ROWS(defect, defect_rows, "defect: %s", row->name)
{
	STRING(trace_defect_words[row->kind], row->name);
	EQUAL(trace_defect_class(row->kind), row->class);
}

TEST(every_defect, "defect: every kind")
{
	CHECK(EQUAL(DEFECT_ROWS, TRACE_DEFECT_COUNT), NIL(trace_defect_words[TRACE_DEFECT_COUNT]));
}
