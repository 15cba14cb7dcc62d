/* The configs, plans and notes of rows on devices of several shapes. */
#include "common/model/access_model.h"
#include "host/suite/device.h"
#include "host/suite/outcome.c"
#include "tests/support/test.h"
#include "tests/support/variants.h"

#define KIB 1024

/* ---- LANES ----------------------------------------------------------------------------------- */

static const struct lanes_row {
	int32_t lanes;
	int value;
} lanes_rows[] = {
	{1, 4}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {48, 32}, {64, 64}, {128, 128}, {256, 128}};

TEST_ROWS(lanes_of_shape, lanes_rows, "%d lanes", row->lanes)
{
	const struct variant *variant = variant_find(family_find("reduce"), "shuffle");
	struct kernel_shape shape = kernel_shape_reference;

	shape.lanes = row->lanes;
	const struct config config = config_for(variant, &shape);
	EQUAL(config_lanes(&config), row->value);
	EQUAL(config_value(&config, "LANES"), row->value);
	EQUAL(config_value(&config, "BLOCK"), 256);
}

/* Fixed macros have the value 0 in some rows, which is no mark. */
TEST(fixed_macros, "fixed macros of value 0")
{
	const struct config config =
		config_default(variant_find(family_find("camping"), "aligned"));

	CHECK(EQUAL(config_value(&config, "PADDING"), 0), EQUAL(config_value(&config, "SKEWED"), 0),
		EQUAL(config_lanes(&config), 32));
}

TEST(every_width, "each row on each width")
{
	struct kernel_shape shape = kernel_shape_reference;

	EACH_VARIANT (variant)
		for (shape.lanes = 4; shape.lanes <= 128; shape.lanes *= 2) {
			const struct config config = config_for(variant, &shape);
			if (variant->infeasible && variant->infeasible(&config))
				test_fail("%s/%s with %d lanes: %s", variant_family(variant)->name,
					variant->name, shape.lanes, variant->infeasible(&config));
		}
}

/* In narrow warps, the first warp adds the values of several warps one after the other. */
TEST(chain_of_narrow_warps, "roundings of narrow warps")
{
	static const struct {
		int32_t lanes;
		int64_t chain;
	} rows[] = {{32, 1 + 5 + 0 + 3}, {8, 1 + 3 + 3 + 3}, {4, 1 + 2 + 15 + 2}};
	const struct family *family = family_find("reduce");
	struct problem problem = problem_default(family);

	problem.dim[0] = 512; /* one block */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kernel_shape shape = kernel_shape_reference;

		shape.lanes = rows[i].lanes;
		const struct config config = config_for(variant_find(family, "shuffle"), &shape);
		EQUAL(config.variant->chain(&config, &problem), rows[i].chain);
	}
}

/* A block that is too small for the width gets the next larger choice. */
TEST(larger_block, "a block that is too small for the width")
{
	const struct variant *variant = variant_find(family_find("divergence"), "sorted-loop");
	struct kernel_shape shape = kernel_shape_reference;

	for (shape.lanes = 16; shape.lanes <= 64; shape.lanes *= 2) {
		const struct config config = config_for(variant, &shape);
		EQUAL(config_value(&config, "BLOCK"), 256);
	}
	const struct config config = config_for(variant, &shape);
	CHECK(EQUAL(config_lanes(&config), 128), EQUAL(config_value(&config, "BLOCK"), 512));
}

/* ---- Members that rows read ------------------------------------------------------------------ */

/* What a row does with a problem: its plan, its scratch buffers and its work; and whether the problem
 * is in the row's domain. */
struct effect {
	bool inside;
	struct plan plan;
	uint64_t scratch[PMPP_MAX_SCRATCH];
	struct floor_work work;
};

static void effect_of(const struct variant *variant, const struct kernel_shape *shape,
	const struct problem *problem, struct effect *ret)
{
	const struct config config = config_for(variant, shape);

	memset(ret, 0, sizeof *ret); /* padding, for memcmp() */
	config_plan(&config, problem, &ret->plan);
	if (variant->scratch)
		variant->scratch(&config, problem, ret->scratch);
	ret->work = config_traffic(&config, problem);
	ret->inside = !variant->domain || !variant->domain(&config, problem);
}

static bool same_plan(const struct plan *a, const struct plan *b)
{
	bool same = a->step_count == b->step_count;

	for (size_t s = 0; same && s < a->step_count; s++) {
		const struct plan_launch *x = plan_step_launch(&a->steps[s]);
		const struct plan_launch *y = plan_step_launch(&b->steps[s]);

		if (x)
			same = memcmp(x->groups, y->groups, sizeof x->groups) == 0 &&
			       memcmp(x->block, y->block, sizeof x->block) == 0 &&
			       x->shared_bytes == y->shared_bytes;
		for (size_t i = 0; x && i < x->arg_count; i++)
			same = same && x->args[i].value == y->args[i].value;
	}
	return same;
}

