/* The main() of test programs that do not have their own. */
#include "tests/support/test.h"

int main(int argc, char **argv)
{
	return test_run(argc, argv);
}
