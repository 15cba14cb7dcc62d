#include "host/selftest/tally.h"

#include "host/selftest/choice.h"

/* By status: of a kernel with a mistake, and of a control. */
static const enum selftest_finding findings[OUTCOME_STATUS_COUNT][2] = {
	[OUTCOME_OK] = {FINDING_MISTAKEN, FINDING_GOOD},
	[OUTCOME_UNVERIFIED] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_FAILED] = {FINDING_GOOD, FINDING_MISTAKEN},
	[OUTCOME_SUSPECT] = {FINDING_GOOD, FINDING_MISTAKEN},
	[OUTCOME_UNSUPPORTED] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_SKIPPED] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_BUILD_ERROR] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_LAUNCH_ERROR] = {FINDING_GOOD, FINDING_MISTAKEN},
	[OUTCOME_TIMEOUT] = {FINDING_GOOD, FINDING_NOT_RUN},
	[OUTCOME_CRASHED] = {FINDING_GOOD, FINDING_MISTAKEN},
};

enum selftest_finding selftest_judge(const struct mutant *mutant, const struct result_row *row)
{
	if (row->status < 0 || row->status >= OUTCOME_STATUS_COUNT ||
		(row->error.record.present && row->error.status == PMPP_OUT_OF_MEMORY))
		return FINDING_NOT_RUN;
	return findings[row->status][mutant->verdict == PASSES];
}

void selftest_tally_add(
	struct selftest_tally *tally, const struct mutant *mutant, enum selftest_finding finding)
{
	if (mutant->verdict == PASSES)
		tally->right[finding]++;
	else
		tally->wrong[mutant_table_of(mutant)][finding]++;
}

size_t selftest_tally_wrong(const struct selftest_tally *tally, enum selftest_finding finding)
{
	size_t count = 0;

	for (size_t t = 0; t < MUTANT_TABLE_COUNT; t++)
		count += tally->wrong[t][finding];
	return count;
}

enum exit_code selftest_tally_exit(const struct selftest_tally *tally)
{
	struct exit_counts counts = {.needs_rows = true};

	counts.of_class[OUTCOME_CLASS_OK] =
		selftest_tally_wrong(tally, FINDING_GOOD) + tally->right[FINDING_GOOD];
	counts.of_class[OUTCOME_CLASS_FAILED] =
		selftest_tally_wrong(tally, FINDING_MISTAKEN) + tally->right[FINDING_MISTAKEN];
	return exit_code_of_counts(&counts);
}
