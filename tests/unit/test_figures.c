#include "common/family.h"
#include "common/model/figures.h"
#include "tests/support/test.h"

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
	{"matmul", "f16-mma", DTYPE_F32, "tensor-f16"},
	{"matmul", "f16-mma96", DTYPE_F32, "tensor-f16"},
	{"matmul", "tf32-mma", DTYPE_F32, "tensor-tf32"},
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
	{"roof", "integer", DTYPE_F32, "integer"},
	{"roof", "special", DTYPE_F32, "special"},
	{"roof", "tensor-f16", DTYPE_F32, "tensor-f16"},
	{"roof", "tensor-tf32", DTYPE_F32, "tensor-tf32"},
	{"roof", "tensor-f16-groups", DTYPE_F32, "tensor-f16"},
	{"roof", "tensor-tf32-groups", DTYPE_F32, "tensor-tf32"},
};

/* variant NULL: all rows of the family. */
TEST_ROWS(operations, operations_rows, "operations: %s/%s %s", row->family,
	row->variant ? row->variant : "*", dtype_info(row->dtype)->name)
{
	const struct family *family = family_find(row->family);
	struct problem problem = problem_default(family);
	size_t checked = 0;

	problem.dtype = row->dtype;
	for (size_t v = 0; v < family->variant_count; v++) {
		struct config config = config_default(&family->variants[v]);

		if (row->variant && strcmp(row->variant, config.variant->name) != 0)
			continue;
		STRING(operations_words[config_operations(&config, &problem)], row->want);
		checked++;
	}
	IS(checked > 0);
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

TEST_ROWS(metric, metric_rows, "metric: %s", row->name)
{
	NEAR_OR_NAN(figures_metric(
			    row->kind, row->count, row->ns, row->clock_mhz, row->multiprocessors),
		row->want, 1e-12 * fabs(row->want));
}
