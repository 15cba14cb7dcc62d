/*
 * divergence: the cost of threads of a warp that take different branches. All rows solve one
 * problem, so that they can be compared with each other:
 *
 *   x = A[i];  x = x is even ? 2 x : x + 1;
 *   6, 7 or 8 times (by i):  STEPS times:  x = (A[i] is even ? x * FACTOR : x + ADDEND);
 *                                          x = x xor (x >> 15);
 *   B[i] = x; all arithmetic is modulo 2^32
 *
 * The first line is the textbook's example. Alone it shows no divergence: compilers replace a
 * branch of one instruction by a select, and memory accesses would hide its time. Therefore each
 * side has STEPS dependent steps, too many for a select. They use integers, so that the answer is
 * exact. The xor prevents a compiler from combining the steps into one.
 *
 * In the default data the parity depends on the position: even values have even indices. This is
 * the worst case of a branch. `random` data have no order to which warps could be aligned; with
 * `even` all values have the same parity. The number of trips depends on the position in all cases:
 * 6 6 7 7 7 7 8 8, repeated. Each kernel is right for any data. The claims hold for the default.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/model/passes.h"

#define STEPS 16
#define FACTOR 0x2c1b3c6d /* odd, so that no step loses bits */
#define ADDEND 0x1e3779b9
#define TRIPS_LEAST 6
#define TRIPS_MOST 8
#define TRIPS_MEAN 7
#define OPERATIONS_A_STEP 3 /* multiply or add, shift, xor */
#define CERTAIN_A_STEP 2    /* some processors have one instruction for shift and xor (Arm: EOR) */
#define WORK_AN_ELEMENT 16  /* for budgets: a step takes less time than a multiply-add with loads */

/* ---- The problem --------------------------------------------------------------------------- */

enum kind {
	DATA_ALTERNATING,
	DATA_RANDOM,
	DATA_EVEN
};

static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	uint32_t *values = target;

	if (problem->source == INPUT_CASE)
		data_fill_case(DTYPE_U32, DTYPE_U32, target, first, count, problem->dim[0],
			problem->seed, operand, problem->data_case);
	for (int64_t k = 0; problem->source != INPUT_CASE && k < count; k++) {
		uint64_t i = (uint64_t)(first + k);
		uint32_t bits = (uint32_t)(data_bits(problem->seed, operand, i) >> 32);
		if (problem->data != DATA_RANDOM)
			bits &= ~1u;
		values[k] = problem->data == DATA_ALTERNATING ? bits | (uint32_t)(i & 1) : bits;
	}
}

static uint32_t updated(uint32_t x, int64_t i)
{
	bool odd = x & 1;
	int64_t steps = STEPS * (TRIPS_LEAST + (i / 2 % 4 + 1) / 2);

	x = odd ? x + 1 : 2 * x;
	for (int64_t step = 0; step < steps; step++) {
		x = odd ? x + ADDEND : x * FACTOR;
		x ^= x >> 15;
	}
	return x;
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const uint32_t *a = inputs[0];

	(void)problem;
	for (int64_t k = 0; k < region.rows; k++) {
		int64_t i = region.row + k;
		ret_expected[k] = (struct expected){.value = (int32_t)updated(a[i], i)};
	}
}

static double work(const struct problem *problem)
{
	return WORK_AN_ELEMENT * (double)problem->dim[0];
}

/* Integer operations of the steps. */
static double operations(const struct problem *problem)
{
	return (double)OPERATIONS_A_STEP * STEPS * TRIPS_MEAN * (double)problem->dim[0];
}

static void certain(const struct config *config, const struct problem *problem,
	double ret_operations[OPERATIONS_COUNT])
{
	(void)config;
	ret_operations[OPERATIONS_INTEGER] =
		operations(problem) * CERTAIN_A_STEP / OPERATIONS_A_STEP;
}

static double operations_counted(const struct config *config, const struct problem *problem)
{
	(void)config;
	return operations(problem);
}

/* ---- Plans --------------------------------------------------------------------------------- */

static void plan_uniform(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	plan_launch_add(launch, PLAN_ARG_INT, 1); /* the form of the step */
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/* A load and a store of each element. An inactive thread of a warp takes as much time as an active
 * thread, so its operations count too. lanes: the elements of a warp. */
static void set_traffic(const struct config *config, const struct problem *problem,
	const struct warp_lanes *lanes, int trips, int operations_a_step, struct floor_work *work)
{
	int64_t n = problem->dim[0];

	traffic_set(work, 2 * passes_count_warps(n) * passes_of_warp(lanes), 0);
	work->operations[OPERATIONS_INTEGER] =
		(double)n * trips * config_value(config, "STEPS") * operations_a_step;
}

/* The passes are those of NVIDIA's warps (common/model/floor.h), whatever LANES is. */
static const struct warp_lanes neighbours = {.lanes = WARP_THREADS, .rows = 1, .lane_bytes = 4};

static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, &neighbours, TRIPS_MOST, OPERATIONS_A_STEP, work);
}

