/*
 * traverse: S[r] = sum over c of A[r,c], one thread per row. The variants differ in the direction
 * in which the threads of a warp access the matrix.
 *
 * The book sums the rows, or the columns, of a row-major matrix. Here the answer is the same vector
 * for all variants, and the layout of A differs. In column-walk A is stored by columns, which is
 * the same as A^T by rows. So column-walk sums the columns of a row-major matrix: thread r goes
 * down column r, which is coalesced. row-walk sums its rows: thread r goes along row r, which is
 * not.
 *
 * All variants add a row from left to right, so they give the same bits on all engines.
 */
#include "common/check_sizes.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

enum {
	DIM_ROWS,
	DIM_COLUMNS
};
enum {
	OPERAND_A,
	OPERAND_S
};

/* ---- Plans --------------------------------------------------------------------------------- */

static void plan_rows(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_add_tiles(ret_plan, config, problem, PLAN_ARG_INT);
}

/* ---- Work ---------------------------------------------------------------------------------- */

static double additions(const struct problem *problem)
{
	return problem_volume(problem) - (double)problem->dim[DIM_ROWS];
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/* Each thread accesses its row once per step, and stores its sum once. */
static void walk_passes(const struct problem *problem, int64_t lane_bytes, struct floor_work *work)
{
	int64_t rows = problem->dim[DIM_ROWS];
	struct warp_lanes lanes = {.lanes = WARP_THREADS, .rows = 1, .lane_bytes = lane_bytes};

	work->l1_passes =
		passes_of_grid(&lanes, rows, problem->dim[DIM_COLUMNS]) + passes_count_warps(rows);
	work->shared_passes = 0;
}

static void traffic_column_walk(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	(void)config;
	walk_passes(problem, sizeof(float), work);
}

/* The cache keeps each sector for the next steps. */
static void traffic_row_walk(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	(void)config;
	walk_passes(problem, 4 * problem->dim[DIM_COLUMNS], work);
}

/* Rows of a tile without padding begin at multiples of 16 bytes: compilers combine four reads. */
static void traffic_turned(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t rows = problem->dim[DIM_ROWS], columns = problem->dim[DIM_COLUMNS];
	int block = config_value(config, "BLOCK"), tile = config_value(config, "TILE");
	int padding = config_value(config, "PADDING");
	int64_t pitch = 4 * (tile + padding);
	int joined = padding ? 1 : 4;
	struct warp_lanes from = warp_lanes_of_block(tile, block / tile, 4, 4 * columns);
	struct warp_lanes to = warp_lanes_of_block(tile, block / tile, 4, pitch);
	struct warp_lanes read = {.lanes = WARP_THREADS,
		.rows = 1,
		.lane_bytes = pitch,
		.width_bytes = 4 * (uint32_t)joined};
	double requests = (double)ceil_div(rows, block) * block / WARP_THREADS *
			  (double)ceil_div(columns, tile) * tile;

	work->l1_passes = passes_of_grid(&from, columns, rows) + passes_count_warps(rows);
	work->shared_passes = requests * (passes_of_warp(&to) + passes_of_warp(&read) / joined);
}

/* ---- Reference ------------------------------------------------------------------------------- */

/* The first element is added to zero, which is exact. */
static int64_t chain(const struct problem *problem)
{
	int64_t columns = problem->dim[DIM_COLUMNS];

	return columns > 1 ? columns - 1 : 1;
}

static int64_t integer_limit(const struct problem *problem)
{
	return bound_integer_limit(problem->dim[DIM_COLUMNS], 1);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

#define LARGEST 4096.0 /* 64 MB: larger than most caches */

static const struct check_size sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(37), AT(41)}},
	TILE_EDGES_2(DIM_ROWS, DIM_COLUMNS),
	{{TILES(DIM_ROWS, 2, 3), TILES(DIM_COLUMNS, 3, 5)}},
	{{AT(1), AT(100003)}},
	{{AT(200003), AT(1)}},
	{{LARGE(0), LARGE(-3)}},
};

static const struct check_rule check = {
	.large = {.root = 2, .max = LARGEST}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	{.name = "A", .role = OPERAND_IN, .rows_dim = DIM_ROWS, .columns_dim = DIM_COLUMNS},
	VECTOR("S", OPERAND_OUT, DIM_ROWS),
};

static const int block_choices[] = {64, 128, 256, 0};
static const int flight_choices[] = {1, 4, 8, 16, 0};
static const int tile_choices[] = {16, 32, 0};

#define ROW_WALK                                                            \
	.file = "walk", .plan = plan_rows, .tile = {{"BLOCK"}, {"FLIGHT"}}, \
	.macros = {{"BLOCK", 128, block_choices}, {"FLIGHT", 8, flight_choices}}

#define ROW_TURNED(padding)                                                            \
	.file = "corner_turned", .entry = "traverse_corner_turned", .plan = plan_rows, \
	.traffic = traffic_turned, .tile = {{"BLOCK"}, {"TILE"}},                      \
	.macros = {{"BLOCK", 64, block_choices}, {"TILE", 32, tile_choices},           \
		{"PADDING", (padding), NULL}}

static const struct variant variants[] = {
	{.name = "column-walk",
		.technique = "-",
		.idea = "A is stored by columns: at every step a warp reads 32 neighbouring elements",
		.book = "3rd ed., Fig. 5.3",
		.entry = "traverse_column_walk",
		.traffic = traffic_column_walk,
		.by_columns = 1u << OPERAND_A,
		ROW_WALK},
	{.name = "row-walk",
		.technique = "strided loads",
		.idea = "A is stored by rows: at every step a warp reads 32 elements that are a row apart",
		.book = "3rd ed., Fig. 5.4",
		.base = "column-walk",
		.entry = "traverse_row_walk",
		.traffic = traffic_row_walk,
		.claim = {.text = "uncoalesced <= 0.5 x coalesced",
			.at_most = 0.5,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
		ROW_WALK},
	{.name = "corner-turned",
		.technique = "corner turning",
		.idea = "A is stored by rows: a block loads a tile along the rows, then each thread adds "
			"its row in shared memory",
		.book = "3rd ed., Fig. 5.5",
		.base = "row-walk",
		.claim = {.text = "corner turned >= 1.3 x strided loads",
			.at_least = 1.3,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS | CLAIM_OF_SHARED},
		ROW_TURNED(0)},
	{.name = "padded",
		.technique = "padding",
		.idea = "the rows of the tile are one element longer: 32 threads read from 32 banks, not "
			"from one",
		.book = "3rd ed., Fig. 5.5",
		.base = "corner-turned",
		.claim = {.text = "padded >= 1.5 x 32 reads of one bank",
			.at_least = 1.5,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_BANKS},
		ROW_TURNED(1)},
};

const struct family family_traverse = {
	.name = "traverse",
	.title = "S = sums of A's rows",
	.size_help = "S[r] = sum over c of A[r,c] in f32; sizes rows x columns, each from 1 to "
		     "2147479552",
	.book = "PMPP 3rd ed., 5.1, Fig. 5.2 to 5.5; 4th ed., 6.1",
	.dim_names = {"rows", "columns"},
	.dim_count = 2,
	.dim_max = INT32_MAX - 4095, /* kernels count in int and step a block past the end */
	/* More threads than a GPU holds at a time, with long rows. */
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 18, 512},
		[DEVICE_CLASS_CPU] = {8192, 512},
		[DEVICE_CLASS_EMULATED] = {256, 128}},
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
