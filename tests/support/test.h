/*
 * CMocka with rows that are built at run time, skips with a reason, and counts.
 *
 * TEST and TEST_ROWS define a check and add its rows before main() starts:
 *
 *     static const struct {
 *             const char *name, *input;
 *             int expected;
 *     } rows[] = {
 *             {"one digit", "7", 7},
 *             {"nothing", "", -1},
 *     };
 *
 *     TEST_ROWS(number, rows, "number: %s", row->name)
 *     {
 *             assert_int_equal(number_of(row->input), row->expected);
 *     }
 *
 * The default main() is "return test_run(argc, argv);". A test that needs a setup, or adds rows
 * that depend on its arguments with test_add(), has its own.
 *
 * Each row is one line of the report. Rows share only their fixtures, so their order does not
 * matter. The closing line is "N passed, N failed, N skipped". The exit code is 1 if a row failed or no row
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

/* What most tests use. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void test_fn(const void *context);

/* Adds a row. context must outlive test_run. */
void test_add(test_fn *run, const void *context, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with a copy of the `size` bytes at context, which test_run() frees. */
void test_add_copy(test_fn *run, const void *context, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Defines a row: TEST(function, "name") { body }. */
#define TEST(function, name) TEST_DEFINE(TEST_AT_START, function, name, (void)0)

/* The same, marked as long. */
#define TEST_LONG(function, name) TEST_DEFINE(TEST_AT_START, function, name, test_mark_long())

#define TEST_AT_START __attribute__((constructor))
#define TEST_DEFINE(when, function, name, mark)    \
	static void function(const void *context); \
	when static void function##_add(void)      \
	{                                          \
		test_add(function, NULL, name);    \
		mark;                              \
	}                                          \
	static void function(__attribute__((unused)) const void *context)

/* Defines a row for each item of an array: TEST_ROWS(function, array, format...) { body }. The
 * format's arguments and the body have `row`, a pointer to the item. The arguments also have i, its
 * index. */
#define TEST_ROWS(function, array, ...) \
	TEST_LIST(function, array, sizeof(array) / sizeof *(array), __VA_ARGS__)

/* The same for the first `count` items of an array of unknown size. */
#define TEST_LIST(function, array, count, ...) \
	TEST_LIST_DEFINE(TEST_AT_START, function, array, count, true, __VA_ARGS__)

#define TEST_LIST_DEFINE(when, function, array, count, condition, ...)      \
	static void function(const __typeof__(*(array)) *row);              \
	static void function##_run(const void *context)                     \
	{                                                                   \
		function(context);                                          \
	}                                                                   \
	when static void function##_add(void)                               \
	{                                                                   \
		for (size_t i = 0; i < (count); i++) {                      \
			const __typeof__(*(array)) *row = &(array)[i];      \
			if (condition)                                      \
				test_add(function##_run, row, __VA_ARGS__); \
		}                                                           \
	}                                                                   \
	static void function(const __typeof__(*(array)) *row)

/* TEST and TEST_ROWS for a program that chooses its rows: a call of function##_add() adds them. Only
 * the items that meet the condition have a row. */
#define TEST_ON_CALL(function, name) TEST_DEFINE(, function, name, (void)0)
#define TEST_ROWS_ON_CALL(function, array, condition, ...) \
	TEST_LIST_DEFINE(, function, array, sizeof(array) / sizeof *(array), condition, __VA_ARGS__)

/* Returns whether PMPP_TEST_SHORT is set: tests then run in their short form, without the rows that
 * are marked as long. */
bool test_is_short(void);

/* Marks the row that was added last as long. The short form runs it only if a pattern names it.
 * Without a pattern, test_run prints "short form: N of M rows" if it has left out rows. */
void test_mark_long(void);

/* Runs all rows and removes them. Returns the exit code of the process. */
int test_run(int argc, char **argv);

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

/* For the calls of a row that return an error: test_ok(gpu_open(info, &device, &test_error)). Empty when
 * a row starts. */
extern struct pmpp_error test_error;

/* Fails the row unless status is PMPP_OK. Shows test_error and clears it. */
void test_ok(enum pmpp_status status);

/* Fails the row unless status and the status of test_error are `expected`, and the message has
 * `part` (NULL: any message). Clears test_error. */
void test_refused(enum pmpp_status status, enum pmpp_status expected, const char *part);

/* Fails the row unless the doubles differ by at most tolerance; NaN equals no number. */
void test_near(double got, double want, double tolerance);

/* The same, but NaN equals NaN. */
void test_near_or_nan(double got, double want, double tolerance);

/* For variables of a row: FREED frees the pointer at the end of its scope, and FINISHED(function)
 * calls the function with the variable's address there.
 *
 *     FREED char *text = text_of(&row);
 *     FINISHED(trace_finish) struct trace trace = {0}; */
#define FREED __attribute__((cleanup(test_release), unused))
#define FINISHED(function) __attribute__((cleanup(function), unused))

/* Frees *pointer, a pointer of any type. */
void test_release(void *pointer);

/* Several checks in one statement, in order:
 *
 *     CHECK(EQUAL(row.status, OUTCOME_OK), STRING(row.reason, "busy"), NOT(row.present));
 *
 * The message of a check that fails shows its expressions. */
#define CHECK(...) ((void)(__VA_ARGS__))
#define EQUAL(got, want) TEST_INTEGERS(#got " == " #want, got, want) /* integers and truth values */
#define IS(condition) TEST_INTEGERS(#condition, !!(condition), 1)
#define NOT(condition) TEST_INTEGERS(#condition, !!(condition), 0)
#define NIL(pointer) TEST_INTEGERS(#pointer " == NULL", (pointer) == NULL, 1)
#define SOME(pointer) TEST_INTEGERS(#pointer " != NULL", (pointer) != NULL, 1)
#define SAME(got, want) TEST_INTEGERS(#got " == " #want, (uintptr_t)(got), (uintptr_t)(want))
#define STRING(got, want) test_texts(#got, got, want, __FILE__, __LINE__)
/* HAS(text, "a part", "another part"): the text has all parts. LACKS: it has none of them. */
#define HAS(text, ...) test_parts(text, true, __FILE__, __LINE__, __VA_ARGS__, NULL)
#define LACKS(text, ...) test_parts(text, false, __FILE__, __LINE__, __VA_ARGS__, NULL)
#define NEAR(got, want, tolerance) test_near(got, want, tolerance)
#define NEAR_OR_NAN(got, want, tolerance) test_near_or_nan(got, want, tolerance)

/* The operator `|` does not compile with a floating-point number, which would lose its fraction. */
#define TEST_INTEGERS(what, got, want)                                  \
	((void)sizeof((got) | (want)),                                  \
		test_integers(what, cast_to_largest_integral_type(got), \
			cast_to_largest_integral_type(want), __FILE__, __LINE__))

/* Fail the row, with the place, unless the values are equal. NULL equals no text. */
void test_integers(const char *what, uintmax_t got, uintmax_t want, const char *file, int line);
void test_texts(const char *what, const char *got, const char *want, const char *file, int line);

/* Fails the row, with the place and the text, unless the text has each part (ended by NULL), or lacks it. No
 * text has no part. */
void test_parts(const char *text, bool has, const char *file, int line, ...)
	__attribute__((sentinel));

/* Sets an environment variable for the rest of the row. NULL: removes it. */
void test_variable(const char *name, const char *value);

/* open_memstream() that fails the row without memory. The caller closes the stream and frees *text. */
FILE *test_stream(char **text);

/* The text that the statements write to the stream `out`. It is valid until the end of the row. */
#define WRITTEN(out, ...)                             \
	__extension__({                               \
		char *out##_text = NULL;              \
		FILE *out = test_stream(&out##_text); \
		__VA_ARGS__;                          \
		EQUAL(fclose(out), 0);                \
		test_keep(out##_text);                \
	})

/* Frees the text at the end of the row. Returns it. */
char *test_keep(char *text);

/* A text that is valid until the end of the row. */
char *test_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The number of times that the text has the part. */
size_t test_count(const char *text, const char *part);

/* Creates a folder in the system's temporary folder. test_run() removes it with its content. */
const char *test_folder(void);

/* Creates or replaces a file, and creates the folders of its path. */
void test_write_file(const char *path, const void *bytes, size_t size);

/* The same with a text. The path is a format. */
void test_write_text(const char *text, const char *path, ...) __attribute__((format(printf, 2, 3)));

/* The path of the only file in a folder without the hidden ones, valid until the end of the row. Fails the
 * row if there are more files, or none. */
const char *test_only_file(const char *folder);

#endif
