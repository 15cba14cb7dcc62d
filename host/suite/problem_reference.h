/*
 * The reference of a problem of the user (common/own/problem_file.h): C code of the user, built with the C compiler of
 * the machine. It runs in a process of its own, between unmapped pages and with limits of time and memory, so that
 * its mistakes become errors.
 */
#ifndef PMPP_HOST_SUITE_PROBLEM_REFERENCE_H
#define PMPP_HOST_SUITE_PROBLEM_REFERENCE_H

#include "common/own/problem_file.h"
#include "common/status.h"

/* Builds the reference with $CC (cc), or takes it from the cache of programs, and sets the functions of the family.
 * PMPP_USAGE: the compiler rejects the file; its messages are in error->log. Afterwards the caller calls
 * problem_reference_finish(), before own_problem_destroy(). */
enum pmpp_status problem_reference_build(struct own_problem *problem, struct pmpp_error *error);

/* Sets the right output for the inputs of the user, of a problem without a function. */
enum pmpp_status problem_reference_expect(const struct problem *problem, enum dtype dtype,
	const void *elements, struct pmpp_error *error);

/* Begins to count the time of the function for a row. NULL is allowed. */
void problem_reference_begin_row(const struct own_problem *problem);
void problem_reference_finish(struct own_problem *problem); /* NULL is allowed */

#endif
