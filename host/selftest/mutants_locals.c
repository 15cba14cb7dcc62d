/*
 * Uninitialised local variables in each family. NEVER_SET: every compiler reports a certain use,
 * and the row fails for any answer. (If g++ only warns that a use `may be` uninitialised, the fill
 * of the emulator proves it.) NOT_STARTED: sums in loops, on the emulator only, because compilers
 * give uncertain warnings for them, or none.
 */
#include "host/selftest/mutants.h"

#define ON_EMULATORS (ON_EMULATOR | ON_TRACED)
#define SIZE(...)           \
	{                   \
		__VA_ARGS__ \
	}

/* `with` declares a variable with a value; `without` gives the value to another variable. */
#define NEVER_SET(what, family, variant, size, with, without)                                  \
	{                                                                                      \
		what " is never set", family, variant, ON_ALL, SIZE size, UNSET_NOTICED, with, \
			without, NULL                                                          \
	}
#define NOT_STARTED(what, family, variant, size, with, without)                       \
	{                                                                             \
		what " is not initialised", family, variant, ON_EMULATORS, SIZE size, \
			UNSET_NOTICED, with, without, NULL                            \
	}

const struct mutant mutants_locals[] = {
	NEVER_SET("the thread", "audit", "foo", (600), "int t = ", "int t, thread = "),
	NEVER_SET("the lane", "camping", "aligned", (37, 512), "int tx = ", "int tx, lane = "),
	NEVER_SET("the element", "coalesce", "contiguous", (1000), " i = (", " i, own = ("),
	NEVER_SET("the element", "divergence", "branchless", (1000), " i = (", " i, own = ("),
	NEVER_SET("the row", "grayscale", "block16x16", (37, 41), "int row = ", "int row, line = "),
	NEVER_SET("the number of bins", "histogram", "private", (1000, 256), "bin_count = (",
		"bin_count, all = ("),
	NEVER_SET("the factor", "instructions", "fma", (1000, 64),
		"float factor = ", "float factor, given = "),
	NEVER_SET("the first chase", "latency", "chains", (257, 9), "int first = 0;", "int first;"),
	NEVER_SET("the row", "matmul", "naive", (37, 41, 43), "int row = ", "int row, line = "),
	NEVER_SET(
		"the thread", "matmul", "tiled32", (37, 41, 43), "int ty = ", "int ty, thread = "),
	NEVER_SET("the thread", "occupancy", "tile-small", (1000), " t = ", " t, thread = "),
	NEVER_SET("the element", "prefetch", "plain", (1000, 63), " i = (", " i, own = ("),
	NEVER_SET("the thread", "reduce", "sequential", (1000), "int t = ", "int t, thread = "),
	NEVER_SET("the scale", "roof", "read", (1 << 16, 1 << 12),
		"float scale = ", "float scale, times = "),
	NEVER_SET("the lane", "softmax", "safe", (37, 41), "int lane = ", "int lane, thread = "),
	NEVER_SET("the first row", "transpose", "tiled", (37, 41),
		"int row0 = ", "int row0, above = "),
	NEVER_SET("the column", "traverse", "column-walk", (37, 41), "int c = 0;", "int c;"),
	NEVER_SET("the element", "vecadd", "fine", (1000), " i = (", " i, own = ("),
	NEVER_SET(
		"the count", "window", "direct", (1000, 31), "int count = ", "int count, terms = "),

	NOT_STARTED("a sum", "camping", "aligned", (37, 512), "float sum = 0.0f;", "float sum;"),
	NOT_STARTED("a sum of one tile", "matmul", "tiled32", (1, 1, 1), "float sum = 0.0f;",
		"float sum;"),
	NOT_STARTED("a sum", "matmul", "tiled32", (37, 41, 43), "float sum = 0.0f;", "float sum;"),
	NOT_STARTED("a sum", "softmax", "safe", (37, 41), "float sum = 0.0f;", "float sum;"),
	NOT_STARTED(
		"a sum", "traverse", "column-walk", (37, 41), "float sum = 0.0f;", "float sum;"),
	NOT_STARTED("a sum", "window", "direct", (1000, 31), "float sum = 0.0f;", "float sum;"),
	{NULL},
};
