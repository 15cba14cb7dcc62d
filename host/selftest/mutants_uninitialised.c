/*
 * One element of shared memory that no thread of any block stores, in each family that has shared
 * memory. The answer depends on the element. Old values of earlier blocks or kernels are wrong,
 * because no kernel writes the right value.
 */
#include "host/selftest/mutants.h"

/* The store is skipped for one index. */
#define LEFT_OUT(family, variant, engines, size, condition, store)                           \
	{                                                                                    \
		"an uninitialised element", family, variant, engines, size, REJECTED, store, \
			"if (" condition ") " store, NULL                                    \
	}
#define SIZE(...)           \
	{                   \
		__VA_ARGS__ \
	}

const struct mutant mutants_uninitialised[] = {
	LEFT_OUT("audit", "foo", ON_ALL, SIZE(600), "t != 7", "a_s[t] = i < n"),
	LEFT_OUT("camping", "skewed", ON_ALL, SIZE(37, 512), "ty != 2 || tx != 3",
		"sums[ty][tx] = sum;"),
	/* The element is the start of a count. Each block leaves its count there, which is wrong
	   for a later block: the launch has many more blocks than the device runs at a time. */
	LEFT_OUT("histogram", "private", ON_EMULATOR | ON_TRACED, SIZE(1000, 256), "b != 3",
		"counts[b] = 0;"),
	LEFT_OUT("histogram", "private", ON_DEVICES, SIZE(1 << 22, 16), "b != 3", "counts[b] = 0;"),
	/* The element is an index that makes the compiler keep the loads. Any value below n gives
	   the right answer. Only the emulator certainly has a larger value there. */
	LEFT_OUT("latency", "chains", ON_EMULATOR | ON_TRACED, SIZE(257, 9), "threadIdx.x != 7",
		"largest[threadIdx.x] = most;"),
	LEFT_OUT("matmul", "tiled32", ON_ALL, SIZE(37, 41, 43), "ty != 5 || tx != 3",
		"tile_a[ty][tx] = row < m"),
	LEFT_OUT("occupancy", "tile-small", ON_ALL, SIZE(1000), "t != 5", "tile[t] = first"),
	{"an uninitialised element", "prefetch", "double-buffer", ON_ALL, SIZE(1000, 5), REJECTED,
		"t < BLOCK / 4;", "t < BLOCK / 4 && t != 3;"},
	LEFT_OUT("reduce", "sequential", ON_ALL, SIZE(1000), "t != 5", "partial[t] = mine;"),
	LEFT_OUT("roof", "shared", ON_ALL, SIZE(4000, 512, 64), "k != 3 || t != 5",
		"tile[k][t] = load_guarded"),
	LEFT_OUT("softmax", "safe", ON_ALL, SIZE(37, 41), "lane != 5", "parts[lane] = value;"),
	LEFT_OUT("transpose", "padded", ON_ALL, SIZE(64, 64), "ty + j != 5 || tx != 3",
		"tile[ty + j][tx] = row0"),
	LEFT_OUT("traverse", "padded", ON_ALL, SIZE(130, 65), "i * ROWS_AT_ONCE + y != 5 || x != 3",
		"tile[i * ROWS_AT_ONCE + y][x] = part[i];"),
	LEFT_OUT("window", "private", ON_ALL, SIZE(1000, 31), "k != 40", "now[k] = j < n"),
	{NULL},
};
