/*
 * vecadd: C = A + B, vectors of n elements. Memory limits all variants. They differ in the number
 * and the order of the elements of a thread. The element type changes the number of bytes: f16 is
 * added in f32 and rounded once, u8 is added modulo 256.
 */
#include "common/check_sizes.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>

static const int block_choices[] = {32, 64, 128, 256, 512, 1024, 0};
static const int coarse_choices[] = {1, 2, 4, 8, 0};
static const int span_choices[] = {4096, 16384, 65536, 0};
static const int stream_choices[] = {1, 1 << 24, INT32_MAX, 0};
static const enum dtype dtypes[] = {DTYPE_F32, DTYPE_F16, DTYPE_U8};

/* Maximum number of blocks of grid-stride for each unit of the device: 8 blocks of 256 threads fill
 * a unit of 2048 threads, and a thread takes several elements of a large vector. */
#define UNIT_BLOCKS 8
#define REFERENCE_BLOCKS (UNIT_BLOCKS * 132) /* of the reference shape, for check sizes */

#define VECTOR_BYTES 16 /* size of an access of vector4: 4 f32, 8 f16 or 16 u8 */

static void plan_grid_stride(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	launch->groups[0] =
		(uint64_t)min((int64_t)launch->groups[0], UNIT_BLOCKS * config->shape.units);
}

static void plan_vector4(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int block = config_value(config, "BLOCK");
	int64_t per_vector = VECTOR_BYTES / (int64_t)dtype_info(problem->dtype)->bytes;

	plan_add_grid(ret_plan, config, problem, ceil_div(problem->dim[0], per_vector * block),
		block, 1, PLAN_ARG_ULONG);
}

/* Each thread makes `accesses` accesses of `width` bytes to each of three arrays. The accesses of a
 * thread are neighbours. */
static void set_traffic(
	const struct problem *problem, int64_t accesses, int64_t width, struct floor_work *work)
{
	const struct warp_lanes lanes = {.lanes = WARP_THREADS,
		.rows = 1,
		.lane_bytes = accesses * width,
		.width_bytes = (uint32_t)width};
	int64_t bytes = problem->dim[0] * (int64_t)dtype_info(problem->dtype)->bytes;
	double passes = passes_of_grid(&lanes, ceil_div(bytes, accesses * width), 1);

	traffic_set(work, 3 * (double)accesses * passes, 0);
}

static void traffic_elements(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t bytes = (int64_t)dtype_info(problem->dtype)->bytes;

	set_traffic(problem, config_value_or(config, "COARSE", 1), bytes, work);
}

static void traffic_vector4(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	(void)config;
	set_traffic(problem, 1, VECTOR_BYTES, work);
}

/*
 * The largest error of `value` when it is loaded or stored as f16 (vload_half, vstore_half), besides
 * its rounding: in OpenCL's embedded profile, subnormal numbers may become 0 (OpenCL API specification
 * 3.0, "OpenCL Embedded Profile"). Other rules allow no such error.
 */
static double storage_loss(const struct arithmetic *arithmetic, double value)
{
	bool embedded = arithmetic->rules == ARITHMETIC_OPENCL_EMBEDDED ||
			arithmetic->rules == ARITHMETIC_OPENCL_EMBEDDED_RELAXED;
	bool lost = embedded && fabs(value) < dtype_info(DTYPE_F16)->min_normal;

	return lost ? fabs(value) : 0;
}

/* The largest error of results and operands that become 0. f16 is converted to f32 and added in
 * f32. No f16 number is subnormal in f32, but loads and stores of f16 may lose subnormal numbers.
 */
static double lost(const struct problem *problem, double a, double b)
{
	const struct arithmetic *arithmetic = &problem->arithmetic;

	if (problem->dtype == DTYPE_F32)
		return arithmetic_sum_underflow(arithmetic, 2);
	if (problem->dtype == DTYPE_U8)
		return 0;
	return storage_loss(arithmetic, a) + storage_loss(arithmetic, b) +
	       storage_loss(arithmetic, a + b);
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	enum dtype dtype = problem->dtype;

	for (int64_t i = 0; i < region.rows; i++) {
		double a = dtype_load(dtype, inputs[0], region.row + i);
		double b = dtype_load(dtype, inputs[1], region.row + i);
		double sum = dtype == DTYPE_U8 ? fmod(a + b, 256) : a + b;

		ret_expected[i] = (struct expected){
			.value = sum, .terms = fabs(sum), .slack = lost(problem, a, b)};
	}
}

/* The sum of two integers has one bit more. */
static int64_t integer_limit(const struct problem *problem)
{
	double unit_roundoff = dtype_info(problem->dtype)->unit_roundoff;

	return unit_roundoff > 0 ? (int64_t)(0.5 / unit_roundoff) - 1 : 0;
}

/* few_sizes: for f16 and u8, whose vector tiles are 2 and 4 times as long. Only the edges of the
 * tiles, because each type needs another build of each kernel. */
