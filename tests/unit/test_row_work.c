/*
 * config_traffic(): operations by type and bytes of memory that a row does not share with its
 * family. The passes are compared with a trace: tests/kernels/test_traffic.c.
 */
#include "common/family.h"
#include "tests/support/test.h"

static const struct work_row {
	const char *family, *variant;
	int64_t dim[PMPP_MAX_DIMS];
	size_t choice; /* of problem_choose() */
	struct {
		const char *name;
		int value;
	} set;
	enum input_source source;
	enum arithmetic_rules rules;

	/* Expected work of a run. 0: unknown; for bytes_read: not checked. */
	double f32, f16, f64, integer, special, bytes_read, overfetched;
	bool uncounted;
} work_rows[] = {
#define STEPS (16 * 1000.0) /* of a trip of 1000 elements */
	/* 3 operations a step: product or sum, shift, xor. All warps run 8 trips, both sides. */
	{"divergence", "branchy", {1000}, .integer = 2 * 3 * 8 * STEPS},
	{"divergence", "branchy", {1000}, 1, .integer = 2 * 3 * 8 * STEPS}, /* random */
	{"divergence", "branchy", {1000}, 2, .integer = 3 * 8 * STEPS},     /* even */
	{"divergence", "branchy", {1000}, .source = INPUT_USER, .integer = 3 * 8 * STEPS},
	{"divergence", "branchless", {1000}, .integer = 3 * 8 * STEPS},
	{"divergence", "warp-aligned", {1000}, .integer = 3 * 8 * STEPS},
	{"divergence", "warp-aligned", {1000}, 1, .integer = 2 * 3 * 8 * STEPS},
	{"divergence", "uniform-branch", {1000}, .integer = 3 * 8 * STEPS},
	{"divergence", "compiled-branch", {1000}, .integer = 3 * 8 * STEPS},
	{"divergence", "compiled-branch", {1000}, .set = {"FORM", 2}, .integer = 4 * 8 * STEPS},
	{"divergence", "ragged-loop", {1000}, .integer = 3 * 8 * STEPS},
	{"divergence", "sorted-loop", {1000}, .integer = 3 * 7 * STEPS},

#define TRIPS 8000.0 /* 1000 elements, 8 trips */
#define TRIPS_OF(variant)        \
	"instructions", variant, \
	{                        \
		1000, 8          \
	}
#define ONE_ARRAY .bytes_read = 4000
	{TRIPS_OF("fma"), .f32 = 2 * TRIPS, ONE_ARRAY},
	{TRIPS_OF("add"), .f32 = 4 * TRIPS, ONE_ARRAY},
	{TRIPS_OF("add"), .rules = ARITHMETIC_CUDA_FAST, .f32 = 4 * TRIPS},
	/* -cl-fast-relaxed-math may reorder sums and products: x + c + c + ... is x + 1000 c. */
	{TRIPS_OF("add"), .rules = ARITHMETIC_OPENCL_RELAXED},
	{TRIPS_OF("mul"), .rules = ARITHMETIC_OPENCL_EMBEDDED_RELAXED},
	{TRIPS_OF("reciprocal-mul"), .rules = ARITHMETIC_OPENCL_RELAXED},
	{TRIPS_OF("fma"), .rules = ARITHMETIC_OPENCL_RELAXED, .f32 = 2 * TRIPS},
	{TRIPS_OF("mul"), .f32 = 4 * TRIPS, ONE_ARRAY},
	{TRIPS_OF("reciprocal-mul"), .f32 = 4 * TRIPS, ONE_ARRAY},
	{TRIPS_OF("int-mul"), .integer = TRIPS, ONE_ARRAY},
	{TRIPS_OF("divide"), .f32 = 2 * TRIPS, .special = 2 * TRIPS, ONE_ARRAY, .uncounted = true},
	{TRIPS_OF("divide"), .rules = ARITHMETIC_CUDA, .f32 = 2 * TRIPS, .special = 4 * TRIPS,
		.uncounted = true},
	{TRIPS_OF("divide"), .rules = ARITHMETIC_OPENCL_RELAXED, .uncounted = true},
	{TRIPS_OF("divide"), .rules = ARITHMETIC_CUDA_FAST, .f32 = 2 * TRIPS, .uncounted = true},
	{TRIPS_OF("sqrt"), .f32 = 4 * TRIPS, .special = TRIPS, ONE_ARRAY, .uncounted = true},
	{TRIPS_OF("sin"), .f32 = 4 * TRIPS, ONE_ARRAY, .uncounted = true},
	{TRIPS_OF("sin"), .rules = ARITHMETIC_CUDA_FAST, .f32 = 4 * TRIPS, .special = TRIPS,
		.uncounted = true},
	{TRIPS_OF("sin-native"), .rules = ARITHMETIC_OPENCL_RELAXED, .f32 = 4 * TRIPS,
		.special = TRIPS},
	{TRIPS_OF("exp-product"), .rules = ARITHMETIC_OPENCL_RELAXED, .f32 = 4 * TRIPS,
		.uncounted = true},
	{TRIPS_OF("sin-native"), .f32 = 4 * TRIPS, .special = TRIPS},
	{TRIPS_OF("cos"), .f32 = 4 * TRIPS, ONE_ARRAY, .uncounted = true},
	{TRIPS_OF("cos-native"), .f32 = 4 * TRIPS, .special = TRIPS},
	{TRIPS_OF("exp"), .f32 = 4 * TRIPS, .special = TRIPS, ONE_ARRAY, .uncounted = true},
	{TRIPS_OF("exp-native"), .f32 = 4 * TRIPS, .special = TRIPS},
	{TRIPS_OF("exp-product"), .f32 = 4 * TRIPS, .special = 3 * TRIPS, .uncounted = true},
	{TRIPS_OF("exp-sum"), .f32 = 4 * TRIPS, .special = TRIPS, ONE_ARRAY, .uncounted = true},
	{TRIPS_OF("f64-fma"), .f64 = 2 * TRIPS, ONE_ARRAY},
	{TRIPS_OF("f16-fma"), .f16 = 2 * TRIPS, ONE_ARRAY},
	/* One sum. An index takes two operations; the four chains of a thread may share it. */
	{TRIPS_OF("constant-uniform"), .f32 = 2 * TRIPS, .integer = 2 * TRIPS, ONE_ARRAY},
	{TRIPS_OF("constant-divergent"), .f32 = 2 * TRIPS, .integer = 2 * TRIPS / 4, ONE_ARRAY},
	{TRIPS_OF("global-table"), .f32 = 2 * TRIPS, .integer = 2 * TRIPS / 4,
		.bytes_read = 4000 + 1024},

	/* Two exponentials for each element, or one if a register keeps the result. */
	{"softmax", "naive", {10, 100}, 1, .f32 = 4000, .special = 2000},
	{"softmax", "safe", {10, 100}, .f32 = 4000, .special = 2000},
	{"softmax", "online", {10, 100}, .f32 = 4000, .special = 2000},
	{"softmax", "fused", {10, 100}, .f32 = 4000, .special = 1000},
	{"softmax", "fused", {1, 100000}, .f32 = 400000, .special = 200000},

	/* One sector of each visited line. 32 chases of 2048 lines each visit different lines. */
	{"latency", "chase", {1 << 10, 64}, .bytes_read = 32 * 1024},
	{"latency", "chase", {1 << 21, 2048}, .bytes_read = 32 * 65536},
	{"latency", "chains", {1 << 19, 1 << 19}, .bytes_read = 32 * (1 << 19)},

	/* There are min(stride, 8) passes. With strides above 1, a pass writes a part of each
	 * sector and transfers all of B. From stride 16 on, a pass also transfers all of A. */
	{"coalesce", "contiguous", {1 << 20}},
	{"coalesce", "stride2", {1 << 20}, .overfetched = 2 * 4 * (1 << 20)},
	{"coalesce", "stride8", {1 << 20}, .overfetched = 8 * 4 * (1 << 20)},
	{"coalesce", "stride16", {1 << 20}, .overfetched = 2 * 8 * 4 * (1 << 20)},
	{"coalesce", "stride32", {1 << 20}, .overfetched = 2 * 8 * 4 * (1 << 20)},

	{"reduce", "sequential", {1000}, .f32 = 999, ONE_ARRAY},
	{"reduce", "sequential", {1000}, 3, .integer = 999, ONE_ARRAY}, /* i32 */
	/* Elements inside of a window. The 9 windows of a thread share 23 terms. */
	{"window", "direct", {1000, 31}, .f32 = 31 * 1000 - 2 * 120, ONE_ARRAY},
	{"window", "coarse", {900, 31}, .f32 = 100 * (30 + 2 * 8)},
	{"window", "coarse", {900, 4095}, .f32 = 100 * (1798 + 2 * 8)}, /* reaches 1799 */
	{"window", "coarse", {9000, 4095}, .f32 = 1000 * (4094 + 2 * 8)},
	{"window", "coarse", {900, 5}, .f32 = 100 * 9 * 4},
	{"window", "coarse", {1, 1}, .f32 = 0},
	{"vecadd", "fine", {1000}, .f32 = 1000, .bytes_read = 8000},
	{"prefetch", "plain", {1000, 64}, .f32 = 128000, ONE_ARRAY},
	{"occupancy", "warps128", {1000}, .f32 = 2 * 256 * 1000, ONE_ARRAY},
};

