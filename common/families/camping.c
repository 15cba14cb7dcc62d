/*
 * camping: S[r] = sum over c of A[r,c], one warp per row, with coalesced loads. The rows show
 * whether warps that read the same column at the same time use only one memory channel (partition
 * camping).
 *
 * A GPU accesses DRAM through channels, and addresses are interleaved: with C channels of I bytes
 * each, two addresses that differ by a multiple of C * I are on the same channel. If the width of a
 * row is a power of two, all rows begin on the same channel. Warps that begin at column 0 and stay
 * in step then use one channel at a time, and the other channels are idle. Padded rows, or a
 * different first column for each row, spread the accesses over the channels.
 *
 * The first GPUs used this interleaving and lost most of their bandwidth to partition camping.
 * Later GPUs compute the channel from a hash of the upper address bits, so that no regular stride
 * stays on one channel. Also, warps do not stay in step for long. Therefore a small difference or
 * none is expected on them. The claims are those of the book; the results show the measurement.
 *
 * A lane adds every LANES-th column in order, and the sums of the lanes are added in order. Skewed
 * rows begin at another column and wrap around. The order depends only on the sizes and on LANES,
 * so all engines give the same bits.
 */
#include "common/check_sizes.h"
#include "common/family.h"
#include "common/integers.h"

enum {
	DIM_ROWS,
	DIM_WIDTH
};
enum {
	OPERAND_A,
	OPERAND_S
};

/* ---- Plans --------------------------------------------------------------------------------- */

static void plan_walk(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t block_rows = config_value(config, "BLOCK_ROWS");

	plan_add_grid(ret_plan, config, problem, ceil_div(problem->dim[DIM_ROWS], block_rows),
		config_value(config, "LANES"), block_rows, PLAN_ARG_INT);
}

static int64_t pitch(const struct config *config, const struct problem *problem, size_t operand)
{
	return operand == OPERAND_A ? problem->dim[DIM_WIDTH] + config_value(config, "PADDING") : 1;
}

#define MAX_BLOCK 1024 /* threads; of most devices */

static const char *infeasible_walk(const struct config *config)
{
	return config_value(config, "LANES") * config_value(config, "BLOCK_ROWS") > MAX_BLOCK
		       ? "a block of LANES x BLOCK_ROWS has more than 1024 threads"
		       : NULL;
}

/* ---- Work ---------------------------------------------------------------------------------- */

static double additions(const struct problem *problem)
{
	return problem_volume(problem) - (double)problem->dim[DIM_ROWS];
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/* A warp reads neighbouring elements of its row and stores the sums of its lanes. One warp of each
 * block adds them. */
static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t rows = problem->dim[DIM_ROWS];
	int block_rows = config_value(config, "BLOCK_ROWS");
	int lanes = config_value(config, "LANES");
	double blocks = (double)ceil_div(rows, block_rows);

	work->l1_passes = (double)rows * (double)ceil_div(problem->dim[DIM_WIDTH], lanes) + blocks;
	work->shared_passes = blocks * (block_rows + lanes);
}

/* ---- Reference ------------------------------------------------------------------------------- */

/* Valid for any order. The chains of the rows are much shorter. */
static int64_t chain(const struct problem *problem)
{
	return problem->dim[DIM_WIDTH];
}

/* The additions of a lane, then those of the lanes that have elements. An addition to zero is
 * exact. */
static int64_t chain_walk(const struct config *config, const struct problem *problem)
{
	int64_t width = problem->dim[DIM_WIDTH];
	int64_t lanes = config_value(config, "LANES");
	int64_t roundings = ceil_div(width, lanes) - 1 + min(width, lanes) - 1;

	return roundings > 1 ? roundings : 1;
}

static int64_t integer_limit(const struct problem *problem)
{
	return bound_integer_limit(problem->dim[DIM_WIDTH], 1);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

#define LARGEST 4096.0 /* 64 MB: larger than most caches */

static const struct check_size sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(37), AT(41)}},
	TILE_EDGES_2(DIM_ROWS, DIM_WIDTH),
	{{TILES(DIM_ROWS, 2, 3), TILES(DIM_WIDTH, 5, 37)}}, /* whole batches and a tail */
	{{AT(1), AT(100003)}},
	{{AT(200003), AT(1)}},
	{{LARGE(0), LARGE(-3)}},
};

static const struct check_rule check = {
	.large = {.root = 2, .max = LARGEST}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	{.name = "A", .role = OPERAND_IN, .rows_dim = DIM_ROWS, .columns_dim = DIM_WIDTH},
	VECTOR("S", OPERAND_OUT, DIM_ROWS),
};

static const int rows_choices[] = {4, 8, 16, 0};
static const int flight_choices[] = {1, 4, 8, 0};
static const int padding_choices[] = {1, 32, 64, 128, 0};

#define ROW_WALK(padding, choices, skewed)                                                      \
	.file = "walk", .entry = "camping_walk", .plan = plan_walk, .traffic = traffic,         \
	.tile = {{"BLOCK_ROWS"}, {"LANES", "FLIGHT"}}, .chain = chain_walk,                     \
	.infeasible = infeasible_walk,                                                          \
	.macros = {{"BLOCK_ROWS", 8, rows_choices}, {"FLIGHT", 4, flight_choices}, MACRO_LANES, \
		{"PADDING", (padding), choices}, {"SKEWED", (skewed), NULL}}

static const struct variant variants[] = {
	{.name = "aligned",
		.technique = "-",
		.idea = "rows follow each other without gaps: if the width is a power of two, all "
			"warps begin on one channel",
		.book = "3rd ed., Fig. 5.9",
		ROW_WALK(0, NULL, 0)},
	{.name = "padded",
		.technique = "padded rows",
		.idea = "each row is followed by 64 unused elements, so that neighbouring rows begin on "
			"different channels",
		.book = "3rd ed., 5.2",
		.base = "aligned",
		.pitch = pitch,
		.claim = {.text = "padded rows >= 1.05 x rows of a power of two", .at_least = 1.05},
		ROW_WALK(64, padding_choices, 0)},
	{.name = "skewed",
		.technique = "access order",
		.idea = "the reads of row r begin 512 r bytes after its start and wrap around: the "
			"same bytes in another order",
		.book = "3rd ed., 5.2",
		.base = "aligned",
		.claim = {.text = "skewed >= 1.05 x aligned", .at_least = 1.05},
		ROW_WALK(0, NULL, 1)},
};

const struct family family_camping = {
	.name = "camping",
	.title = "S = sums of A's rows",
	.size_help = "S[r] = sum over c of A[r,c] in f32; sizes rows x width, each from 1 to "
		     "2147479552; a width that is a power of two shows the effect",
	.book = "PMPP 3rd ed., 5.2, Fig. 5.7 to 5.9; 4th ed., 6.2",
	.dim_names = {"rows", "width"},
	.dim_count = 2,
	.dim_max = INT32_MAX - 4095, /* kernels count in int and step a batch past the end */
	.default_size = {[DEVICE_CLASS_GPU] = {16384, 4096},
		[DEVICE_CLASS_CPU] = {4096, 1024},
		[DEVICE_CLASS_EMULATED] = {64, 512}},
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference_of_rows,
	.chain = chain,
	.chain_kind = CHAIN_SUM,
	.integer_limit = integer_limit,
	.flops = additions,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
