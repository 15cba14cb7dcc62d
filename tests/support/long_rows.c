/* Two rows, and one that the short form leaves out: for the test `short-form`. */
#include "tests/support/test.h"

static void nothing(const void *context)
{
	(void)context;
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, nothing, NULL, "first");
	test_add(&list, nothing, NULL, "slow");
	test_mark_long(&list);
	test_add(&list, nothing, NULL, "last");
	return test_run(&list, argc, argv);
}