/* A warp with both parities runs both sides. The parities of a user's data are unknown. */
static void traffic_branchy(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int stride = config_value(config, "STRIDE");
	bool mixed = problem->source != INPUT_USER &&
		     (problem->data == DATA_RANDOM ||
			     (problem->data == DATA_ALTERNATING && stride == 1));
	struct warp_lanes lanes = neighbours;

	lanes.lane_bytes *= stride;
	set_traffic(config, problem, &lanes, TRIPS_MOST, (mixed ? 2 : 1) * OPERATIONS_A_STEP, work);
}

/* Form 2 has both a product and a sum in each step. */
static void traffic_compiled(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	bool both = config_value(config, "FORM") == 2;

	set_traffic(config, problem, &neighbours, TRIPS_MOST, OPERATIONS_A_STEP + both, work);
}

/* In the sorted form a warp takes every fourth pair of neighbours. In the other forms each warp has
 * a thread with the largest number of trips. */
static void traffic_loop(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	static const struct warp_lanes pairs = {
		.lanes = 2, .rows = WARP_THREADS / 2, .lane_bytes = 4, .row_bytes = 32};
	bool sorted = config_value(config, "SORTED");

	set_traffic(config, problem, sorted ? &pairs : &neighbours,
		sorted ? TRIPS_MEAN : TRIPS_MOST, OPERATIONS_A_STEP, work);
}

/* A block is a whole number of groups of warps that share their elements. */
static const char *infeasible_branchy(const struct config *config)
{
	return config_value(config, "BLOCK") %
			       (config_value(config, "LANES") * config_value(config, "STRIDE"))
		       ? "BLOCK must be a multiple of LANES x STRIDE"
		       : NULL;
}

static const char *infeasible_sorted(const struct config *config)
{
	return config_value(config, "BLOCK") % (4 * config_value(config, "LANES"))
		       ? "BLOCK must be a multiple of 4 LANES"
		       : NULL;
}

static const struct check_size sizes[] = {
	{{TILES(0, 1, 1)}},
	{{TILES(0, 7, 3)}},
	{{AT(1)}},
	{{AT(2)}},
	{{AT(37)}},
	{{AT(997)}},
	{{TILES(0, 1, -1)}},
	{{TILES(0, 1, 0)}},
	{{LARGE(-3)}},
};

/* Other data do not change addresses: the first two sizes are enough. */
static const struct check_rule check = {.large = {.work_each = WORK_AN_ELEMENT, .max = 1 << 20},
	.sets = {{.data = 1 << DATA_ALTERNATING, .sizes = WITH_COUNT(sizes)},
		{.sizes = sizes, .count = 2}}};

/* ---- The ladder ---------------------------------------------------------------------------- */

static const enum dtype dtypes[] = {DTYPE_I32};

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, 0, .dtype_of_problem = true),
	VECTOR("B", OPERAND_OUT, 0, .dtype_of_problem = true),
};

static const int block_choices[] = {32, 64, 128, 256, 512, 1024, 0};
static const int aligned_choices[] = {64, 128, 256, 512, 1024, 0};
static const int sorted_choices[] = {128, 256, 512, 1024, 0};
static const int form_choices[] = {1, 2, 0};

#define FIXED_MACROS                                                                \
	{"STEPS", STEPS, NULL}, {"FACTOR", FACTOR, NULL}, {"ADDEND", ADDEND, NULL}, \
	{                                                                           \
		"TRIPS_LEAST", TRIPS_LEAST, NULL                                    \
	}

#define MAX_TRIPS_MACRO                        \
	{                                      \
		"TRIPS_MOST", TRIPS_MOST, NULL \
	}

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "divergence_" stem

#define ROW .tile = {{"BLOCK"}}

