/*
 * The emulators: right kernels in every order and both builds, every kind of defect with its line,
 * sources that are accepted or rejected, and watched launches. The first argument `opencl-emu`
 * chooses OpenCL kernels; otherwise the kernels are CUDA. Only the compiler is needed.
 */
#include "tests/emulator/emulator.h"

/* The rows that need kernels in both languages. */
static void add_both(void)
{
	emulator_add_right();
	emulator_add_defects();
	emulator_add_watch();
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "opencl-emu") == 0) {
		emu_use(&emu_opencl);
		add_both();
		return test_run(argc - 1, argv + 1);
	}
	add_both();
	emulator_add_builds();
	emulator_add_constructs();
	emulator_add_copies();
	emulator_add_stopped();
	emulator_add_widths();
	emulator_add_compilers();
	emulator_add_fills();
	emulator_add_stacks();
	return test_run(argc, argv);
}