static struct floor_work work_of(const struct work_row *row)
{
	const struct family *family = family_find(row->family);
	struct config config = config_default(variant_find(family, row->variant));
	struct problem problem = problem_default(family);

	problem_choose(&problem, row->choice);
	memcpy(problem.dim, row->dim, sizeof problem.dim);
	problem.source = row->source;
	problem.arithmetic.rules = row->rules;
	for (size_t i = 0; row->set.name && config.variant->macros[i].name; i++)
		if (strcmp(config.variant->macros[i].name, row->set.name) == 0)
			config.value[i] = row->set.value;
	return config_traffic(&config, &problem);
}

/* An unknown figure counts as 0. */
static void must_be(const char *what, double got, double want)
{
	test_note("%s: %.0f", what, got);
	test_near(isnan(got) ? 0 : got, want, 0);
}

TEST_ROWS(work, work_rows, "%s/%s, row %zu", row->family, row->variant, i)
{
	struct floor_work work = work_of(row);

	if (row->bytes_read > 0) {
		must_be("bytes read", work.bytes_read, row->bytes_read);
		must_be("bytes of the second-level cache", work.l2_bytes,
			work.bytes_read + work.bytes_written);
	}
	if (strcmp(row->family, "latency") == 0)
		return; /* the family has no operations */
	must_be("f32", work.operations[OPERATIONS_F32], row->f32);
	must_be("f16", work.operations[OPERATIONS_F16], row->f16);
	must_be("f64", work.operations[OPERATIONS_F64], row->f64);
	must_be("integer", work.operations[OPERATIONS_INTEGER], row->integer);
	must_be("special", work.operations[OPERATIONS_SPECIAL], row->special);
	EQUAL(work.uncounted, row->uncounted);
	must_be("overfetched", work.overfetched, row->overfetched);
}

