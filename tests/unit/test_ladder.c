#include "common/model/ladder.h"
#include "tests/support/test.h"

/* ---- One ladder: naive, tiled in a sweep of two macros, on two backends --------------------- */

#define NONE {{0}}, 0
#define TILE(tile, unroll) {{"TILE", tile}, {"UNROLL", unroll}}, 2

static const struct ladder_rung ladder[] = {
	{"naive", "opencl", NONE, 1000},
	{"naive", "cuda", NONE, 900},
	{"tiled", "opencl", TILE(16, 1), 500},
	{"tiled", "opencl", TILE(16, 4), 400},
	{"tiled", "opencl", TILE(32, 4), 200},
	{"tiled", "cuda", TILE(32, 4), 300},
	{"untimed", "opencl", NONE, NAN},
	{"later", "opencl", NONE, NAN},
	{"later", "opencl", TILE(8, 8), 800},
	{"later", "opencl", NONE, 700},
};
#define RUNGS (sizeof ladder / sizeof *ladder)

/* ---- The median of a rung above ------------------------------------------------------------ */

static const struct median_row {
	const char *name, *variant;
	struct ladder_rung rung;
	size_t count;
	double median_ns; /* NAN: unknown */
} median_rows[] = {
	{"the only one", "naive", {"x", "opencl", NONE, 1}, RUNGS, 1000},
	{"the same backend", "naive", {"x", "cuda", NONE, 1}, RUNGS, 900},
	{"another backend", "naive", {"x", "cuda-emu", NONE, 1}, RUNGS, NAN},
	{"another variant", "nothing", {"x", "opencl", NONE, 1}, RUNGS, NAN},
	{"no macros: the first", "tiled", {"x", "opencl", NONE, 1}, RUNGS, 500},
	{"both macros equal", "tiled", {"x", "opencl", TILE(16, 4), 1}, RUNGS, 400},
	{"both macros equal, the last", "tiled", {"x", "opencl", TILE(32, 4), 1}, RUNGS, 200},
	{"one macro equal", "tiled", {"x", "opencl", TILE(32, 1), 1}, RUNGS, 500},
	{"one macro equal, no tie", "tiled", {"x", "opencl", TILE(32, 8), 1}, RUNGS, 200},
	{"two with one macro equal: the first", "tiled", {"x", "opencl", TILE(8, 4), 1}, RUNGS,
		400},
	{"no macro equal: the first", "tiled", {"x", "opencl", TILE(8, 8), 1}, RUNGS, 500},
	{"a macro with another name", "tiled", {"x", "opencl", {{"EDGE", 32}}, 1, 1}, RUNGS, 500},
	{"macros in another order", "tiled", {"x", "opencl", {{"UNROLL", 4}, {"TILE", 32}}, 2, 1},
		RUNGS, 200},
	{"untimed", "untimed", {"x", "opencl", NONE, 1}, RUNGS, NAN},
	{"rungs without times are skipped", "later", {"x", "opencl", NONE, 1}, RUNGS, 800},
	{"an empty list", "naive", {"x", "opencl", NONE, 1}, 0, NAN},
	{"only the rungs above", "tiled", {"x", "opencl", TILE(32, 4), 1}, 4, 400},
	{"the last rung of the list", "tiled", {"x", "opencl", TILE(32, 4), 1}, 5, 200},
};

TEST_ROWS(median, median_rows, "median: %s", row->name)
{
	const struct ladder_rung *found = ladder_find(row->variant, &row->rung, ladder, row->count);

	EQUAL(found == NULL, isnan(row->median_ns));
	if (found)
		test_near(found->median_ns, row->median_ns, 0);
}

/* ---- Ratios -------------------------------------------------------------------------------- */

static const struct ratio_row {
	const char *name;
	struct ladder_rung over, rung;
	struct stats_ratio ratio; /* NAN: unknown */
} ratio_rows[] = {
	{"twice as fast", {.median_ns = 200, .ci95_ns = {190, 210}},
		{.median_ns = 100, .ci95_ns = {95, 105}}, {2, {190.0 / 105, 210.0 / 95}}},
	{"slower", {.median_ns = 100, .ci95_ns = {100, 100}},
		{.median_ns = 400, .ci95_ns = {400, 500}}, {0.25, {0.2, 0.25}}},
	{"the rung above has no interval", {.median_ns = 200, .ci95_ns = {NAN, NAN}},
		{.median_ns = 100, .ci95_ns = {95, 105}}, {2, {NAN, NAN}}},
	{"the rung has no interval", {.median_ns = 200, .ci95_ns = {190, 210}},
		{.median_ns = 100, .ci95_ns = {NAN, NAN}}, {2, {NAN, NAN}}},
	{"the rung above is not timed", {.median_ns = NAN, .ci95_ns = {NAN, NAN}},
		{.median_ns = 100, .ci95_ns = {95, 105}}, {NAN, {NAN, NAN}}},
	{"the rung is not timed", {.median_ns = 200, .ci95_ns = {190, 210}},
		{.median_ns = NAN, .ci95_ns = {NAN, NAN}}, {NAN, {NAN, NAN}}},
	{"no time", {.median_ns = 200, .ci95_ns = {190, 210}}, {.median_ns = 0}, {NAN, {NAN, NAN}}},
};

TEST_ROWS(ratio, ratio_rows, "ratio: %s", row->name)
{
	const struct stats_ratio got = ladder_ratio(&row->over, &row->rung);

	NEAR_OR_NAN(got.median, row->ratio.median, 0);
	NEAR_OR_NAN(got.ci95[0], row->ratio.ci95[0], 0);
	NEAR_OR_NAN(got.ci95[1], row->ratio.ci95[1], 0);
}

TEST(nothing_above, "ratio: nothing above")
{
	const struct stats_ratio got = ladder_ratio(NULL, &ladder[0]);

	IS(isnan(got.median) && isnan(got.ci95[0]) && isnan(got.ci95[1]));
}
