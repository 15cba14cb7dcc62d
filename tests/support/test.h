/*
 * CMocka with rows that are built at run time, skips that carry a reason, and counts.
 *
 * A test binary fills a list with rows and ends with "return test_run(&list, argc, argv);". Each
 * row is one line of the report, whatever its order: rows share nothing but their fixtures. The
 * closing line is "N passed, N failed, N skipped"; the exit code is 0, 1 when a row failed or there
 * was none, and 77 when all were skipped (a skip must not look like a pass: CMocka alone would exit
 * 0).
 *
 * Arguments of every test binary: a shell pattern that names the rows to run.
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

/* PMPP_TEST_SHORT is set: tests run in their short form, without the rows that are marked as long.
 */
bool test_is_short(void);

/* Marks the row that was added last as long. The short form runs it only if a pattern names it.
 * Without a pattern, test_run prints "short form: N of M rows" if it has left out rows. */
void test_mark_long(struct test_list *list);

/* Runs the rows, frees the list, returns the process's exit code. */
int test_run(struct test_list *list, int argc, char **argv);

/* One line below the row's name. */
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the row. */
_Noreturn void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the row as skipped, or as failed where the environment's PMPP_REQUIRE (names of backends and
 * OpenCL implementations, separated by commas) has the name. */
_Noreturn void test_skip_missing(const char *name, const char *reason);

/* The same for a backend. */
_Noreturn void test_skip_backend(enum gpu_backend_id id, const char *reason);

/* Fails the row unless status is PMPP_OK; shows the error and frees it. */
void test_ok(enum pmpp_status status, struct pmpp_error *error);

/* Fails the row unless status is the one expected and the error tells it, with a message that holds
 * `part` (NULL: any). Clears the error. */
void test_refused(enum pmpp_status status, enum pmpp_status expected, struct pmpp_error *error,
	const char *part);

/* Fails the row unless the doubles differ by at most tolerance; NaN equals nothing. */
void test_near(double got, double want, double tolerance);

/* A new folder below the system's temporary one; test_run removes it, content included, at the end.
 */
const char *test_folder(void);

/* Writes a file, made anew; folders of its path are made. */
void test_write_file(const char *path, const void *bytes, size_t size);

#endif
