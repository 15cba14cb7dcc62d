/* Long sums: the bound is wide there, and a wrong constant must still be rejected. */
#include "tests/mutants/mutants.h"

#define STORE "C[(size_t)row * n + col] = sum;"
#define NAIVE "matmul", "naive"

const struct mutant mutants_bounds[] = {
	/* ---- matmul: h u = 0.06 */
	{"a constant too much, long sum", NAIVE, ON_ALL, {1, 1, 1000003}, REJECTED, STORE,
		"C[(size_t)row * n + col] = sum + 1.0f;", NULL},
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL},
};
