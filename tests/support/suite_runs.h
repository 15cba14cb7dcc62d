/* Runs of variants in a suite on the fake backend, for tests. */
#ifndef PMPP_TESTS_SUPPORT_SUITE_RUNS_H
#define PMPP_TESTS_SUPPORT_SUITE_RUNS_H

#include "host/record/record.h"
#include "host/suite/session.h"
#include "tests/support/fake_suite.h"

/* Opens a session on the fake's first device. options NULL: runs_quick(). Call fake_suite_setup()
 * before. */
struct suite *runs_open(const struct suite_options *options);

/* For struct suite_options.note: adds the text to runs_notes. */
void runs_keep_note(void *context, const char *text);
extern char runs_notes[2000];

/* Options with few samples and without a minimum time. */
struct suite_options runs_quick(void);

/* Calibrates the device. The record is valid as long as the session. */
const struct timer_record *runs_calibrate(struct suite *suite);

/* Calibrates the device. After this call the device's timer is used, and every interval takes ns.
 * The load of the machine has no effect. */
void runs_fix_times(struct suite *suite, double ns);

/* The same with the intervals that the function returns. */
void runs_simulate_times(struct suite *suite, fake_timer_fn *timer, void *context);

/* Changes a member of a device's description, a text or (text NULL) a number, to another value. */
void runs_change_device(struct gpu_device_info *info, size_t offset, const char *text);

/* Measures the roofs of the fake's first device and puts them into the cache, so that sessions do
 * not measure them. Call it before the tests run. Prints a failure. Resets the fake. */
void runs_keep_roofs(void);

/* A problem with seed 1. a, b, c: the sizes in the order of the family; 0 if the family has
 * fewer. */
struct problem runs_problem(const char *family, int64_t a, int64_t b, int64_t c);

struct config runs_config(const char *family, const char *variant);

/* Fails the test unless the record can be written, read, and written again with the same text. Then
 * it has every key that its table requires. */
void runs_check_record(const struct record_type *type, const void *record);

/* Runs a variant and checks its row with runs_check_record(). actions: enum suite_action. The
 * caller finishes the outcome. */
struct outcome runs_one(struct suite *suite, const char *family, const char *variant,
	const struct problem *problem, unsigned actions);

/* runs_one() of vecadd/fine with n elements. */
struct outcome runs_vecadd(struct suite *suite, int64_t n, unsigned actions);

/* runs_one() of matmul/naive, m x n x k; only verifies. */
struct outcome runs_matmul(struct suite *suite, int64_t m, int64_t n, int64_t k);

/* Closes the session. Fails the test if an object of the fake is left or the fake was misused. */
void runs_close(struct suite *suite);

/* For FINISHED. */
static inline void runs_end(struct suite **suite)
{
	runs_close(*suite);
}

/* A session and an outcome that are closed and finished at the end of their scope. */
#define RUNS_SUITE FINISHED(runs_end) struct suite *
#define RUNS_OUTCOME FINISHED(outcome_finish) struct outcome

#endif
