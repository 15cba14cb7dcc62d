/*
 * A loop that skips one trip: in the middle, or the last one. Verification must reject it in every
 * row of a family whose work is a loop.
 */
#include "host/selftest/mutants.h"

#define MIDDLE "one trip in the middle is skipped"
#define LAST "the last trip is skipped"

/* Both mutants of a row, by the text of its loop. */
#define DROPS(family, variant, engines, size, loop, no_middle, no_last)             \
	{MIDDLE, family, variant, engines, size, REJECTED, loop, no_middle, NULL},  \
	{                                                                           \
		LAST, family, variant, engines, size, REJECTED, loop, no_last, NULL \
	}
#define SIZE(...)           \
	{                   \
		__VA_ARGS__ \
	}

#define TRIPS(variant, size)                                                      \
	DROPS("instructions", variant, ON_ALL, SIZE size, "trip < trips; trip++", \
		"trip < trips; trip += trip == trips / 2 ? 2 : 1", "trip < trips - 1; trip++")
#define INSTRUCTIONS(variant) TRIPS(variant, (1000, 64))

/* The maximum number of trips, where the bound is widest. */
#define MAX_TRIPS(variant) TRIPS(variant, (300, 2048))

#define PASSES_OF(variant, engines, size)                             \
	DROPS("roof", variant, engines, SIZE size, "p < passes; p++", \
		"p < passes; p += p == passes / 2 ? 2 : 1", "p < passes - 1; p++")

#define ROWS_OF(variant, engines, size)                                   \
	DROPS("roof", variant, engines, SIZE size, "i < n; i += outputs", \
		"i < n; i += i / outputs == 1 ? 2 * outputs : outputs",   \
		"i + outputs < n; i += outputs")

/* Passes in blocks of UNROLL: one of a block, one of the last block; `whole` is in blocks. */
#define BLOCKS_OF(variant, engines, size)                             \
	DROPS("roof", variant, engines, SIZE size, "u < UNROLL; u++", \
		"u < UNROLL; u += p == UNROLL && u == 2 ? 2 : 1",     \
		"u < UNROLL - (p + UNROLL == whole); u++")

#define PAIRS_OF(variant, engines, size)                                 \
	DROPS("roof", variant, engines, SIZE size, "u < UNROLL; u += 2", \
		"u < UNROLL; u += p == UNROLL && u == 2 ? 4 : 2",        \
		"u < UNROLL - 2 * (p + UNROLL == whole); u += 2")

/* The passes after the last block: the first, and the last. */
#define REST_OF(variant, engines, size, passes)                           \
	DROPS("roof", variant, engines, SIZE size, "p < " passes "; p++", \
		"p < " passes "; p += p == whole ? 2 : 1", "p < " passes " - 1; p++")

/* The rows of a pass, four at a time and one at a time, in the order of the pass. */
#define QUADS_OF(variant, engines, size)                                   \
	DROPS("roof", variant, engines, SIZE size, "r + 3 < rows; r += 4", \
		"r + 3 < rows; r += r == 4 ? 5 : 4", "r + 3 < rows; r += r + 8 > rows ? 8 : 4")
#define ONES_OF(variant, engines, size)                             \
	DROPS("roof", variant, engines, SIZE size, "r < rows; r++", \
		"r < rows; r += r + 2 == rows ? 2 : 1", "r + 1 < rows; r++")
#define LANES_OF(variant, size)                                                                 \
	{"a row of the matrix takes the other row's elements", "roof", variant, ON_DEVICES,     \
		SIZE size, REJECTED, "j + 8, outputs, word + 4", "j, outputs, word + 4", NULL}, \
	{                                                                                       \
		"two columns are left out", "roof", variant, ON_DEVICES, SIZE size, REJECTED,   \
			"add_lane(add_lane(low, 1), 2)", "add_lane(low, 1)", NULL               \
	}

#define LANES_OF_GROUPS(variant)                                                            \
	{"a row of the matrix takes the other row's elements", "roof", variant, ON_CUDA,    \
		{1000, 37, 64}, REJECTED, "j + 8, outputs, word + 4", NULL,                 \
		"j, outputs, word + 4"},                                                    \
	{                                                                                   \
		"half of the products", "roof", variant, ON_CUDA, {1000, 37, 64}, REJECTED, \
			"multiply_add(sums, x[c], matrix)", NULL,                           \
			"multiply_add(sums, x[c & 2], matrix)"                              \
	}

#define SEVERAL_OF(variant, engines, size, several)                                               \
	{MIDDLE, "roof", variant, engines, SIZE size, REJECTED, "i += " several " * outputs",     \
		"i += " several " * outputs + (i / outputs == " several " ? outputs : 0)", NULL}, \
	{                                                                                         \
		LAST, "roof", variant, engines, SIZE size, REJECTED, "i < n; i += outputs",       \
			"i + outputs < n; i += outputs", NULL                                     \
	}

