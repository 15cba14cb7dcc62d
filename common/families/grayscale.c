/*
 * grayscale: converts an RGB picture with 8 bits per channel to its luminance. It is the book's
 * first kernel with two-dimensional blocks. A pixel is a chain of three fused multiply-adds in f32
 * that begins with 0.5. The result is cut to an integer. All engines and the host give the same
 * bits, so results are compared exactly. A kernel of the user may round in another way: the book's
 * kernel cuts the fraction, and others calculate with integers. So its pixels may differ by one
 * grey level.
 */
#include "common/check_sizes.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>

enum {
	DIM_WIDTH,
	DIM_HEIGHT
};

static double flops(const struct problem *problem)
{
	return 6 * problem_volume(problem);
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	int64_t width = problem->dim[DIM_WIDTH];

	for (int64_t r = 0; r < region.rows; r++)
		for (int64_t c = 0; c < region.columns; c++) {
			int64_t pixel = (region.row + r) * width + region.column + c;
			const uint8_t *from = (const uint8_t *)inputs[0] + 3 * pixel;
			float grey = fmaf(0.21f, from[0], 0.5f);

			grey = fmaf(0.72f, from[1], grey);
			grey = fmaf(0.07f, from[2], grey);
			*ret_expected++ = (struct expected){
				.value = (double)(uint8_t)grey, .slack = problem->own_kernel};
		}
}

/* ---- Plans --------------------------------------------------------------------------------- */

static void plan_block(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");
	int64_t groups =
		ceil_div(problem->dim[DIM_WIDTH], x) * ceil_div(problem->dim[DIM_HEIGHT], y);

	plan_add_grid(ret_plan, config, problem, groups, x, y, PLAN_ARG_INT);
}

static void plan_coarse4(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int block = config_value(config, "BLOCK");
	int64_t all = problem->dim[DIM_WIDTH] * problem->dim[DIM_HEIGHT];

	plan_add_grid(ret_plan, config, problem, ceil_div(all, 4 * (int64_t)block), block, 1,
		PLAN_ARG_INT);
}

/* Three loads of a byte and a store of one. */
static void traffic_block(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t width = problem->dim[DIM_WIDTH];
	int64_t height = problem->dim[DIM_HEIGHT];
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");
	struct warp_lanes rgb = warp_lanes_of_block(x, y, 3, 3 * width);
	struct warp_lanes gray = warp_lanes_of_block(x, y, 1, width);

	rgb.width_bytes = gray.width_bytes = 1;
	traffic_set(work,
		3 * passes_of_grid(&rgb, width, height) + passes_of_grid(&gray, width, height), 0);
}

/* Three loads of a word with a stride of 12 bytes, and a store of a word. */
static void traffic_coarse4(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	const struct warp_lanes rgb = {.lanes = WARP_THREADS, .rows = 1, .lane_bytes = 12};
	const struct warp_lanes gray = {.lanes = WARP_THREADS, .rows = 1, .lane_bytes = 4};
	int64_t threads = problem->dim[DIM_WIDTH] * problem->dim[DIM_HEIGHT] / 4;

	(void)config;
	traffic_set(
		work, 3 * passes_of_grid(&rgb, threads, 1) + passes_of_grid(&gray, threads, 1), 0);
}

static const struct check_size sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(2), AT(1)}},
	{{AT(5), AT(3)}},
	{{AT(37), AT(41)}},
	{{TILES(DIM_WIDTH, 1, -1), TILES(DIM_HEIGHT, 1, 1)}},
	{{TILES(DIM_WIDTH, 1, 0), TILES(DIM_HEIGHT, 1, 0)}},
	{{TILES(DIM_WIDTH, 1, 1), TILES(DIM_HEIGHT, 1, 1)}},
	{{TILES(DIM_WIDTH, 3, 2), TILES(DIM_HEIGHT, 2, 1)}},
	{{AT(1), AT(200003)}},
	{{AT(200003), AT(1)}},
	{{LARGE(0), LARGE(-3)}},
};

