/*
 * Long sums, up to h u >= 1 (common/bound.h): the bound is wide there, but a wrong constant must
 * still be rejected.
 *
 * h u >= 1 needs 2^24 terms for each output. For window that would be 2^47 additions, so its sums
 * are shorter here.
 */
#include "host/selftest/mutants.h"

#define LONG_SUM 16777216 /* 2^24 */

#define NAIVE "matmul", "naive"
#define STORE "C[(size_t)row * n + col] = sum;"

#define WALK "traverse", "row-walk"
#define STORE_WALK "S[row] = sum;"

/* Each of 32 lanes adds a part of the terms: a row of 2^29 + 32 elements has 2 GB. */
#define ALIGNED "camping", "aligned"
#define LONG_ROW 536870944
#define STORE_ROW "S[row0 + own] = total;"

#define DIRECT "window", "direct"
#define STORE_WINDOW "B[i] = sum;"

#define SAFE "softmax", "safe"
#define LONG_SOFTMAX 4194304 /* 2^22 */

const struct mutant mutants_bounds[] = {
	/* ---- matmul */
	{"unchanged, h u = 1", NAIVE, ON_ALL, {1, 1, LONG_SUM}, PASSES},
	{"a constant, h u = 1", NAIVE, ON_ALL, {1, 1, LONG_SUM}, REJECTED, STORE,
		"C[(size_t)row * n + col] = -3e38f;"},
	{"1 too much, h u = 1", NAIVE, ON_ALL, {1, 1, LONG_SUM}, REJECTED, STORE,
		"C[(size_t)row * n + col] = sum + 1.0f;"},
	{"1 too much in one element, h u = 1.1", NAIVE, ON_ALL, {2, 2, 18000007}, REJECTED, STORE,
		"C[(size_t)row * n + col] = row == 1 && col == 0 ? sum + 1.0f : sum;"},
	{"1 too much, h u = 0.06", NAIVE, ON_ALL, {1, 1, 1000003}, REJECTED, STORE,
		"C[(size_t)row * n + col] = sum + 1.0f;"},

	/* ---- traverse */
	{"unchanged, h u = 1", WALK, ON_ALL, {1, LONG_SUM + 1}, PASSES},
	{"a constant, h u = 1", WALK, ON_ALL, {1, LONG_SUM + 1}, REJECTED, STORE_WALK,
		"S[row] = -3e38f;"},
	{"1 too much, h u = 1", WALK, ON_ALL, {1, LONG_SUM + 1}, REJECTED, STORE_WALK,
		"S[row] = sum + 1.0f;"},
	{"1 too much, h u = 1", "traverse", "padded", ON_ALL, {1, LONG_SUM + 1}, REJECTED,
		"S[row0 + thread] = sum;", "S[row0 + thread] = sum + 1.0f;"},

	/* ---- camping */
	{"unchanged, a long row", ALIGNED, ON_ALL, {1, LONG_SUM + 1}, PASSES},
	{"1 too much, a long row", ALIGNED, ON_ALL, {1, LONG_SUM + 1}, REJECTED, STORE_ROW,
		"S[row0 + own] = total + 1.0f;"},
	{"unchanged, h u = 1", ALIGNED, ON_DEVICES | ON_EMULATOR, {1, LONG_ROW}, PASSES},
	{"1 too much, h u = 1", ALIGNED, ON_DEVICES | ON_EMULATOR, {1, LONG_ROW}, REJECTED,
		STORE_ROW, "S[row0 + own] = total + 1.0f;"},

	/* ---- window */
	{"unchanged, wide windows", DIRECT, ON_ALL, {8000, 16001}, PASSES},
	{"a constant, wide windows", DIRECT, ON_ALL, {8000, 16001}, REJECTED, STORE_WINDOW,
		"B[i] = -3e38f;"},
	{"0.5 too much in one element, wide windows", DIRECT, ON_ALL, {8000, 16001}, REJECTED,
		STORE_WINDOW, "B[i] = i == 7 ? sum + 0.5f : sum;"},

	/* ---- softmax */
	{"unchanged, a long row", SAFE, ON_ALL, {1, LONG_SOFTMAX}, PASSES},
	{"a constant, a long row", SAFE, ON_ALL, {1, LONG_SOFTMAX}, REJECTED, "1.0f / sum",
		"3e38f / sum"},
	{"a factor, a long row", SAFE, ON_ALL, {1, LONG_SOFTMAX}, REJECTED, "1.0f / sum",
		"1.1f / sum"},
	{NULL},
};
