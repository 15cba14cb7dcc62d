/* Runs of variants in a suite on the fake backend, for tests. */
#ifndef PMPP_TESTS_SUPPORT_SUITE_RUNS_H
#define PMPP_TESTS_SUPPORT_SUITE_RUNS_H

#include "host/record/record.h"
#include "host/suite/session.h"

/* On the fake's first device; call fake_suite_setup() before. */
struct suite *runs_open(const struct suite_options *options);

/* Few samples, and no least time. */
struct suite_options runs_quick(void);

/* With seed 1. a, b, c: the sizes in the family's order; 0 if it has fewer. */
/* Calibrates the device. After this call the device's timer is used, and every interval takes ns.
 * The load of the machine has no effect. */
void runs_fix_times(struct suite *suite, double ns);

/* Measures the roofs of the fake's first device and puts them into the cache, so that sessions do
 * not measure them. For use before the tests run; a failure is printed. Resets the fake. */
void runs_keep_roofs(void);

struct problem runs_problem(const char *family, int64_t a, int64_t b, int64_t c);

struct config runs_config(const char *family, const char *variant);

/* Checks that the record has every key that its table requires: it is written, read, and written
 * again, with the same text. */
void runs_check_record(const struct record_type *type, const void *record);

/* Runs, and checks that the row's record survives writing and reading. actions: enum suite_action.
 * The caller finishes the outcome. */
struct outcome runs_one(struct suite *suite, const char *family, const char *variant,
	const struct problem *problem, unsigned actions);

/* Fails the test if an object of the fake is left, or the fake was misused. */
void runs_close(struct suite *suite);

#endif
