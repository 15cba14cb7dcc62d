/* Compilers that the watch cannot believe: what they build is not counted, and it says why. */
#include "host/suite/suite.h"
#include "tests/emulator/emulator.h"

#include <sys/stat.h>

enum answer {
	REFUSED,
	BELIEVED,
	EITHER /* as the compiler's version has it; all that counts is that it says so */
};

/* A script in front of the compiler, whose words are in "$@". */
static const struct compiler {
	const char *name, *script;
	enum answer answer;
} compilers[] = {
	{"as it is", "exec c++ \"$@\"", BELIEVED},
	{"no basic blocks",
		"for word; do shift; case $word in -fsanitize-coverage=*) ;; *) set -- \"$@\" \"$word\";; "
		"esac; done; exec c++ \"$@\"",
		REFUSED},
	{"no accesses",
		"for word; do shift; case $word in -fsanitize=thread) ;; *) set -- \"$@\" \"$word\";; "
		"esac; done; exec c++ \"$@\"",
		REFUSED},
	{"no lines", "exec c++ \"$@\" -g0", REFUSED},
	{"loops unrolled", "exec c++ \"$@\" -O3 -funroll-all-loops", REFUSED},
	{"vectors", "exec c++ \"$@\" -O3 -ftree-vectorize", REFUSED},
	{"blocks in another order", "exec c++ \"$@\" -O2 -freorder-blocks", EITHER},
	{"nothing optimised", "exec c++ \"$@\" -O0", EITHER},
	{"clang++", "exec clang++ \"$@\"", EITHER},
};

/* A variant traced with the same compiler: no trace, and the reason. */
static void trace_variant(const struct gpu_device_info *info, enum pmpp_status expected)
{
	const struct family *family = family_find("vecadd");
	const struct config config = config_default(variant_find(family, "fine"));
	const struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct problem problem = problem_default(family);
	FINISHED(suite_trace_finish) struct suite_trace trace;
	FINISHED(suite_close) struct suite *suite = NULL;

	problem.dim[0] = 100;
	test_ok(suite_open(info, &options, &suite, &test_error));
	test_ok(suite_trace(
		suite, &config, &problem, &(struct trace_request){0}, &trace, &test_error));
	test_note("%s", trace.reason);
	EQUAL(trace.reason[0] == '\0', expected == PMPP_OK);
	EQUAL(trace.traces[0].line_count > 0, expected == PMPP_OK);
}

TEST_ROWS_ON_CALL(test_compiler, compilers, true, "watched, a compiler: %s", row->name)
{
	emu_use_compiler(row->script);
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	enum pmpp_status status = gpu_watch_test(emu.device, &test_error);
	test_note("%s", status == PMPP_OK ? "believed" : test_error.message);
	if (status != PMPP_OK)
		test_refused(status, PMPP_UNSUPPORTED, "set CXX to g++ 12 or later");
	/* The same again. */
	EQUAL(gpu_watch_test(emu.device, &test_error), status);
	pmpp_error_clear(&test_error);
	if (row->answer != EITHER)
		EQUAL(status == PMPP_OK, row->answer == BELIEVED);
	trace_variant(&emu.device->info, status);
}

void emulator_add_compilers(void)
{
	test_compiler_add();
}
