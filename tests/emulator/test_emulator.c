/*
 * The emulators: right kernels in every order and both builds, every kind of defect with its line,
 * sources that are accepted or rejected, and watched launches. The first argument `opencl-emu`
 * chooses OpenCL kernels; otherwise the kernels are CUDA. Only the compiler is needed.
 */
#include "tests/emulator/emulator.h"

#include <string.h>

/* The rows that need kernels in both languages. */
static void add_both(struct test_list *list)
{
	emulator_add_right(list);
	emulator_add_defects(list);
	emulator_add_watch(list);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	if (argc > 1 && strcmp(argv[1], "opencl-emu") == 0) {
		emu_use(&emu_opencl);
		add_both(&list);
		return test_run(&list, argc - 1, argv + 1);
	}
	add_both(&list);
	emulator_add_builds(&list);
	emulator_add_constructs(&list);
	emulator_add_copies(&list);
	emulator_add_stopped(&list);
	emulator_add_widths(&list);
	emulator_add_compilers(&list);
	emulator_add_fills(&list);
	emulator_add_stacks(&list);
	return test_run(&list, argc, argv);
}
