#include "common/check_sizes.h"
#include "host/run/engine.c"
#include "tests/support/test.h"
#include "tests/support/variants.h"

/* ---- Reports: texts as Oclgrind 21.10 writes them
 * ------------------------------------------------ */

#define INVALID_READ                                                               \
	"\nInvalid read of size 4 at global memory address 0x20000000004b0\n"      \
	"\tKernel: vecadd_fine\n"                                                  \
	"\tEntity: Global(299,0,0) Local(43,0,0) Group(1,0,0)\n"                   \
	"\t  %7 = load float, float addrspace(1)* %arrayidx3, align 4, !dbg !38\n" \
	"\tAt line 38 (column 3) of input.cl:\n"                                   \
	"\t  STORE(C, i, LOAD(A, i) + LOAD(B, i + 1));\n\t\n"
#define INVALID_READ_ELSEWHERE                                                \
	"\nInvalid read of size 4 at global memory address 0x20000000004b4\n" \
	"\tKernel: vecadd_fine\n\tAt line 38 (column 3) of input.cl:\n\t  STORE(C, i);\n\t\n"
#define RACE(memory, first, second)                                               \
	"\nRead-write data race at " memory " memory address 0x1000000000000\n"   \
	"\tKernel: softmax_naive\n\t\n"                                           \
	"\tFirst entity:  Global(1,0,0) Local(1,0,0) Group(0,0,0)\n"              \
	"\tAt line " first " (column 9) of input.cl:\n\t  return parts[0];\n\t\n" \
	"\tSecond entity: Global(0,0,0) Local(0,0,0) Group(0,0,0)\n"              \
	"\tAt line " second " (column 16) of input.cl:\n\t  parts[lane] += 1;\n\t\n"
#define DIVERGENCE                                                                   \
	"\nWork-group divergence detected (barrier)\n\tKernel:     reduce_tree\n"    \
	"\tWork-group: (0,0,0)\n\tOnly 128 out of 256 work-items executed barrier\n" \
	"\tAt line 77 (column 4) of input.cl:\n\t  barrier(CLK_LOCAL_MEM_FENCE);\n\t\n"
#define NO_LINE                                                                    \
	"\nUninitialized value written to global memory address 0x3000000010120\n" \
	"\tKernel: x\n\tDebugging information not available.\n\t\n"
#define FATAL                                                                               \
	"\nOCLGRIND FATAL ERROR (./src/plugins/Uninitialized.cpp:1805)\n"                   \
	"Unsupported instruction: freeze\n\tKernel: matmul_naive\n\t  %a = freeze i32 %b\n" \
	"\tAt line 12 (column 4) of input.cl:\n"
#define CLOSING "\nOclgrind: 100 errors generated - suppressing further errors\n\n"

static const struct report_row {
	const char *name, *variant, *log;
	const char *text; /* NULL: nothing is reported */
	bool gave_up;
} report_rows[] = {
	{"an empty log", "tiled16", "", NULL, true},
	{"blank lines", "tiled16", "\n\n", NULL, true},
	{"a read out of bounds", "tiled16", INVALID_READ,
		"Oclgrind: invalid read of size 4 at global memory at cl_kernels/matmul/tiled.cl:38"},
	{"another address is the same report", "tiled16",
		INVALID_READ INVALID_READ_ELSEWHERE CLOSING,
		"Oclgrind: invalid read of size 4 at global memory at cl_kernels/matmul/tiled.cl:38"},
	{"a race has two lines", "tiled16", RACE("local", "20", "18"),
		"Oclgrind: read-write data race at local memory at cl_kernels/matmul/tiled.cl:20 "
		"and :18"},
	{"two of one line", "tiled16", RACE("local", "18", "18"),
		"Oclgrind: read-write data race at local memory at cl_kernels/matmul/tiled.cl:18"},
	{"divergence", "tiled16", DIVERGENCE,
		"Oclgrind: work-group divergence detected (barrier) at cl_kernels/matmul/tiled.cl:77"},
	{"without a line", "tiled16", NO_LINE,
		"Oclgrind: uninitialized value written to global memory"},
	{"several kinds, above the limit of reports", "tiled16",
		NO_LINE DIVERGENCE RACE("local", "1", "2") RACE("local", "3", "4")
			RACE("local", "5", "6"),
		"Oclgrind: uninitialized value written to global memory; work-group divergence "
		"detected (barrier) at cl_kernels/matmul/tiled.cl:77; read-write data race at local "
		"memory at cl_kernels/matmul/tiled.cl:1 and :2; read-write data race at local memory "
		"at cl_kernels/matmul/tiled.cl:3 and :4; and others"},
	{"Oclgrind gave up", "tiled16", FATAL, "Oclgrind gave up: unsupported instruction: freeze",
		true},
	{"a report, then Oclgrind gave up", "tiled16", NO_LINE FATAL,
		"Oclgrind: uninitialized value written to global memory; gave up: unsupported "
		"instruction: freeze"},
	{"blocks that cooperate: global race", "single-pass", RACE("global", "123", "113"), NULL,
		true},
	{"blocks that cooperate: local race", "single-pass",
		RACE("global", "123", "113") RACE("local", "100", "101"),
		"Oclgrind: read-write data race at local memory at "
		"cl_kernels/reduce/single_pass.cl:100 and :101"},
	{"other blocks: global race", "tiled16", RACE("global", "123", "113"),
		"Oclgrind: read-write data race at global memory at cl_kernels/matmul/tiled.cl:123 "
		"and :113"},
};

