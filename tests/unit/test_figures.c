#include "common/family.h"
#include "common/model/figures.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

/* NAN equals NAN. */
static void same(double got, double want)
{
	if (isnan(want))
		assert_true(isnan(got));
	else
		test_near(got, want, 1e-12 * fabs(want));
}

/* ---- Rates --------------------------------------------------------------------------------- */

#define DEVICE                             \
	{                                  \
		1000, 800, 2000, 100, 2000 \
	}

static const struct figures_row {
	const char *name;
	struct figures_run run;
	struct figures_device device;
	struct figures want;
} figures_rows[] = {
	{"copy at the roof", {1e6, 0, 1e9, 1e9}, DEVICE, {0, 1000, 1, LIMITED_BY_MEMORY}},
	{"a copy in the cache", {1e6, 0, 1.5e9, 1.5e9}, DEVICE, {0, 1500, 1.5, LIMITED_BY_CACHE}},
	{"arithmetic at the roof", {1e6, 2e9, 1e6, 1e6}, DEVICE, {2000, 1, 1, LIMITED_BY_COMPUTE}},
	{"the nearer roof counts", {1e6, 1e9, 2.5e8, 2.5e8}, DEVICE,
		{1000, 250, 0.5, LIMITED_BY_COMPUTE}},
	{"memory is nearer", {1e6, 5e8, 7.5e8, 7.5e8}, DEVICE, {500, 750, 0.75, LIMITED_BY_MEMORY}},
	{"short", {299.5, 299500, 0, 0}, DEVICE, {1000, 0, 0.5, LIMITED_BY_LATENCY}},
	{"slow, idle", {1e6, 1e6, 1e6, 1e6}, DEVICE, {1, 1, 0.001, LIMITED_BY_LATENCY}},
	{"slow, memory is busy", {1e6, 1e6, 1e6, 5e8}, DEVICE, {1, 1, 0.001, LIMITED_BY_MEMORY}},
	{"unknown arithmetic roof", {1e6, 1e9, 5e8, 5e8}, {1000, 800, NAN, 100, NAN},
		{1000, 500, 0.5, LIMITED_BY_UNKNOWN}},
	{"unknown memory roofs", {1e6, 1e9, 5e8, 5e8}, {NAN, NAN, 2000, 100, 2000},
		{1000, 500, 0.5, LIMITED_BY_UNKNOWN}},
	{"unknown roofs", {1e6, 1e9, 5e8, 5e8}, {NAN, NAN, NAN, NAN, NAN},
		{1000, 500, NAN, LIMITED_BY_UNKNOWN}},
	{"a type of its own: above the roof of f32", {1e6, 3e9, 1e6, 1e6},
		{1000, 800, 4000, 100, 4000}, {3000, 1, 0.75, LIMITED_BY_COMPUTE}},
	{"integers: the memory alone", {1e6, 3e9, 2e8, 2e8}, {1000, 800, 2000, 100, NAN},
		{3000, 200, 0.2, LIMITED_BY_COMPUTE}},
	{"unknown launch", {10, 0, 5000, 5000}, {1000, 800, 2000, NAN, 2000},
		{0, 500, 0.5, LIMITED_BY_MEMORY}},
	{"not timed", {NAN, 1e9, 5e8, 5e8}, DEVICE, {NAN, NAN, NAN, LIMITED_BY_UNKNOWN}},
	{"no time", {0, 1e9, 5e8, 5e8}, DEVICE, {NAN, NAN, NAN, LIMITED_BY_UNKNOWN}},
	{"negative time", {-1, 1e9, 5e8, 5e8}, DEVICE, {NAN, NAN, NAN, LIMITED_BY_UNKNOWN}},
};

static void figures(const void *context)
{
	const struct figures_row *row = context;
	struct figures got = figures_of(&row->run, &row->device);

	same(got.gflops, row->want.gflops);
	same(got.gbps, row->want.gbps);
	same(got.fraction_of_roof, row->want.fraction_of_roof);
	assert_int_equal(got.limited_by, row->want.limited_by);
}

/* ---- The type of a row's operations -------------------------------------------------------- */

