#include "common/model/outcome.h"
#include "tests/support/test.h"

static const struct status_row {
	const char *name;
	enum outcome_status status;
	enum outcome_class class;
} status_rows[] = {
	{"ok", OUTCOME_OK, OUTCOME_CLASS_OK},
	{"unverified", OUTCOME_UNVERIFIED, OUTCOME_CLASS_UNVERIFIED},
	{"failed", OUTCOME_FAILED, OUTCOME_CLASS_FAILED},
	{"suspect", OUTCOME_SUSPECT, OUTCOME_CLASS_FAILED},
	{"unsupported", OUTCOME_UNSUPPORTED, OUTCOME_CLASS_SKIPPED},
	{"skipped", OUTCOME_SKIPPED, OUTCOME_CLASS_SKIPPED},
	{"build_error", OUTCOME_BUILD_ERROR, OUTCOME_CLASS_BROKEN},
	{"launch_error", OUTCOME_LAUNCH_ERROR, OUTCOME_CLASS_BROKEN},
	{"timeout", OUTCOME_TIMEOUT, OUTCOME_CLASS_BROKEN},
	{"crashed", OUTCOME_CRASHED, OUTCOME_CLASS_BROKEN},
};
#define STATUS_ROWS (sizeof status_rows / sizeof *status_rows)

TEST_ROWS(status, status_rows, "status: %s", row->name)
{
	STRING(outcome_status_name(row->status), row->name);
	EQUAL(outcome_class_of(row->status), row->class);
	STRING(outcome_status_words[row->status], row->name);
}

TEST(unknown, "unknown statuses")
{
	EQUAL(STATUS_ROWS, OUTCOME_STATUS_COUNT);
	NIL(outcome_status_words[OUTCOME_STATUS_COUNT]);
	STRING(outcome_status_name(OUTCOME_STATUS_COUNT), "unknown");
	STRING(outcome_status_name((enum outcome_status) - 1), "unknown");
}