/* The bytes of a chase are those of the lines that it visits, counted one by one. */
TEST(lines_of_chases, "lines of chases")
{
	static const int64_t sizes[] = {(1 << 18) + 1, (1 << 18) + 3, 300000, 524287, 700001};
	static const int64_t hops[] = {1, 1021, 20000, 100000};
	static unsigned char seen[700001];
	static uint32_t next[700001];
	const struct family *family = family_find("latency");

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (size_t h = 0; h < sizeof hops / sizeof *hops; h++) {
			struct config config = config_default(&family->variants[0]);
			struct problem problem = problem_default(family);
			double lines = 0;

			problem.dim[0] = sizes[s];
			problem.dim[1] = hops[h];
			for (int64_t line = 0; h == 0 && line < sizes[s]; line++)
				family->fill(&problem, 0, line * 32, 1, &next[line]);
			memset(seen, 0, sizeof seen);
			for (int64_t c = 0; c < 32; c++) {
				int64_t line = c * sizes[s] / 32;

				for (int64_t hop = 0; hop < hops[h]; hop++) {
					lines += !seen[line];
					seen[line] = 1;
					line = next[line];
				}
			}
			test_near(config_traffic(&config, &problem).bytes_read, 32 * lines, 0);
		}
}

/* A fill is not counted as a launch, because its time on the device is unknown. */
TEST(launches, "launches without fills")
{
	static const struct {
		const char *family, *variant;
		int64_t dim[PMPP_MAX_DIMS];
		double want;
	} rows[] = {
		{"vecadd", "fine", {1000}, 1},
		{"histogram", "private", {1000, 256}, 1}, /* and a fill */
		{"audit", "foo", {1000}, 1},              /* and a fill */
		{"reduce", "sequential", {1000}, 2},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct work_row row = {.family = rows[i].family, .variant = rows[i].variant};

		memcpy(row.dim, rows[i].dim, sizeof row.dim);
		test_note("%s/%s", row.family, row.variant);
		test_near(work_of(&row).launches, rows[i].want, 0);
	}
}
