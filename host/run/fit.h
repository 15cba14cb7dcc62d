/*
 * Sizes that the program chooses are made smaller until they fit in the memory that is free.
 */
#ifndef PMPP_HOST_RUN_FIT_H
#define PMPP_HOST_RUN_FIT_H

#include "host/run/task.h"
#include "host/suite/suite.h"

/* Where tasks will run: one open suite, or the two of a comparison. */
struct fit_place {
	const struct suite *suites[2]; /* NULL = none */
};

#define FIT_NOTE_BYTES 300

/* Makes the problem smaller until the tasks fit with it. Returns true if it changed; the note then
 * says what and why. A problem stays as it is where no smaller one fits either. */
bool fit_problem(const struct fit_place *place, const struct task *tasks, size_t count,
	struct problem *problem, char ret_note[FIT_NOTE_BYTES]);

#endif
