/* What a selftest found: how the kernels were judged, by kind, and the exit code. */
#ifndef PMPP_HOST_SELFTEST_TALLY_H
#define PMPP_HOST_SELFTEST_TALLY_H

#include "common/model/exit_code.h"
#include "host/record/result.h"
#include "host/selftest/mutants.h"

enum selftest_finding {
	FINDING_GOOD,     /* a wrong kernel was rejected, or a right kernel passed */
	FINDING_MISTAKEN, /* a wrong kernel got through, or a right kernel was called wrong */
	FINDING_NOT_RUN,  /* not judged; the row has the reason */
	FINDING_COUNT
};

/* The finding of a row of `verify`. A right kernel that did not end in time is not judged, nor is a
 * kernel for which memory ran out. */
enum selftest_finding selftest_judge(const struct mutant *mutant, const struct result_row *row);

/* Zero-initialise. */
struct selftest_tally {
	size_t wrong[MUTANT_TABLE_COUNT][FINDING_COUNT]; /* kernels with a mistake */
	size_t right[FINDING_COUNT];                     /* controls */
};

void selftest_tally_add(
	struct selftest_tally *tally, const struct mutant *mutant, enum selftest_finding finding);

/* The number of kernels with a mistake of all kinds. */
size_t selftest_tally_wrong(const struct selftest_tally *tally, enum selftest_finding finding);

/* 3 if a kernel was judged mistakenly, 77 if no kernel was judged, else 0. */
enum exit_code selftest_tally_exit(const struct selftest_tally *tally);

#endif