static const struct variant *find(const char *name)
{
	for (size_t f = 0; f < family_count; f++) {
		const struct variant *variant = variant_find(families[f], name);
		if (variant)
			return variant;
	}
	test_fail("no variant %s", name);
}

TEST_ROWS(describes, report_rows, "log: %s", row->name)
{
	char text[600] = "";
	bool gave_up = !row->gave_up;
	bool said = oclgrind_describe(row->log, find(row->variant), text, sizeof text, &gave_up);

	CHECK(EQUAL(said, row->text != NULL), EQUAL(gave_up, row->gave_up));
	if (row->text)
		STRING(text, row->text);
}

/* A text that is too long is cut, not overrun. */
TEST(cuts, "log: a long text is cut")
{
	char text[48];
	bool gave_up;

	memset(text, 'x', sizeof text);
	CHECK(IS(oclgrind_describe(INVALID_READ, find("tiled16"), text, 40, &gave_up)),
		EQUAL(strlen(text), 39), EQUAL(text[40], 'x'));
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static bool spans_blocks(const struct config *config, const struct problem *problem)
{
	struct plan plan;

	config_plan(config, problem, &plan);
	for (size_t s = 0; s < plan.step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan.steps[s]);
		if (launch && plan_launch_groups(launch) > 1)
			return true;
	}
	return false;
}

static double bytes_of(struct problem *problem, const int64_t dim[PMPP_MAX_DIMS])
{
	memcpy(problem->dim, dim, sizeof problem->dim);
	return problem_bytes_compulsory(problem);
}

/* oclgrind_choose_sizes() keeps the smallest size, and a size with several blocks if there is
 * one. */
static void keeps(const void *context)
{
	const struct variant *variant = context;
	const struct config config = config_default(variant);
	const struct family *family = variant_family(variant);
	bool any_several = false;

	for (size_t c = 0; c < family_choice_count(family); c++) {
		int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};
		struct problem problem = problem_default(family);
		double smallest = INFINITY, smallest_kept = INFINITY;
		bool several = false, several_kept = false;

		problem_choose(&problem, c);
		size_t count = check_sizes_make(&config, &problem, 0x1p18, sizes);
		for (size_t i = 0; i < count; i++) {
			smallest = fmin(smallest, bytes_of(&problem, sizes[i]));
			several |= spans_blocks(&config, &problem);
		}
		count = oclgrind_choose_sizes(&config, &problem, sizes, count);
		assert_in_range(count, 1, OCLGRIND_MAX_SIZES);
		for (size_t i = 0; i < count; i++) {
			smallest_kept = fmin(smallest_kept, bytes_of(&problem, sizes[i]));
			several_kept |= spans_blocks(&config, &problem);
		}
		CHECK(NEAR(smallest_kept, smallest, 0), EQUAL(several_kept, several));
		any_several |= several;
	}
	if (!any_several)
		test_note("one block at every size");
}

int main(int argc, char **argv)
{
	EACH_VARIANT (variant)
		test_add(keeps, variant, "sizes: %s/%s", variant_family(variant)->name,
			variant->name);
	return test_run(argc, argv);
}
