#include "common/model/ladder.h"
#include "tests/support/test.h"

#include <math.h>

/* ---- One ladder: naive, tiled in a sweep of two macros, on two backends --------------------- */

#define TILE(tile, unroll) (const struct ladder_macro[]){{"TILE", tile}, {"UNROLL", unroll}}, 2

static const struct ladder_rung ladder[] = {
	{"naive", "opencl", NULL, 0, 1000},
	{"naive", "cuda", NULL, 0, 900},
	{"tiled", "opencl", TILE(16, 1), 500},
	{"tiled", "opencl", TILE(16, 4), 400},
	{"tiled", "opencl", TILE(32, 4), 200},
	{"tiled", "cuda", TILE(32, 4), 300},
	{"untimed", "opencl", NULL, 0, NAN},
	{"later", "opencl", NULL, 0, NAN},
	{"later", "opencl", TILE(8, 8), 800},
	{"later", "opencl", NULL, 0, 700},
};
#define RUNGS (sizeof ladder / sizeof *ladder)

/* ---- The median of a rung above ------------------------------------------------------------ */

static const struct median_row {
	const char *name, *variant;
	struct ladder_rung rung;
	size_t count;
	double median_ns; /* NAN: unknown */
} median_rows[] = {
	{"the only one", "naive", {"x", "opencl", NULL, 0, 1}, RUNGS, 1000},
	{"of the same backend", "naive", {"x", "cuda", NULL, 0, 1}, RUNGS, 900},
	{"of another backend", "naive", {"x", "cuda-emu", NULL, 0, 1}, RUNGS, NAN},
	{"of another variant", "nothing", {"x", "opencl", NULL, 0, 1}, RUNGS, NAN},
	{"no macros: the first", "tiled", {"x", "opencl", NULL, 0, 1}, RUNGS, 500},
	{"both macros equal", "tiled", {"x", "opencl", TILE(16, 4), 1}, RUNGS, 400},
	{"both macros equal, the last", "tiled", {"x", "opencl", TILE(32, 4), 1}, RUNGS, 200},
	{"one macro equal", "tiled", {"x", "opencl", TILE(32, 1), 1}, RUNGS, 500},
	{"one macro equal, no tie", "tiled", {"x", "opencl", TILE(32, 8), 1}, RUNGS, 200},
	{"a tie of one: the first", "tiled", {"x", "opencl", TILE(8, 4), 1}, RUNGS, 400},
	{"no macro equal: the first", "tiled", {"x", "opencl", TILE(8, 8), 1}, RUNGS, 500},
	{"a macro of another name", "tiled",
		{"x", "opencl", (const struct ladder_macro[]){{"EDGE", 32}}, 1, 1}, RUNGS, 500},
	{"macros in another order", "tiled",
		{"x", "opencl", (const struct ladder_macro[]){{"UNROLL", 4}, {"TILE", 32}}, 2, 1},
		RUNGS, 200},
	{"untimed", "untimed", {"x", "opencl", NULL, 0, 1}, RUNGS, NAN},
	{"untimed ones are passed over", "later", {"x", "opencl", NULL, 0, 1}, RUNGS, 800},
	{"nothing before", "naive", {"x", "opencl", NULL, 0, 1}, 0, NAN},
	{"up to the rung", "tiled", {"x", "opencl", TILE(32, 4), 1}, 4, 400},
	{"the last one of the list", "tiled", {"x", "opencl", TILE(32, 4), 1}, 5, 200},
};

static void same(double got, double want)
{
	assert_int_equal(isnan(got), isnan(want));
	if (!isnan(want))
		test_near(got, want, 0);
}

static void median(const void *context)
{
	const struct median_row *row = context;

	same(ladder_median(row->variant, &row->rung, ladder, row->count), row->median_ns);
}

/* ---- Factors ------------------------------------------------------------------------------- */

static const struct factors_row {
	const char *name, *base;
	struct ladder_rung rung;
	double step, total; /* NAN: unknown */
} factors_rows[] = {
	{"the first rung", NULL, {"naive", "opencl", NULL, 0, 1000}, NAN, 1},
	{"the first rung again", NULL, {"naive", "opencl", NULL, 0, 500}, NAN, 1},
	{"the first rung, untimed", NULL, {"naive", "opencl", NULL, 0, NAN}, NAN, NAN},
	{"the second rung", "naive", {"tiled", "opencl", TILE(16, 1), 500}, 2, 2},
	{"on the other backend", "naive", {"tiled", "cuda", TILE(16, 1), 300}, 3, 3},
	{"the third rung", "tiled", {"x", "opencl", TILE(32, 4), 100}, 2, 10},
	{"the third rung of the sweep", "tiled", {"x", "opencl", TILE(16, 4), 100}, 4, 10},
	{"slower", "naive", {"x", "opencl", NULL, 0, 4000}, 0.25, 0.25},
	{"no base", NULL, {"x", "opencl", NULL, 0, 250}, NAN, 4},
	{"untimed base", "untimed", {"x", "opencl", NULL, 0, 250}, NAN, 4},
	{"untimed", "naive", {"x", "opencl", NULL, 0, NAN}, NAN, NAN},
	{"alone on its backend", "naive", {"x", "cuda-emu", NULL, 0, 250}, NAN, NAN},
	{"no time", "naive", {"x", "opencl", NULL, 0, 0}, NAN, NAN},
};

static void factors(const void *context)
{
	const struct factors_row *row = context;
	struct ladder_factors got = ladder_factors(row->base, "naive", &row->rung, ladder, RUNGS);

	same(got.step, row->step);
	same(got.total, row->total);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof median_rows / sizeof *median_rows; i++)
		test_add(&list, median, &median_rows[i], "median: %s", median_rows[i].name);
	for (size_t i = 0; i < sizeof factors_rows / sizeof *factors_rows; i++)
		test_add(&list, factors, &factors_rows[i], "factors: %s", factors_rows[i].name);
	return test_run(&list, argc, argv);
}