static bool same_number(double a, double b)
{
	return a == b || (a != a && b != b);
}

static bool same_work(const struct floor_work *a, const struct floor_work *b)
{
	const double *x[] = {&a->bytes_read, &a->bytes_written, &a->again_read, &a->again_written,
		&a->again_after, &a->overfetched};
	const double *y[] = {&b->bytes_read, &b->bytes_written, &b->again_read, &b->again_written,
		&b->again_after, &b->overfetched};
	bool same = true;

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		same = same && same_number(*x[i], *y[i]);
	return same;
}

static const struct member_row {
	const char *name;
	unsigned bit;
	struct kernel_shape shape; /* differs from the reference in this member */
} member_rows[] = {
	{"lanes", KERNEL_SHAPE_LANES, {8, 132, 2048, 228 * KIB, 32, 0}},
	{"units", KERNEL_SHAPE_UNITS, {32, 7, 2048, 228 * KIB, 32, 0}},
	{"resident threads", KERNEL_SHAPE_UNIT_THREADS, {32, 132, 1024, 228 * KIB, 32, 0}},
	{"shared memory", KERNEL_SHAPE_UNIT_SHARED, {32, 132, 2048, 64 * KIB, 32, 0}},
	{"sector", KERNEL_SHAPE_SECTOR, {32, 132, 2048, 228 * KIB, 16, 0}},
};

/* Rows that depend on the shape only at sizes below the default one of GPUs. */
static const struct {
	const char *family, *variant;
	int64_t dim[PMPP_MAX_DIMS];
} small_problems[] = {
	{"matmul", "split-k", {37, 4096, 4096}}, /* few tiles */
};

static void set_size(const struct variant *variant, struct problem *problem)
{
	problem_default_size(problem, DEVICE_CLASS_GPU);
	for (size_t i = 0; i < sizeof small_problems / sizeof *small_problems; i++)
		if (variant_find(family_find(small_problems[i].family),
			    small_problems[i].variant) == variant)
			memcpy(problem->dim, small_problems[i].dim, sizeof problem->dim);
}

/* A row has the bit of each member on which its plan, its work or its domain depends, and no other
 * bits. */
TEST_ROWS(declared, member_rows, "rows that read the %s", row->name)
{
	EACH_VARIANT (variant) {
		const struct family *family = variant_family(variant);
		const struct config config = config_for(variant, &row->shape);
		struct problem problem = problem_default(family);
		bool reads = config_reads(&config) & row->bit;
		struct effect plain, other;

		if (family->internal) /* sizes come from the device */
			continue;
		set_size(variant, &problem);
		effect_of(variant, &kernel_shape_reference, &problem, &plain);
		effect_of(variant, &row->shape, &problem, &other);
		bool differs = plain.inside != other.inside ||
			       !same_plan(&plain.plan, &other.plan) ||
			       !same_work(&plain.work, &other.work) ||
			       memcmp(plain.scratch, other.scratch, sizeof other.scratch);
		/* The kernel alone may depend on LANES; a small stride moves as many
		 * bytes with any sector. */
		bool allowed = config_lanes(&config) || row->bit == KERNEL_SHAPE_SECTOR;
		if (differs != reads && !(reads && allowed))
			test_fail("%s/%s: depends on the %s: %d, declared: %d", family->name,
				variant->name, row->name, differs, reads);
	}
}

/* ---- Grids ----------------------------------------------------------------------------------- */

#define H200                                    \
	{                                       \
		32, 132, 2048, 228 * KIB, 32, 0 \
	}
#define MI300X                                 \
	{                                      \
		64, 304, 2048, 64 * KIB, 64, 0 \
	}
#define ARC_A770                               \
	{                                      \
		16, 32, 1024, 128 * KIB, 64, 0 \
	}
#define RTX_3090                               \
	{                                      \
		32, 82, 1536, 100 * KIB, 32, 0 \
	}
#define CPU(cores)                                     \
	{                                              \
		32, 132, 2048, 228 * KIB, 32, 0, cores \
	}