static const struct check_size f32_sizes[] = {
	{{AT(1)}}, {{AT(2)}}, {{AT(3)}}, {{AT(5)}}, {{AT(31)}}, {{AT(37)}}, {{AT(997)}},
	TILE_EDGES_1(0), {{TILES(0, 7, 3)}}, {{TILES(0, REFERENCE_BLOCKS, 1)}},
	{{LARGE(-3)}}, /* odd: every loop has a tail */
};
static const struct check_size few_sizes[] = {{{AT(1)}}, {{AT(37)}}, {{TILES(0, 4, -1)}},
	{{TILES(0, 4, 1)}}, {{LARGE_PART(-3, 8, -3)}},
	/* Every tail of accesses of 16 bytes. */
	{{AT(18)}}, {{AT(19)}}, {{AT(20)}}, {{AT(22)}}, {{AT(23)}}, {{AT(24)}}, {{AT(25)}},
	{{AT(26)}}, {{AT(27)}}, {{AT(28)}}, {{AT(29)}}, {{AT(30)}}, {{AT(32)}}};

/* 2^24 elements do not fit in most caches. */
static const struct check_rule check = {.large = {.max = PAST_F32},
	.sets = {{.dtypes = 1 << DTYPE_F32, .sizes = WITH_COUNT(f32_sizes)},
		{.sizes = WITH_COUNT(few_sizes)}}};

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, 0, .dtype_of_problem = true, .aliases = "x in1 input1 first left"),
	VECTOR("B", OPERAND_IN, 0, .dtype_of_problem = true,
		.aliases = "y in2 input2 second right"),
	VECTOR("C", OPERAND_OUT, 0, .dtype_of_problem = true,
		.aliases = "z out output result sum dst"),
};

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "vecadd_" stem

#define ROW_COARSE(factor)                                                              \
	.technique = "coarsening", .book = "6.3", .base = "fine", KERNEL("coarse"),     \
	.plan = plan_tiles, .traffic = traffic_elements, .tile = {{"BLOCK", "COARSE"}}, \
	.macros = {{"BLOCK", 256, block_choices}, {"COARSE", (factor), coarse_choices}}

static const struct variant variants[] = {
	{.name = "fine",
		.technique = "-",
		.idea = "one thread per element: coalesced, no reuse",
		.book = "6.3",
		KERNEL("fine"),
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_tiles,
		.traffic = traffic_elements,
		.tile = {{"BLOCK"}}},
	{.name = "coarse2",
		.idea = "2 neighbouring elements per thread: half as many threads, and a warp's "
			"accesses are strided",
		ROW_COARSE(2)},
	{.name = "coarse4",
		.idea = "4 neighbouring elements per thread: a warp's accesses have a stride of 4",
		ROW_COARSE(4)},
	{.name = "grid-stride",
		.technique = "grid stride",
		.idea = "a fixed number of threads goes through the vector in steps of the grid size: "
			"coarse and coalesced",
		.book = "6.3",
		.base = "fine",
		KERNEL("grid_stride"),
		.macros = {{"BLOCK", 256, block_choices}},
		.reads = KERNEL_SHAPE_UNITS,
		.plan = plan_grid_stride,
		.traffic = traffic_elements,
		.tile = {{"BLOCK"}}},
	{.name = "vector4",
		.technique = "16-byte access",
		.idea = "16 neighbouring bytes per thread in one access (4 f32, 8 f16, 16 u8): coarse "
			"and coalesced",
		.book = "6.3",
		.base = "fine",
		KERNEL("vector4"),
		.constants = {{"VECTOR_BYTES", VECTOR_BYTES}},
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_vector4,
		.traffic = traffic_vector4,
		.tile = {{"BLOCK", .times = 4}} /* for f32 */,
		.claim = {.text = "16-byte accesses >= 0.95 x one element per thread",
			.at_least = 0.95}},
	{.name = "cpu-stream",
		.technique = "CPU streaming",
		.idea = "each work-item adds a contiguous range in vectors of 16, with stores that "
			"bypass the cache",
		.book = "-",
		.base = "fine",
		KERNEL("cpu_stream"),
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.macros = {{"SPAN", 4096, span_choices}, {"STREAM_BYTES", 1 << 24, stream_choices}},
		.plan = plan_tiles,
		.tile = {{"SPAN"}}},
};

const struct family family_vecadd = {
	.name = "vecadd",
	.title = "C = A + B",
	.size_help = "C[n] = A[n] + B[n] in f32, f16 or u8 (modulo 256); size n, from 1 to 2^40",
	.book = "PMPP 4th ed., 6.1 and 6.3",
	.aliases = "vecadd vectoradd addvec addvector vadd",
	.dim_names = {"n"},
	.dim_aliases = {"size len length count numelements elements total"},
	.dim_count = 1,
	.dim_max = (int64_t)1 << 40,
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 26},
		[DEVICE_CLASS_CPU] = {1 << 24},
		[DEVICE_CLASS_EMULATED] = {1 << 16}},
	.dtypes = WITH_COUNT(dtypes),
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference,
	.integer_limit = integer_limit,
	.flops = problem_volume,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
