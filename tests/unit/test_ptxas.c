#include "common/ptxas.h"
#include "tests/support/test.h"

/* A log of NVRTC from CUDA 13.0. */
static const char log_13[] =
	"ptxas info    : 0 bytes gmem\n"
	"ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
	"ptxas info    : Function properties for plain\n"
	"ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
	"ptxas info    : Used 80 registers, used 0 barriers\n"
	"ptxas info    : Compile time = 20.214 ms\n"
	"ptxas info    : Compiling entry function 'plain_tile' for 'sm_90'\n"
	"ptxas info    : Function properties for plain_tile\n"
	"ptxas         .     40 bytes stack frame, 44 bytes spill stores, 48 bytes spill loads\n"
	"ptxas info    : Used 10 registers, used 1 barriers, 40 bytes cumulative stack size, "
	"4096 bytes smem\n"
	"ptxas info    : Compile time = 6.041 ms\n";

/* The form of CUDA 11 and 12, and a kernel that calls a function. */
static const char log_11[] =
	"ptxas info    : 0 bytes gmem, 24 bytes cmem[3]\n"
	"ptxas info    : Compiling entry function 'calls' for 'sm_75'\n"
	"ptxas info    : Function properties for calls\n"
	"    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
	"ptxas info    : Used 20 registers, 1024 bytes smem, 372 bytes cmem[0]\n"
	"ptxas info    : Function properties for helper\n"
	"    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
	"ptxas info    : Compiling entry function 'last' for 'sm_75'\n"
	"ptxas info    : Function properties for last\n"
	"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
	"ptxas info    : Used 9 registers, 372 bytes cmem[0]";

static const struct report_row {
	const char *name, *log, *entry;
	struct ptxas_report report;
} report_rows[] = {
	{"no shared memory", log_13, "plain", {80, 0, 0}},
	{"a name with the same beginning", log_13, "plain_tile", {10, 4096, 40}},
	{"its own stack, not the stack of a function that it calls", log_11, "calls",
		{20, 1024, 8}},
	{"not the kernel before", log_11, "last", {9, 0, 0}},
};

TEST_ROWS(report, report_rows, "%s", row->name)
{
	struct ptxas_report got = {.registers = -7, .shared_bytes = -7, .stack_bytes = -7};

	IS(ptxas_report(row->log, row->entry, &got));
	EQUAL(got.registers, row->report.registers);
	EQUAL(got.shared_bytes, row->report.shared_bytes);
	EQUAL(got.stack_bytes, row->report.stack_bytes);
}

static const struct absent_row {
	const char *name, *log, *entry;
} absent_rows[] = {
	{"no such kernel", log_13, "plai"},
	{"a function", log_11, "helper"},
	{"an empty log", "", "plain"},
	{"cut before the figures", "Compiling entry function 'plain' for 'sm_90'\n", "plain"},
	{"no number", "Compiling entry function 'plain' for 'sm_90'\nUsed  registers\n", "plain"},
};

TEST_ROWS(absent, absent_rows, "refused: %s", row->name)
{
	struct ptxas_report got = {.registers = -7, .shared_bytes = -7, .stack_bytes = -7};

	CHECK(NOT(ptxas_report(row->log, row->entry, &got)), EQUAL(got.registers, -7));
}