static const struct plan_row {
	const char *family, *variant;
	int64_t dim[3];
	struct kernel_shape shape;
	size_t step;
	uint64_t groups;
	uint32_t shared_bytes, block[2];
} plan_rows[] = {
	/* 8 blocks per unit */
	{"reduce", "coarse", {1 << 27}, H200, 0, 1056, 0, {256, 1}},
	{"reduce", "coarse", {1 << 27}, MI300X, 0, 2432, 0, {256, 1}},
	{"reduce", "vector", {1 << 27}, ARC_A770, 0, 128, 0, {256, 1}},
	{"reduce", "single-pass", {1 << 27}, RTX_3090, 1, 328, 0, {256, 1}},
	{"vecadd", "grid-stride", {1 << 26}, MI300X, 0, 2432, 0, {256, 1}},
	/* 2 blocks per unit */
	{"prefetch", "plain", {1 << 26, 64}, MI300X, 0, 608, 0, {256, 1}},
	{"prefetch", "plain", {1 << 26, 64}, ARC_A770, 0, 64, 0, {256, 1}},
	/* as many blocks of 1024 threads as are resident; at most one copy for each lane */
	{"histogram", "replicated", {1 << 28, 256}, MI300X, 1, 608, 32 * KIB, {1024, 1}},
	{"histogram", "replicated", {1 << 28, 256}, ARC_A770, 1, 32, 16 * KIB, {1024, 1}},
	{"histogram", "coarse-interleaved", {1 << 28, 256}, RTX_3090, 1, 123, KIB, {1024, 1}},
	{"histogram", "coarse-interleaved", {1 << 28, 256}, {32, 1, 512, 1, 32, 0}, 1, 1, KIB,
		{1024, 1}},
	/* 32 tiles of 64 x 128, in as many parts as two blocks per unit */
	{"matmul", "split-k", {37, 4096, 4096}, H200, 0, 32 * 8, 0, {128, 1}},
	{"matmul", "split-k", {37, 4096, 4096}, H200, 1, 592, 0, {256, 1}},
	{"matmul", "split-k", {37, 4096, 4096}, RTX_3090, 0, 32 * 5, 0, {128, 1}},
	/* at least 8 tiles of 16 steps in a part; one tile in 8 parts of 128 */
	{"matmul", "split-k", {1, 1, 1024}, MI300X, 0, 8, 0, {128, 1}},
	{"matmul", "split-k", {64, 64, 255}, MI300X, 0, 2, 0, {128, 1}},
	{"matmul", "split-k", {64, 64, 240}, MI300X, 0, 1, 0, {128, 1}},
	/* more tiles than blocks: no parts */
	{"matmul", "split-k", {2048, 2048, 2048}, H200, 0, 512, 0, {128, 1}},
	/* a CPU: equal tiles of at most 1026 x 512, balanced over the cores */
	{"matmul", "cpu-packed", {1, 1, 1}, CPU(2), 0, 1, 804 * KIB, {1, 1}},
	{"matmul", "cpu-packed", {512, 512, 512}, CPU(2), 0, 2, 804 * KIB, {1, 1}},
	{"matmul", "cpu-packed", {2048, 2048, 2048}, CPU(2), 0, 8, 804 * KIB, {1, 1}},
	{"matmul", "cpu-packed", {1536, 512, 16}, CPU(2), 0, 2, 804 * KIB, {1, 1}},
	{"matmul", "cpu-packed", {1024, 1024, 1024}, CPU(64), 0, 64, 804 * KIB, {1, 1}},
	{"matmul", "cpu-packed", {37, 4096, 4096}, CPU(64), 0, 64, 804 * KIB, {1, 1}},
	{"matmul", "cpu-packed", {512, 512, 512}, CPU(0), 0, 1, 804 * KIB, {1, 1}},
	/* short matrices: 4 tiles of 384 columns, not 3 of 512; 3 of 128, not 2 of 192 */
	{"matmul", "cpu-packed", {8, 1536, 64}, CPU(2), 0, 4, 804 * KIB, {1, 1}},
	{"matmul", "cpu-packed", {8, 384, 64}, CPU(3), 0, 3, 804 * KIB, {1, 1}},
	{"camping", "aligned", {16384, 4096}, MI300X, 0, 2048, 0, {64, 8}},
	{"camping", "aligned", {16384, 4096}, ARC_A770, 0, 2048, 0, {16, 8}},
	/* the same part of the unit's shared memory, in steps of 256 bytes */
	{"occupancy", "resident1", {1 << 26}, H200, 0, 1 << 19, 120 * KIB, {128, 1}},
	{"occupancy", "resident16", {1 << 26}, H200, 0, 1 << 19, 12 * KIB, {128, 1}},
	{"occupancy", "resident4", {1 << 26}, MI300X, 0, 1 << 19, 52 * 256, {128, 1}},
	{"occupancy", "resident8", {1 << 26}, ARC_A770, 0, 1 << 19, 59 * 256, {128, 1}},
};

