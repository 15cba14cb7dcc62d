/* Content of uninitialised local variables in both builds, for each compiler. */
#include "tests/emulator/emulator.h"

#include <sys/stat.h>

/* A scalar, an array in registers, and an array on the stack. Each thread writes the bits of its
 * own variables. */
static const char source[] =
	"extern \"C\" __global__ void k(unsigned *out, int n)\n{\n"
	"	int t = threadIdx.x;\n	unsigned scalar, few[4], many[32];\n"
	"	if (n < 0) {\n		scalar = 1;\n		many[t & 31] = 2;\n	}\n"
	"	out[t] = scalar;\n	out[32 + t] = few[t & 3];\n	out[64 + t] = many[(t + n) & 31];\n}\n";

static const struct fill_row {
	const char *name;
	const char *compiler; /* shell script that runs the compiler with the arguments "$@" */
	bool can_fill;
	uint32_t pattern;
} fill_rows[] = {
	{"g++", "exec g++ \"$@\"", true, 0xfefefefe},
	{"clang++", "exec clang++ \"$@\"", true, 0xaaaaaaaa},
	{"no -ftrivial-auto-var-init",
		"for word; do case $word in -ftrivial-auto-var-init*) echo unknown >&2; exit 1;; esac; "
		"done; exec c++ \"$@\""},
};

static void expect_words(struct emu *emu, enum gpu_fill fill, bool traced, uint32_t word)
{
	uint32_t out[96];

	gpu_program_destroy(&emu->program);
	test_ok(gpu_program_create(emu->device,
		&(struct gpu_program_desc){
			.name = "tests/fill.cu", .source = source, .traced = traced, .fill = fill},
		&emu->program, &test_error));
	memset(out, 0x55, sizeof out);
	EMU_RUN(emu, "k", 1, 32, WORDS(out), INT(5));
	for (int i = traced ? 32 : 0; i < 96; i++)
		if (out[i] != word)
			test_fail("word %d is %08x, not %08x", i, out[i], word);
}

TEST_ROWS_ON_CALL(test_fill, fill_rows, true, "uninitialised variables, compiler: %s", row->name)
{
	emu_use_compiler(row->compiler);

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	EQUAL(gpu_can_fill(emu.device, GPU_FILL_PATTERN), row->can_fill);
	EQUAL(gpu_can_fill(emu.device, GPU_FILL_ZERO), row->can_fill);
	for (int traced = 0; traced < 2 && row->can_fill; traced++) {
		expect_words(&emu, GPU_FILL_PATTERN, traced, row->pattern);
		expect_words(&emu, GPU_FILL_ZERO, traced, 0);
	}
	if (!row->can_fill) {
		test_ok(emu_build_text(&emu, source, false));
		test_refused(gpu_program_create(emu.device,
				     &(struct gpu_program_desc){.name = "tests/fill.cu",
					     .source = source,
					     .fill = GPU_FILL_ZERO},
				     &emu.program, &test_error),
			PMPP_UNSUPPORTED, "zeros");
	}
}

void emulator_add_fills(void)
{
	test_fill_add();
}