#define SIDE(variant)                                                                 \
	DROPS("divergence", variant, ON_ALL, SIZE(1000), "trip < TRIPS_MOST; trip++", \
		"trip < TRIPS_MOST; trip += trip == 2 ? 2 : 1",                       \
		"trip < TRIPS_MOST; trip += trip + 2 == trips ? 2 : 1")

#define LOOP(variant)                                                            \
	DROPS("divergence", variant, ON_ALL, SIZE(1000), "trip < trips; trip++", \
		"trip < trips; trip += trip == 2 ? 2 : 1", "trip < trips - 1; trip++")

/* The same answer except for its roundings, with fewer operations. */
#define SHORTER(variant, name, find, replace)                                                    \
	{                                                                                        \
		name, "instructions", variant, ON_ALL, {1000, 64}, REJECTED, find, replace, NULL \
	}

#define CALCULATED(integer, wide)                                                              \
	"R[first + c] = (" integer ")((" wide ")(first + c) * n / STARTS + hops * next[0]) % " \
	"(" integer ")n"

#define HOPS(variant)                                                                             \
	{"the last line is calculated, as in a cycle of equal steps", "latency", variant, ON_ALL, \
		{257, 100}, REJECTED, "R[first + c] = line[c]", CALCULATED("uint", "ulong"),      \
		CALCULATED("unsigned", "unsigned long long")},                                    \
		DROPS("latency", variant, ON_ALL, SIZE(257, 100), "h < hops; h++",                \
			"h < hops; h += h == hops / 2 ? 2 : 1", "h + 1 < hops; h++")

/* Eight trips at a time, then the rest: 4091 = 8 * 511 + 3. */
#define PREFETCH(variant)                                                                    \
	{MIDDLE, "prefetch", variant, ON_ALL, {1000, 4091}, REJECTED, "u < 8; u++",          \
		"u < 8; u += k == 2048 && u == 3 ? 2 : 1", NULL},                            \
	{                                                                                    \
		LAST, "prefetch", variant, ON_ALL, {1000, 4091}, REJECTED, "k < trips; k++", \
			"k + 1 < trips; k++", NULL                                           \
	}

#define WARPS(variant)                                                          \
	DROPS("occupancy", variant, ON_ALL, SIZE(1000), "trip < TRIPS; trip++", \
		"trip < TRIPS; trip += trip == TRIPS / 2 ? 2 : 1", "trip < TRIPS - 1; trip++")