TEST_ROWS(plans, plan_rows, "%s/%s, %d lanes, %d units", row->family, row->variant,
	row->shape.lanes, (int)row->shape.units)
{
	const struct family *family = family_find(row->family);
	const struct config config = config_for(variant_find(family, row->variant), &row->shape);
	struct problem problem = problem_default(family);
	struct plan plan;

	memcpy(problem.dim, row->dim, sizeof row->dim);
	config_plan(&config, &problem, &plan);
	const struct plan_launch *launch = plan_step_launch(&plan.steps[row->step]);
	CHECK(EQUAL(plan_launch_groups(launch), row->groups),
		EQUAL(launch->shared_bytes, row->shared_bytes),
		EQUAL(launch->block[0], row->block[0]), EQUAL(launch->block[1], row->block[1]));
}

/* The blocks that a unit holds by its shared memory: the number in the name of the row. reserved:
 * bytes that a block takes beyond its own. */
static const struct resident_row {
	const char *name;
	int64_t unit_bytes, reserved, most; /* most: by the threads of the unit */
} resident_rows[] = {
	{"compute capability 9.0", 228 * KIB, KIB, 16},
	{"compute capability 8.0", 164 * KIB, KIB, 16},
	{"compute capability 8.6", 100 * KIB, KIB, 12},
	{"CDNA and RDNA, 64 KiB", 64 * KIB, 0, 16},
	{"CDNA 4, 160 KiB", 160 * KIB, 0, 16},
	{"Xe-HPG, 128 KiB", 128 * KIB, 0, 8},
};

TEST_ROWS(resident, resident_rows, "resident blocks: %s", row->name)
{
	static const struct {
		const char *variant;
		int64_t blocks;
	} variants[] = {{"resident1", 1}, {"resident2", 2}, {"resident4", 4}, {"resident8", 8},
		{"resident16", 16}};
	const struct family *family = family_find("occupancy");
	struct kernel_shape shape = kernel_shape_reference;
	struct problem problem = problem_default(family);

	shape.unit_shared_bytes = row->unit_bytes;
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		const struct config config =
			config_for(variant_find(family, variants[i].variant), &shape);
		int64_t most = variants[i].blocks < row->most ? variants[i].blocks : row->most;
		struct plan plan;

		config_plan(&config, &problem, &plan);
		int64_t held = plan_step_launch(&plan.steps[0])->shared_bytes + row->reserved;
		int64_t blocks = row->unit_bytes / held;
		EQUAL(blocks < row->most ? blocks : row->most, most);
	}
}

/* ---- Unknown figures ------------------------------------------------------------------------- */

TEST(unknown, "unknown figures")
{
	const struct device_shape nothing = {.width_count = 0};
	struct gpu_device_info info = {.type = GPU_TYPE_GPU, .shape = nothing};
	const struct kernel_shape shape = suite_kernel_shape(&info, NULL);
	const struct family *family = family_find("occupancy");
	struct problem problem = problem_default(family);
	struct result_row row;

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	struct config config = config_for(variant_find(family, "resident4"), &shape);
	HAS(config.variant->domain(&config, &problem), "unknown");
	config = config_default(config.variant);
	NIL(config.variant->domain(&config, &problem));

	family = family_find("divergence");
	problem = problem_default(family);
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	config = config_for(variant_find(family, "warp-aligned"), &shape);
	fill_row_head(&config, &problem, &info, NULL, &row);
	fill_claim(&config, &info, &row);
	CHECK(EQUAL(row.lanes, 32), EQUAL(named_list_get(&row.macros, "LANES", -1), -1),
		EQUAL(row.notes.count, 1),
		STRING(row.notes.items[0],
			"the width of this device is unknown: LANES=32 is assumed; set it with --set LANES=N"),
		STRING(row.claim.reason,
			"this device is not known to execute several threads in lockstep"));
	record_finish(&result_row_type, &row);

	/* The user's value is no assumption, and is a macro like any other. */
	config.value[1] = 16;
	STRING(config.variant->macros[1].name, "LANES");
	fill_row_head(&config, &problem, &info, NULL, &row);
	CHECK(EQUAL(row.lanes, 16), EQUAL(named_list_get(&row.macros, "LANES", -1), 16),
		EQUAL(row.notes.count, 0));
	record_finish(&result_row_type, &row);

	config = config_default(variant_find(family, "branchless"));
	fill_row_head(&config, &problem, &info, NULL, &row);
	CHECK(EQUAL(row.lanes, -1), EQUAL(row.notes.count, 0));
	record_finish(&result_row_type, &row);
}

