#include "common/status.h"
#include "tests/support/test.h"

TEST(texts, "each status has a text of its own")
{
	static const enum pmpp_status all[] = {
#define XX(name, text) PMPP_##name,
		PMPP_STATUS_MAP(XX)
#undef XX
	};
	size_t count = sizeof all / sizeof *all;

	for (size_t i = 0; i < count; i++) {
		IS(strlen(pmpp_status_text(all[i])) > 1);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(pmpp_status_text(all[i]), pmpp_status_text(all[j]));
	}
	SOME(pmpp_status_text((enum pmpp_status)count));
	SOME(pmpp_status_text((enum pmpp_status) - 1));
}

TEST(set, "set and clear")
{
	int line = __LINE__ + 1;
	enum pmpp_status status = PMPP_FAIL(&test_error, PMPP_USAGE, "size %d of %s", 0, "m");

	CHECK(EQUAL(status, PMPP_USAGE), EQUAL(test_error.status, PMPP_USAGE),
		STRING(test_error.message, "size 0 of m"), STRING(test_error.call, ""),
		EQUAL(test_error.line, line), STRING(test_error.file, "tests/unit/test_status.c"));
	pmpp_error_clear(&test_error);
	CHECK(EQUAL(test_error.status, PMPP_OK), STRING(test_error.message, ""));
}

TEST(set_call, "set from a failed call")
{
	CHECK(EQUAL(pmpp_error_set_call(&test_error, PMPP_LAUNCH, "a.c", 3, "clFinish", -5,
			    "CL_OUT_OF_RESOURCES"),
		      PMPP_LAUNCH),
		STRING(test_error.message, "clFinish failed: CL_OUT_OF_RESOURCES (-5)"),
		STRING(test_error.call, "clFinish"),
		STRING(test_error.symbol, "CL_OUT_OF_RESOURCES"), EQUAL(test_error.code, -5),
		EQUAL(test_error.line, 3));
}

/* A newer error frees the log of the older error. The run with sanitizers finds a leak. */
TEST(set_again, "a newer error replaces the older error")
{
	PMPP_FAIL(&test_error, PMPP_BUILD, "first");
	test_error.log = strdup("a.cu:1: error");
	PMPP_FAIL(&test_error, PMPP_LAUNCH, "second");
	CHECK(NIL(test_error.log), STRING(test_error.message, "second"));
	pmpp_error_clear(&test_error);
	pmpp_error_clear(&test_error);
	pmpp_error_clear(NULL);
}

TEST(move, "move")
{
	struct pmpp_error from = PMPP_ERROR_INIT, to = PMPP_ERROR_INIT;

	PMPP_FAIL(&to, PMPP_IO, "old");
	to.log = strdup("old log");
	PMPP_FAIL(&from, PMPP_BUILD, "new");
	from.log = strdup("new log");
	pmpp_error_move(&to, &from);
	CHECK(EQUAL(to.status, PMPP_BUILD), STRING(to.message, "new"), STRING(to.log, "new log"),
		EQUAL(from.status, PMPP_OK), NIL(from.log));
	pmpp_error_clear(&to);
}

TEST(prefix, "prefix, and texts too long")
{
	char longest[sizeof test_error.message + 100];

	PMPP_FAIL(&test_error, PMPP_BUILD, "no such entry");
	test_error.log = strdup("log");
	pmpp_error_prefix(&test_error, "kernel %s", "f");
	CHECK(STRING(test_error.message, "kernel f: no such entry"),
		EQUAL(test_error.status, PMPP_BUILD), STRING(test_error.log, "log"));

	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	PMPP_FAIL(&test_error, PMPP_BUILD, "%s", longest);
	EQUAL(strlen(test_error.message), sizeof test_error.message - 1);
	pmpp_error_prefix(&test_error, "%s", longest);
	IS(strlen(test_error.message) < sizeof test_error.message);
	assert_memory_equal(test_error.message, "xxxx", 4);
	pmpp_error_clear(&test_error);
}

/* The typed fields survive every change of the message. */
TEST(origin, "the origin stays through changes of the message")
{
	struct pmpp_error error = PMPP_ERROR_INIT, moved = PMPP_ERROR_INIT;
	char text[PMPP_ERROR_DETAILS_BYTES];

	pmpp_error_set_call(&error, PMPP_OUT_OF_MEMORY, "../host/gpu/opencl/queue.c", 72,
		"clCreateBuffer", -5, "CL_OUT_OF_RESOURCES");
	pmpp_error_prefix(&error, "a buffer of %d B", 12);
	pmpp_error_append(&error, "; the device holds %d B", 8);
	pmpp_error_move(&moved, &error);
	CHECK(STRING(moved.message,
		      "a buffer of 12 B: clCreateBuffer failed: CL_OUT_OF_RESOURCES (-5); "
		      "the device holds 8 B"),
		EQUAL(moved.status, PMPP_OUT_OF_MEMORY), STRING(moved.call, "clCreateBuffer"),
		STRING(moved.symbol, "CL_OUT_OF_RESOURCES"), EQUAL(moved.code, -5),
		STRING(moved.file, "host/gpu/opencl/queue.c"), EQUAL(moved.line, 72),
		STRING(pmpp_error_details(&moved, text),
			"out of memory; clCreateBuffer returned CL_OUT_OF_RESOURCES (-5); "
			"at host/gpu/opencl/queue.c:72"));

	pmpp_error_set(&moved, PMPP_TOO_LARGE, "host/suite/verify.c", 9, "matmul needs 8 GB");
	STRING(pmpp_error_details(&moved, text), "too large; at host/suite/verify.c:9");
	pmpp_error_clear(&moved);
}
