/* Constructs of CUDA C: cuda-emu compiles each one that NVRTC compiles, or reports that it is unsupported. */
#include "tests/emulator/emulator.h"

#include "common/compiler_log.h"

enum verdict {
	TAKEN,
	NOTED,
	REFUSED,
	LACK
};

static const struct construct {
	const char *name, *head, *body;
	enum verdict verdict;
	const char *lack;
} constructs[] = {
#define TAKEN(name, head, body) {name, head, body, TAKEN, NULL},
#define NOTED(name, head, body) {name, head, body, NOTED, NULL},
#define REFUSED(name, head, body) {name, head, body, REFUSED, NULL},
#define LACK(lack, name, head, body) {name, head, body, LACK, lack},
#include "tests/emulator/constructs.def"
#undef TAKEN
#undef NOTED
#undef REFUSED
#undef LACK
};

/* Every thread must end with a true `ok`. */
static void check_answer(struct emu *emu)
{
	float a[64] = {0}, b[1] = {1};

	for (int i = 0; i < 32; i++)
		a[32 + i] = 1;
	EMU_RUN(emu, "k", 1, 32, WORDS(a), WORDS(b), INT(7));
	for (int i = 0; i < 32; i++)
		if (a[32 + i] != 2)
			test_fail("thread %d: the answer is wrong", i);
}

/* The compiler's warning says why NVRTC rejects the file. */
static void check_note(const struct emu *emu)
{
	const char *at = emu->program->log;
	struct compiler_warning warning;

	if (!compiler_log_next(&at, &warning))
		test_fail("no warning: %s", emu->program->log);
	CHECK(HAS(warning.text, "NVRTC has no <"), EQUAL(warning.line, 1));
}

TEST_ROWS_ON_CALL(run_row, constructs, true, "construct: %s", row->name)
{
	FREED char *source = NULL;

	IS(asprintf(&source,
		   "%s\nextern \"C\" __global__ void k(float *a, const float *b, int n)\n{\n"
		   "	int i = (int)threadIdx.x;\n	bool ok = true;\n	(void)b, (void)n;\n"
		   "	%s\n	__syncthreads();\n	a[32 + i] = ok ? 2 : 3;\n}\n",
		   row->head, row->body) > 0);
	EMU emu = emu_start("1", "10");
	enum pmpp_status status = emu_build_text(&emu, source, true);
	if (status != PMPP_OK && test_error.log)
		test_note("%s", test_error.log);
	if (row->verdict == REFUSED || row->verdict == LACK) {
		test_refused(
			status, row->verdict == LACK ? PMPP_UNSUPPORTED : PMPP_BUILD, row->lack);
	} else {
		test_ok(status);
		check_answer(&emu);
		if (row->verdict == NOTED)
			check_note(&emu);
	}
}

void emulator_add_constructs(void)
{
	run_row_add();
}
