/*
 * audit: the kernel foo of exercise 6.3. The exercise has nine accesses to memory, and the question
 * is which of them are coalesced. There is one variant: the code of the exercise. The comments in
 * the kernel have the answers.
 *
 * The exercise writes two arrays, d and e, with gaps. Here they are one output, d and then e. A
 * fill before the kernel sets it to 0.
 */
#include "common/check_sizes.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>

#define BLOCK 256     /* as in the exercise: the sums in e depend on it */
#define TERMS 4       /* rows of B, columns of C */
#define D_OFFSET 8    /* d[i + 8] */
#define E_STRIDE 8    /* e[i * 8] */
#define SHARED_STEP 4 /* bc_s[t * 4] */

static void plan_foo(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_add_fill(ret_plan, (struct plan_arg){PLAN_ARG_OPERAND, 3}, 0);
	plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);
}

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, 0),
	{.name = "B",
		.role = OPERAND_IN,
		.rows_dim = DIM_ONE,
		.rows_scale = TERMS,
		.columns_dim = 0},
	VECTOR("C", OPERAND_IN, 0, .columns_scale = TERMS),
	VECTOR("DE", OPERAND_OUT, 0, .rows_scale = 1 + E_STRIDE, .rows_plus = D_OFFSET),
};

/* The number of elements of the output. */
static double work(const struct problem *problem)
{
	return (double)operand_rows(&operands[3], problem);
}

static double flops(const struct problem *problem)
{
	return TERMS * (double)problem->dim[0];
}

/* Each element of A, B and C, and the elements d and e of DE. Only the fill writes the others. */
static double bytes_compulsory(const struct problem *problem)
{
	return sizeof(float) * (1 + 2 * TERMS + 2) * (double)problem->dim[0];
}

/* The fill, one load of each element of A, B and C, and two stores per thread. */
static double bytes_issued(const struct config *config, const struct problem *problem)
{
	(void)config;
	return sizeof(float) * work(problem) + bytes_compulsory(problem);
}

/* Passes of one access by each thread; neighbouring threads are `stride` elements apart. */
static double strided_passes(const struct problem *problem, int stride)
{
	struct warp_lanes lanes = {
		.lanes = WARP_THREADS, .rows = 1, .lane_bytes = stride * (int64_t)sizeof(float)};

	return passes_of_grid(&lanes, problem->dim[0], 1);
}

/* The loads of C, the load of bc_s and the store to e are strided. The fill writes the whole
 * output, and the stores to d and e write whole sectors of it again. */
static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t n = problem->dim[0], block = config_value(config, "BLOCK");
	int64_t of_e = min(E_STRIDE * (int64_t)sizeof(float), config->shape.sector_bytes);
	double warps = passes_count_warps(n);

	work->l1_passes = warps * (1 + TERMS + 1) + TERMS * strided_passes(problem, TERMS) +
			  strided_passes(problem, E_STRIDE);
	work->shared_passes = (double)ceil_div(n, block) * passes_count_warps(block) * (1 + TERMS) +
			      warps + strided_passes(problem, SHARED_STEP);
	work->again_written = (double)((int64_t)sizeof(float) + of_e) * (double)n;
	work->again_after = work->bytes_written;
	work->l2_bytes += work->again_written;
}

/* Element 8 i of e, from thread t = i % 256 of a block: the sum that thread (4 t) % 256 of this
 * block stored, for row and column j = 4 t / 256. 0 if that thread is beyond n. */
static struct expected sum_of(
	const struct problem *problem, const float *b, const float *c, int64_t i)
{
	int64_t n = problem->dim[0];
	int64_t slot = i % BLOCK * SHARED_STEP;
	int64_t j = slot / BLOCK;
	int64_t source = i - i % BLOCK + slot % BLOCK;
	double sum = source < n ? (double)b[j * n + source] + c[source * TERMS + j] : 0;

	return (struct expected){.value = sum,
		.terms = fabs(sum),
		.slack = arithmetic_sum_underflow(&problem->arithmetic, 2)};
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const float *a = inputs[0];
	int64_t n = problem->dim[0];

	for (int64_t r = 0; r < region.rows; r++) {
		int64_t in_d = region.row + r;
		int64_t in_e = in_d - (n + D_OFFSET);

		ret_expected[r] = (struct expected){.value = 0};
		if (in_e >= 0 && in_e % E_STRIDE == 0)
			ret_expected[r] = sum_of(problem, inputs[1], inputs[2], in_e / E_STRIDE);
		else if (in_e < 0 && in_d >= D_OFFSET)
			ret_expected[r].value = a[in_d - D_OFFSET];
	}
}

static int64_t integer_limit(const struct problem *problem)
{
	(void)problem;
	return (1 << 23) - 1;
}

static const struct check_size sizes[] = {
	{{AT(1)}},
	{{AT(2)}},
	{{AT(37)}},
	{{AT(64)}},
	TILE_EDGES_1(0),
	{{AT(997)}},
	{{TILES(0, 7, 65)}},
	{{LARGE_PART(-D_OFFSET, 1 + E_STRIDE, -1)}},
};

static const struct check_rule check = {
	.large = {.max = PAST_F32}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

static const struct variant variants[] = {
	{.name = "foo",
		.technique = "-",
		.idea = "nine accesses: three are coalesced, two are not, and four use shared memory, "
			"for which coalescing does not apply",
		.book = "6, exercise 3",
		.file = "foo",
		.entry = "audit_foo",
		.macros = {{"BLOCK", BLOCK, NULL}},
		.plan = plan_foo,
		.bytes_issued = bytes_issued,
		.traffic = traffic,
		.reads = KERNEL_SHAPE_SECTOR,
		.tile = {{"BLOCK"}}},
};

const struct family family_audit = {
	.name = "audit",
	.title = "d = a, e = b + c",
	.size_help =
		"exercise 6.3: A[n], B[4,n], C[n,4] in f32; DE[9n+8] is d, then e; size n, from 1 to "
		"2^40",
	.book = "PMPP 4th ed., chapter 6, exercise 3",
	.dim_names = {"n"},
	.dim_count = 1,
	.dim_max = (int64_t)1 << 40,
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 24},
		[DEVICE_CLASS_CPU] = {1 << 20},
		[DEVICE_CLASS_EMULATED] = {1 << 14}},
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference,
	.integer_limit = integer_limit,
	.work = work,
	.flops = flops,
	.bytes_compulsory = bytes_compulsory,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