static const struct variant variants[] = {
	{.name = "branchy",
		.technique = "-",
		.idea = "the parity of the element selects a side of the branch: neighbours differ, so "
			"every warp runs both sides",
		.book = "4.5",
		KERNEL("branchy"),
		.plan = plan_tiles,
		.traffic = traffic_branchy,
		.infeasible = infeasible_branchy,
		.macros = {{"BLOCK", 256, block_choices}, MACRO_LANES, {"STRIDE", 1, NULL},
			FIXED_MACROS, MAX_TRIPS_MACRO},
		ROW},
	{.name = "branchless",
		.technique = "no branch",
		.idea = "the parity selects the operands of one step for both cases: x (2 - odd) + odd",
		.book = "4.5, table 6.1",
		.base = "branchy",
		KERNEL("branchless"),
		.plan = plan_tiles,
		.traffic = traffic,
		.macros = {{"BLOCK", 256, block_choices}, FIXED_MACROS, MAX_TRIPS_MACRO},
		.claim = {.text = "branchless >= 1.3 x divergent branch",
			.at_least = 1.3,
			.needs = CLAIM_OF_WARPS},
		ROW},
	{.name = "warp-aligned",
		.technique = "warp alignment",
		.idea = "the same branch, but a warp takes every second element: all of its threads "
			"take the same side",
		.book = "4.5, table 6.1",
		.base = "branchy",
		KERNEL("branchy"),
		.plan = plan_tiles,
		.traffic = traffic_branchy,
		.infeasible = infeasible_branchy,
		.macros = {{"BLOCK", 256, aligned_choices}, MACRO_LANES, {"STRIDE", 2, NULL},
			FIXED_MACROS, MAX_TRIPS_MACRO},
		.claim = {.text = "warps of one parity >= 1.3 x mixed warps",
			.at_least = 1.3,
			.needs = CLAIM_OF_WARPS},
		ROW},
	{.name = "uniform-branch",
		.technique = "uniform branch",
		.idea = "a kernel argument chooses between two forms of the step: a branch on which "
			"all threads agree",
		.book = "4.5",
		.base = "branchless",
		KERNEL("uniform_branch"),
		.plan = plan_uniform,
		.traffic = traffic,
		.macros = {{"BLOCK", 256, block_choices}, FIXED_MACROS, MAX_TRIPS_MACRO},
		.claim = {.text = "uniform branch >= 0.9 x no branch", .at_least = 0.9},
		ROW},
	{.name = "compiled-branch",
		.technique = "macro",
		.idea = "a macro chooses between the same two forms: the kernel has no branch",
		.book = "4.5",
		.base = "uniform-branch",
		KERNEL("compiled_branch"),
		.plan = plan_tiles,
		.traffic = traffic_compiled,
		.macros = {{"BLOCK", 256, block_choices}, {"FORM", 1, form_choices}, FIXED_MACROS,
			MAX_TRIPS_MACRO},
		.claim = {.text = "compiled branch = uniform branch, within 10 %",
			.at_least = 0.9,
			.at_most = 1.1},
		ROW},
	{.name = "ragged-loop",
		.technique = "early exit",
		.idea = "each thread leaves the loop after 6, 7 or 8 iterations: the warp waits for "
			"its longest thread",
		.book = "4.5, Fig. 4.10",
		.base = "branchless",
		KERNEL("loop"),
		.plan = plan_tiles,
		.traffic = traffic_loop,
		.macros = {{"BLOCK", 256, block_choices}, {"SORTED", 0, NULL}, FIXED_MACROS},
		.claim = {.text = "early exit alone: 0.85 to 1.1 x no early exit",
			.at_least = 0.85,
			.at_most = 1.1,
			.needs = CLAIM_OF_WARPS},
		ROW},
	{.name = "sorted-loop",
		.technique = "equal trips",
		.idea = "a warp takes elements with the same number of iterations, so all of its threads "
			"leave at the same time",
		.book = "4.5, Fig. 4.10",
		.base = "ragged-loop",
		KERNEL("loop"),
		.plan = plan_tiles,
		.traffic = traffic_loop,
		.infeasible = infeasible_sorted,
		.macros = {{"BLOCK", 256, sorted_choices}, MACRO_LANES, {"SORTED", 1, NULL},
			FIXED_MACROS},
		.claim = {.text = "warps of equal trips >= 1.05 x mixed warps",
			.at_least = 1.05,
			.needs = CLAIM_OF_WARPS},
		ROW},
};

const struct family family_divergence = {
	.name = "divergence",
	.title = "B = update of A by parity",
	.size_help =
		"B[n] = 2 A[n] if A[n] is even, else A[n] + 1, then 6 to 8 iterations of 16 steps, "
		"in i32; size n, from 1 to 2^40",
	.book = "PMPP 4th ed., 4.5 and table 6.1",
	.dim_names = {"n"},
	.dim_count = 1,
	.dim_max = (int64_t)1 << 40,
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 24},
		[DEVICE_CLASS_CPU] = {1 << 18},
		[DEVICE_CLASS_EMULATED] = {1 << 14}},
	.dtypes = WITH_COUNT(dtypes),
	.data = {"alternating", "random", "even"},
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.cases = ALL_CASES,
	.reference = reference,
	.certain = certain,
	.work = work,
	.flops = operations,
	.check = &check,
	.metric = {METRIC_PER_CYCLE, "int op/cycle", operations_counted},
	.variants = WITH_COUNT(variants),
};
