/* The figures in clang's assembly text for AMD's GPUs. */
#include "host/gpu/opencl_emu/amdgcn.c"
#include "tests/support/test.h"

/* As clang-14 (gfx90a) and clang-19 (gfx942) write them. */
#define CLANG_14                                                                    \
	"; -- Begin function add\n\t.type add,@function\nadd:\n\ts_endpgm\n"        \
	"; Kernel info:\n; codeLenInByte = 52\n; NumSgprs: 18\n; NumVgprs: 5\n"     \
	"; NumAgprs: 0\n; TotalNumVgprs: 5\n; ScratchSize: 0\n; MemoryBound: 0\n"   \
	"; LDSByteSize: 1024 bytes/workgroup (compile time only)\n; Occupancy: 8\n" \
	"; -- Begin function add_more\nadd_more:\n"                                 \
	"; Kernel info:\n; NumSgprs: 30\n; NumVgprs: 70\n; NumAgprs: 12\n"          \
	"; ScratchSize: 16\n; LDSByteSize: 0 bytes/workgroup (compile time only)\n"
#define LATER                                                                  \
	"; -- Begin function add\nadd:\n; Kernel info:\n; TotalNumSgprs: 20\n" \
	"; NumVgprs: 6\n; ScratchSize: 0\n; LDSByteSize: 4096 bytes/workgroup\n"

static const struct figure_row {
	const char *name, *text, *entry;
	bool found;
	struct gpu_kernel_resources want;
} figure_rows[] = {
	{"the first kernel", CLANG_14, "add", true, {5, 1024, 0, -1, 18}},
	{"a kernel whose name begins alike", CLANG_14, "add_more", true, {70, 0, 16, -1, 30, 12}},
	{"a later clang", LATER, "add", true, {6, 4096, 0, -1, 20}},
	{"no such kernel", CLANG_14, "ad"},
	{"a function, not a kernel", "; -- Begin function f\nf:\n; Function info:\n", "f"},
	{"the figures of the next kernel",
		"; -- Begin function f\nf:\n; -- Begin function add\n; Kernel info:\n; NumVgprs: 1\n",
		"f"},
	{"no figures", "; -- Begin function f\nf:\n; Kernel info:\n", "f"},
	{"no text", "", "f"},
};

TEST_ROWS(figures, figure_rows, "figures: %s", row->name)
{
	struct gpu_kernel_resources got = {.registers = 77};

	EQUAL(read_resources(row->text, row->entry, &got), row->found);
	if (!row->found) {
		EQUAL(got.registers, 77);
		return;
	}
	EQUAL(got.registers, row->want.registers);
	EQUAL(got.shared_bytes, row->want.shared_bytes);
	EQUAL(got.spill_bytes, row->want.spill_bytes);
	EQUAL(got.max_block_threads, row->want.max_block_threads);
	EQUAL(got.scalar_registers, row->want.scalar_registers);
	EQUAL(got.acc_registers, row->want.acc_registers);
}

static const struct missing_row {
	const char *name, *text, *want;
} missing_rows[] = {
	{"no call", "add:\n\ts_endpgm\n", ""},
	{"a call of a defined function", "add:\n\ts_add_u32 s4, s4, f@rel32@lo+4\nf:\n", ""},
	{"a call of another function", "add:\n\ts_add_u32 s4, s4, _Z3sinf@gotpcrel32@lo+4\n",
		"_Z3sinf"},
	{"a name that begins alike", "add:\n\ts_add_u32 s4, s4, f@rel32@lo+4\nfg:\n", "f"},
	{"the second call", "\ns f@rel32@lo+4\ns g@rel32@lo+4\nf:\n", "g"},
};

TEST_ROWS(missing, missing_rows, "functions: %s", row->name)
{
	char got[80];

	find_missing(row->text, got, sizeof got);
	STRING(got, row->want);
}
