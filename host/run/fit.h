/*
 * Reduces default sizes until they fit in the free memory.
 */
#ifndef PMPP_HOST_RUN_FIT_H
#define PMPP_HOST_RUN_FIT_H

#include "host/run/task.h"
#include "host/suite/suite.h"

/* The suites that run the tasks: one, or two for parity. */
struct fit_place {
	const struct suite *suites[2]; /* NULL = none */
};

#define FIT_NOTE_BYTES 300

/* Reduces the problem until all tasks fit in free memory. Returns true if the problem changed; the
 * note then has both sizes. If no smaller problem fits, the problem is unchanged. */
bool fit_problem(const struct fit_place *place, const struct task *tasks, size_t count,
	struct problem *problem, char ret_note[FIT_NOTE_BYTES]);

#endif
