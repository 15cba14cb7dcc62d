/* The stacks of threads: kept for the next launch, freed with the device. */
#include "tests/emulator/emulator.h"

#include <sys/resource.h>

enum {
	THREADS = 512 /* all stop at a barrier, so each has a stack */
};

/* Returns the number of the process's mappings. A stack has two: its guard and its memory. */
static int count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int lines = 0, c;

	if (!file)
		test_skip("no /proc/self/maps");
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static void run_histogram(struct emu *emu)
{
	int in[THREADS] = {0}, out[16] = {0};

	EMU_RUN(emu, "histogram", 1, THREADS, WORDS(in), WORDS(out), INT(THREADS));
	EQUAL(out[0], THREADS);
}

TEST_ON_CALL(test_kept, "stacks: kept until the device is closed")
{
	struct emu emu = emu_start("1", NULL);
	emu_build_file(&emu, "right", false);
	int before = count_mappings();
	run_histogram(&emu);
	int first = count_mappings();
	run_histogram(&emu);
	int second = count_mappings();
	emu_stop(&emu);
	int closed = count_mappings();
	/* Other mappings may join their neighbours, or end. */
	CHECK(IS(first > before + THREADS), IS(second < first + THREADS),
		IS(closed < before + THREADS));
}

/* With a limit of memory, no stack stays: buffers may need the memory. */
TEST_ON_CALL(test_limited, "stacks: not kept if the memory is limited")
{
	struct rlimit old, limited;

	struct emu emu = emu_start("1", NULL);
	emu_build_file(&emu, "right", false);
	int before = count_mappings();
	EQUAL(getrlimit(RLIMIT_DATA, &old), 0);
	limited = (struct rlimit){.rlim_cur = (rlim_t)1 << 60, .rlim_max = old.rlim_max};
	/* AddressSanitizer maps terabytes: any limit counts, also one that nothing reaches. */
	EQUAL(setrlimit(RLIMIT_DATA, &limited), 0);
	run_histogram(&emu);
	int after = count_mappings();
	EQUAL(setrlimit(RLIMIT_DATA, &old), 0);
	emu_stop(&emu);
	IS(after < before + THREADS);
}

void emulator_add_stacks(void)
{
	test_kept_add();
	test_limited_add();
}
