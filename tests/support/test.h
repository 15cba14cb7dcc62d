/*
 * CMocka with rows that are built at run time, skips with a reason, and counts.
 *
 * A test binary fills a list with rows and ends with "return test_run(&list, argc, argv);". Each
 * row is one line of the report. Rows share only their fixtures, so their order does not matter.
 * The closing line is "N passed, N failed, N skipped". The exit code is 1 if a row failed or no row
 * ran, 77 if all rows were skipped, else 0. (CMocka alone would return 0 if all were skipped.)
 *
 * The argument of every test binary is a shell pattern: only rows with a matching name run.
 */
#ifndef PMPP_TESTS_SUPPORT_TEST_H
#define PMPP_TESTS_SUPPORT_TEST_H

#include "host/gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef void test_fn(const void *context);

/* Zero-initialise. */
struct test_list {
	struct test_row *rows;
	size_t count;
};

/* context must outlive test_run. */
void test_add(struct test_list *list, test_fn *run, const void *context, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Returns whether PMPP_TEST_SHORT is set: tests then run in their short form, without the rows that
 * are marked as long. */
bool test_is_short(void);

/* Marks the row that was added last as long. The short form runs it only if a pattern names it.
 * Without a pattern, test_run prints "short form: N of M rows" if it has left out rows. */
void test_mark_long(struct test_list *list);

/* Runs the rows and frees the list. Returns the exit code of the process. */
int test_run(struct test_list *list, int argc, char **argv);

/* Prints a line below the name of the row. */
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the row. */
_Noreturn void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the row as skipped, or as failed if the environment variable PMPP_REQUIRE (names of backends
 * and OpenCL implementations, separated by commas) has the name. */
_Noreturn void test_skip_missing(const char *name, const char *reason);

/* test_skip_missing() with the name of a backend. */
_Noreturn void test_skip_backend(enum gpu_backend_id id, const char *reason);

/* Fails the row unless status is PMPP_OK; shows the error and frees it. */
void test_ok(enum pmpp_status status, struct pmpp_error *error);

/* Fails the row unless status and the status of the error are `expected`, and the message has
 * `part` (NULL: any message). Clears the error. */
void test_refused(enum pmpp_status status, enum pmpp_status expected, struct pmpp_error *error,
	const char *part);

/* Fails the row unless the doubles differ by at most tolerance; NaN equals no number. */
void test_near(double got, double want, double tolerance);

/* Creates a folder in the system's temporary folder. test_run() removes it with its content. */
const char *test_folder(void);

/* Creates or replaces a file, and creates the folders of its path. */
void test_write_file(const char *path, const void *bytes, size_t size);

#endif