const struct mutant mutants_trips[] = {
	/* ---- instructions */
	INSTRUCTIONS("fma"),
	INSTRUCTIONS("add"),
	INSTRUCTIONS("mul"),
	INSTRUCTIONS("int-mul"),
	INSTRUCTIONS("divide"),
	INSTRUCTIONS("reciprocal-mul"),
	INSTRUCTIONS("sqrt"),
	INSTRUCTIONS("sin"),
	INSTRUCTIONS("sin-native"),
	INSTRUCTIONS("cos"),
	INSTRUCTIONS("cos-native"),
	INSTRUCTIONS("exp"),
	INSTRUCTIONS("exp-native"),
	INSTRUCTIONS("exp-product"),
	INSTRUCTIONS("exp-sum"),
	INSTRUCTIONS("f64-fma"),
	INSTRUCTIONS("f16-fma"),
	INSTRUCTIONS("constant-divergent"),
	INSTRUCTIONS("constant-uniform"),
	INSTRUCTIONS("global-table"),

	SHORTER("add", "a closed form", "B[i] = x[chain];",
		"B[i] = A[i] + 2.0f * factor * (float)trips;"),
	SHORTER("divide", "one division for two", "x / factor / second", "x / (factor * second)"),

	/* Rows with native functions are not here: their errors hide one trip of this many. */
	MAX_TRIPS("fma"),
	MAX_TRIPS("add"),
	MAX_TRIPS("mul"),
	MAX_TRIPS("int-mul"),
	MAX_TRIPS("divide"),
	MAX_TRIPS("reciprocal-mul"),
	MAX_TRIPS("sqrt"),
	MAX_TRIPS("sin"),
	MAX_TRIPS("cos"),
	MAX_TRIPS("exp"),
	MAX_TRIPS("exp-product"),
	MAX_TRIPS("exp-sum"),
	MAX_TRIPS("f64-fma"),
	MAX_TRIPS("f16-fma"),
	MAX_TRIPS("constant-divergent"),
	MAX_TRIPS("constant-uniform"),
	MAX_TRIPS("global-table"),

	/* ---- roof: a pass, or an element of a sum where a row has no passes */
	ROWS_OF("empty", ON_ALL, (1000, 37, 5)),
	ROWS_OF("copy", ON_ALL, (4000, 400, 3)),
	ROWS_OF("read", ON_ALL, (1000, 37, 5)),
	BLOCKS_OF("fma", ON_ALL, (1000, 37, 64)),
	REST_OF("fma", ON_ALL, (1000, 37, 61), "passes"),
	PASSES_OF("shared", ON_ALL, (4000, 512, 64)),
	PASSES_OF("shared-cpu", ON_OPENCL, (4000, 512, 64)),
	ROWS_OF("copy-cpu", ON_OPENCL, (4000, 400, 3)),
	ROWS_OF("read-cpu", ON_OPENCL, (1000, 37, 5)),
	PASSES_OF("fma-cpu", ON_OPENCL, (1000, 37, 64)),
	PASSES_OF("l2", ON_ALL, (4000, 400, 37)),
	PASSES_OF("l2", ON_ALL, (1000, 37, 36)),
	ROWS_OF("l2", ON_ALL, (1000, 37, 5)),
	PAIRS_OF("fma-f64", ON_ALL, (1000, 37, 64)),
	REST_OF("fma-f64", ON_ALL, (1000, 37, 61), "passes"),
	PAIRS_OF("fma-f16", ON_ALL, (1000, 37, 64)),
	REST_OF("fma-f16", ON_ALL, (1000, 37, 61), "part"),
	BLOCKS_OF("integer", ON_ALL, (1000, 37, 64)),
	REST_OF("integer", ON_ALL, (1000, 37, 61), "passes"),
	BLOCKS_OF("special", ON_ALL, (1000, 37, 64)),
	REST_OF("special", ON_ALL, (1000, 37, 63), "passes"),
	PASSES_OF("tensor-f16", ON_DEVICES, (1000, 37, 64)),
	PASSES_OF("tensor-tf32", ON_DEVICES, (1000, 37, 64)),
	LANES_OF("tensor-f16", (1000, 37, 64)),
	LANES_OF("tensor-tf32", (1000, 37, 64)),
	PASSES_OF("tensor-f16-groups", ON_CUDA, (1000, 37, 64)),
	PASSES_OF("tensor-tf32-groups", ON_CUDA, (1000, 37, 64)),
	LANES_OF_GROUPS("tensor-f16-groups"),
	LANES_OF_GROUPS("tensor-tf32-groups"),
	PASSES_OF("fma-f64-cpu", ON_OPENCL, (1000, 37, 64)),
	/* The number of passes with which the device is measured. */
	PAIRS_OF("fma-f64", ON_ALL, (296, 37, 8192)),
	PAIRS_OF("fma-f16", ON_ALL, (608, 38, 8192)),
	BLOCKS_OF("integer", ON_ALL, (296, 37, 8192)),
	BLOCKS_OF("special", ON_ALL, (296, 37, 2048)),
	PASSES_OF("tensor-f16", ON_DEVICES, (4736, 37, 4096)),
	PASSES_OF("tensor-tf32", ON_DEVICES, (2368, 37, 4096)),
	PASSES_OF("tensor-f16-groups", ON_CUDA, (4736, 37, 256)),
	PASSES_OF("tensor-tf32-groups", ON_CUDA, (2368, 37, 256)),
	PASSES_OF("fma-f64-cpu", ON_OPENCL, (296, 37, 8192)),
	BLOCKS_OF("fma", ON_ALL, (592, 37, 8192)),
	PASSES_OF("shared", ON_ALL, (4096, 512, 256)),
	PASSES_OF("fma-cpu", ON_OPENCL, (592, 37, 8192)),
	/* Sizes at which kernels use vectors: several elements of a sum at a time, then the rest. */
	SEVERAL_OF("read", ON_ALL, (10000, 40, 1), "8"),
	QUADS_OF("l2", ON_ALL, (10000, 40, 5)),
	ONES_OF("l2", ON_ALL, (10160, 40, 5)),
	SEVERAL_OF("read-cpu", ON_OPENCL, (40960, 4096, 1), "4"),
	DROPS("roof", "copy-cpu", ON_OPENCL, SIZE(65536, 65536, 1), "v < SPAN / 16; v++",
		"v < SPAN / 16; v += v == 7 ? 2 : 1", "v + 1 < SPAN / 16; v++"),

	/* ---- latency, prefetch, divergence, occupancy */
	HOPS("chase"),
	HOPS("chains"),
	PREFETCH("plain"),
	PREFETCH("register"),
	PREFETCH("double-buffer"),
	PREFETCH("async-copy"),
	SIDE("branchy"),
	SIDE("branchless"),
	SIDE("warp-aligned"),
	SIDE("uniform-branch"),
	SIDE("compiled-branch"),
	LOOP("ragged-loop"),
	LOOP("sorted-loop"),
	WARPS("warps100"),
	WARPS("warps128"),
	{NULL},
};