static const struct operations_row {
	const char *family, *variant;
	enum dtype dtype;
	const char *want;
} operations_rows[] = {
	{"matmul", "prefetch", DTYPE_F32, "f32"},
	{"matmul", "f16", DTYPE_F32, "f16"},
	{"matmul", "f16-tensor", DTYPE_F32, "tensor-f16"},
	{"matmul", "tf32-tensor", DTYPE_F32, "tensor-tf32"},
	{"instructions", "fma", DTYPE_F32, "f32"},
	{"instructions", "int-mul", DTYPE_F32, "integer"},
	{"instructions", "f64-fma", DTYPE_F32, "f64"},
	{"instructions", "f16-fma", DTYPE_F32, "f16"},
	{"reduce", "interleaved", DTYPE_F32, "f32"},
	{"reduce", "interleaved", DTYPE_I32, "integer"},
	{"vecadd", "fine", DTYPE_F16, "f32"}, /* added in f32 */
	{"vecadd", "fine", DTYPE_U8, "integer"},
	{"grayscale", NULL, DTYPE_U8, "f32"}, /* weighted in f32 */
	{"histogram", NULL, DTYPE_U8, "integer"},
	{"divergence", NULL, DTYPE_I32, "integer"},
	{"roof", "fma-f64", DTYPE_F32, "f64"},
	{"roof", "fma-f16", DTYPE_F32, "f16"},
	{"roof", "tensor-f16", DTYPE_F32, "tensor-f16"},
	{"roof", "tensor-tf32", DTYPE_F32, "tensor-tf32"},
};

/* variant NULL: all rows of the family. */
static void operations(const void *context)
{
	const struct operations_row *row = context;
	const struct family *family = family_find(row->family);
	struct problem problem = problem_default(family);
	size_t checked = 0;

	problem.dtype = row->dtype;
	for (size_t v = 0; v < family->variant_count; v++) {
		struct config config = config_default(&family->variants[v]);

		if (row->variant && strcmp(row->variant, config.variant->name) != 0)
			continue;
		assert_string_equal(
			operations_words[config_operations(&config, &problem)], row->want);
		checked++;
	}
	assert_true(checked > 0);
}

/* ---- The family's own figure --------------------------------------------------------------- */

static const struct metric_row {
	const char *name;
	enum metric_kind kind;
	double count, ns, clock_mhz, multiprocessors, want;
} metric_rows[] = {
	{"none", METRIC_NONE, 10, 100, 1000, 10, NAN},
	{"ns for each", METRIC_NS_EACH, 10, 100, 1000, 10, 10},
	{"ns for each, unknown clock", METRIC_NS_EACH, 10, 100, 0, 0, 10},
	{"ns for each of nothing", METRIC_NS_EACH, 0, 100, 1000, 10, NAN},
	{"ns for each of an unknown count", METRIC_NS_EACH, NAN, 100, 1000, 10, NAN},
	{"one thing", METRIC_NS_EACH, 1, 100, 1000, 10, 100},
	/* 100 ns at 1000 MHz are 100 cycles, on 10 multiprocessors 1000. */
	{"per cycle", METRIC_PER_CYCLE, 500, 100, 1000, 10, 0.5},
	{"per cycle of one multiprocessor", METRIC_PER_CYCLE, 500, 100, 1000, 1, 5},
	{"per cycle, unknown clock", METRIC_PER_CYCLE, 500, 100, 0, 10, NAN},
	{"per cycle, unknown units", METRIC_PER_CYCLE, 500, 100, 1000, 0, NAN},
	{"per cycle of nothing", METRIC_PER_CYCLE, 0, 100, 1000, 10, NAN},
	{"per cycle, no time", METRIC_PER_CYCLE, 500, NAN, 1000, 10, NAN},
};

static void metric(const void *context)
{
	const struct metric_row *row = context;

	same(figures_metric(row->kind, row->count, row->ns, row->clock_mhz, row->multiprocessors),
		row->want);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof figures_rows / sizeof *figures_rows; i++)
		test_add(&list, figures, &figures_rows[i], "figures: %s", figures_rows[i].name);
	for (size_t i = 0; i < sizeof operations_rows / sizeof *operations_rows; i++)
		test_add(&list, operations, &operations_rows[i], "operations: %s/%s %s",
			operations_rows[i].family,
			operations_rows[i].variant ? operations_rows[i].variant : "*",
			dtype_info(operations_rows[i].dtype)->name);
	for (size_t i = 0; i < sizeof metric_rows / sizeof *metric_rows; i++)
		test_add(&list, metric, &metric_rows[i], "metric: %s", metric_rows[i].name);
	return test_run(&list, argc, argv);
}
