/*
 * The CUDA emulator: right kernels in every order and both builds, every kind of defect with its
 * line, the sources that it takes and refuses, and watched launches. Needs nothing but a C++
 * compiler.
 */
#include "tests/emulator/emulator.h"

int main(int argc, char **argv)
{
	struct test_list list = {0};

	emulator_add_right(&list);
	emulator_add_defects(&list);
	emulator_add_builds(&list);
	emulator_add_copies(&list);
	emulator_add_stopped(&list);
	emulator_add_watch(&list);
	emulator_add_compilers(&list);
	emulator_add_fills(&list);
	return test_run(&list, argc, argv);
}
