/* Two rows, and one that the short form leaves out: for the test `short-form`. */
#include "tests/support/test.h"

static void nothing(const void *context)
{
	(void)context;
}

int main(int argc, char **argv)
{
	test_add(nothing, NULL, "first");
	test_add(nothing, NULL, "slow");
	test_mark_long();
	test_add(nothing, NULL, "last");
	return test_run(argc, argv);
}