/* CPUs and emulators have the reference, whatever they report. A CPU also has its number of cores. */
TEST(reference_shape, "CPUs and emulators")
{
	struct gpu_device_info info = {.type = GPU_TYPE_CPU};

	shape_set(&info.shape, SHAPE_LANES, 16, SHAPE_QUERY, "test");
	shape_set(&info.shape, SHAPE_UNITS, 4, SHAPE_QUERY, "test");
	info.limits.compute_units = 3;
	struct kernel_shape shape = suite_kernel_shape(&info, NULL);
	EQUAL(shape.cores, 3);
	shape.cores = 0;
	assert_memory_equal(&shape, &kernel_shape_reference, sizeof shape);
	info.type = GPU_TYPE_EMULATED;
	shape = suite_kernel_shape(&info, NULL);
	assert_memory_equal(&shape, &kernel_shape_reference, sizeof shape);
	info.type = GPU_TYPE_GPU;
	shape = suite_kernel_shape(&info, NULL);
	CHECK(EQUAL(shape.lanes, 16), EQUAL(shape.units, 4), EQUAL(shape.cores, 0),
		EQUAL(shape.assumed, KERNEL_SHAPE_UNIT_THREADS | KERNEL_SHAPE_UNIT_SHARED |
					     KERNEL_SHAPE_SECTOR));
	shape = suite_kernel_shape(NULL, access_model_find("gfx942"));
	CHECK(EQUAL(shape.lanes, 64), EQUAL(shape.units, 132), EQUAL(shape.assumed, 0));
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static const struct claim_row {
	const char *name;
	int64_t lanes, banks, on_chip, line; /* -1: unknown */
	unsigned models;
} claim_rows[] = {
	{"NVIDIA", 32, 32, 1, 128,
		CLAIM_OF_WARPS | CLAIM_OF_WIDE_WARPS | CLAIM_OF_BANKS | CLAIM_OF_SHARED |
			CLAIM_OF_SECTORS},
	{"Intel", 16, 16, 1, 64,
		CLAIM_OF_WARPS | CLAIM_OF_BANKS | CLAIM_OF_SHARED | CLAIM_OF_SECTORS},
	{"Mali", 16, -1, 0, 64, CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
	{"one lane", 1, -1, 1, 64, CLAIM_OF_SHARED | CLAIM_OF_SECTORS},
	{"banks without shared memory", 64, 32, 0, -1, CLAIM_OF_WARPS | CLAIM_OF_WIDE_WARPS},
	{"unknown", -1, -1, -1, -1, CLAIM_OF_SHARED},
};

TEST_ROWS(claims, claim_rows, "claims: %s", row->name)
{
	struct device_shape shape = {.width_count = 0};
	char text[160];

	shape_set(&shape, SHAPE_LANES, row->lanes, SHAPE_QUERY, "test");
	shape_set(&shape, SHAPE_BANKS, row->banks, SHAPE_TABLE, "test");
	shape_set(&shape, SHAPE_SHARED_ON_CHIP, row->on_chip, SHAPE_QUERY, "test");
	shape_set(&shape, SHAPE_LINE, row->line, SHAPE_QUERY, "test");
	CHECK(NIL(claim_missing_text(row->models, &shape)), NIL(claim_missing_text(0, &shape)));
	for (unsigned bit = 1; bit <= CLAIM_OF_WIDE_WARPS; bit *= 2) {
		EQUAL(claim_missing_text(bit, &shape) == NULL, (row->models & bit) != 0);
		claim_needs_text(bit, text, sizeof text);
		IS(*text);
	}
	claim_needs_text(0, text, sizeof text);
	STRING(text, "");
}

/* sub_group_reduce_add() has no defined order, so its sums of f32 promise no bits. */
TEST(promise_of_bits, "sums in any order")
{
	const struct family *family = family_find("reduce");
	const struct config shuffle = config_default(variant_find(family, "shuffle"));
	const struct config tree = config_default(variant_find(family, "sequential"));
	struct problem problem = problem_default(family);

	EQUAL(config_reproducibility(&shuffle, &problem), REPRO_BITWISE);
	problem.arithmetic.warp_sums_in_any_order = true;
	EQUAL(config_reproducibility(&shuffle, &problem), REPRO_BOUND);
	EQUAL(config_reproducibility(&tree, &problem), REPRO_BITWISE);
	problem.dtype = DTYPE_I32;
	EQUAL(config_reproducibility(&shuffle, &problem), REPRO_BITWISE);
}