static const struct check_rule check = {
	.large = {.root = 2, .max = 2900}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The ladder ---------------------------------------------------------------------------- */

static const enum dtype dtypes[] = {DTYPE_U8};

static const struct operand operands[] = {
	{.name = "RGB",
		.role = OPERAND_IN,
		.rows_dim = DIM_HEIGHT,
		.columns_dim = DIM_WIDTH,
		.columns_scale = 3,
		.dtype_of_problem = true,
		.aliases = "in pin input src rgbimage color colors image"},
	{.name = "GRAY",
		.role = OPERAND_OUT,
		.rows_dim = DIM_HEIGHT,
		.columns_dim = DIM_WIDTH,
		.dtype_of_problem = true,
		.aliases = "out pout output dst grey grayimage greyimage"},
};

static const int side_choices[] = {1, 2, 4, 8, 16, 32, 0};
static const int block_choices[] = {32, 64, 128, 256, 512, 1024, 0};

#define ROW_BLOCK                                                                   \
	.book = "3.2, Fig. 3.4", .file = "block", .entry = "grayscale_block",       \
	.operations = OPERATIONS_F32, .plan = plan_block, .traffic = traffic_block, \
	.tile = {{"BLOCK_X"}, {"BLOCK_Y"}}

static const struct variant variants[] = {
	{.name = "block16x16",
		.technique = "-",
		.idea = "one thread per pixel, blocks of 16 x 16: half of a warp's pixels are in the "
			"next row",
		.macros = {{"BLOCK_X", 16, side_choices}, {"BLOCK_Y", 16, side_choices}},
		ROW_BLOCK},
	{.name = "block32x8",
		.technique = "wider block",
		.idea = "one thread per pixel, blocks of 32 x 8: a warp reads 96 contiguous bytes",
		.base = "block16x16",
		.macros = {{"BLOCK_X", 32, side_choices}, {"BLOCK_Y", 8, side_choices}},
		.claim = {.text = "32 x 8 >= 0.95 x 16 x 16", .at_least = 0.95},
		ROW_BLOCK},
	{.name = "coarse4",
		.technique = "coarsening",
		.idea = "four pixels per thread: it loads 12 bytes as 3 words and stores 4 bytes as one "
			"word, for pictures of any width",
		.book = "3.2, 6.3",
		.base = "block32x8",
		.file = "coarse4",
		.entry = "grayscale_coarse4",
		.operations = OPERATIONS_F32,
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_coarse4,
		.traffic = traffic_coarse4,
		.tile = {{"BLOCK", .times = 4}, {.times = 1}}, /* a line of pixels */
		.claim = {.text = "4 pixels per thread >= 1.2 x 1 pixel", .at_least = 1.2}},
};

const struct family family_grayscale = {
	.name = "grayscale",
	.title = "GRAY = luminance of RGB",
	.size_help =
		"GRAY[height,width] = 0.21 R + 0.72 G + 0.07 B of RGB[height,width,3] in u8, "
		"rounded to nearest (your kernel: within one grey level); sizes width x height, "
		"each from 1 to 2147479552",
	.own_difference = "some values differ by one grey level from the value rounded to nearest",
	.book = "PMPP 4th ed., 3.2",
	.aliases = "grayscale greyscale togray togrey graykernel",
	.dim_names = {"width", "height"},
	.dim_aliases = {"w cols columns nx numcols", "h rows ny numrows"},
	.dim_count = 2,
	.dim_max = INT32_MAX - 4095, /* kernels count in int; blocks may exceed the edge */
	.default_size = {[DEVICE_CLASS_GPU] = {8192, 8192},
		[DEVICE_CLASS_CPU] = {3840, 2160},
		[DEVICE_CLASS_EMULATED] = {320, 200}},
	.dtypes = WITH_COUNT(dtypes),
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference,
	.flops = flops,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
