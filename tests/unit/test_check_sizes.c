/* The evaluation of declared check sizes, for made-up families with two dimensions; sizes that the
 * families must have. */
#include "common/check_sizes.h"
#include "tests/support/test.h"

#define ROWS 0
#define COLUMNS 1

/* ---- A made-up family ---------------------------------------------------------------------- */

static double work(const struct problem *problem)
{
	return 2 * (double)problem->dim[ROWS] * (double)problem->dim[COLUMNS];
}

static const struct variant variants[] = {
	{.name = "row", .macros = {{"TILE_ROWS", 16, NULL}}, .tile = {{"TILE_ROWS"}, {.times = 8}}},
	{.name = "slow",
		.macros = {{"TILE_ROWS", 16, NULL}},
		.tile = {{"TILE_ROWS"}, {.times = 8}},
		.work_times = 4},
	{.name = "other tile",
		.macros = {{"TILE_ROWS", 32, NULL}},
		.tile = {{"TILE_ROWS"}, {.times = 8}}}};

static struct family family_of(const struct check_rule *rule)
{
	return (struct family){.name = "made-up",
		.dim_names = {"rows", "columns"},
		.dim_count = 2,
		.work = work,
		.check = rule,
		.variants = variants,
		.variant_count = sizeof variants / sizeof *variants};
}

static int64_t made[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS]; /* by make_sizes() */

/* Returns the number of sizes of a variant. */
static size_t make_sizes(
	const struct check_rule *rule, size_t variant, struct problem problem, double budget)
{
	const struct family family = family_of(rule);
	const struct config config = config_default(&variants[variant]);

	problem.family = &family;
	memset(made, 0, sizeof made);
	return check_sizes_make(&config, &problem, budget, made);
}

/* ---- Extents ------------------------------------------------------------------------------- */

/* The number of rows of a size with one column. 0: the size is left out. */
struct extent_row {
	const char *name;
	struct check_extent rows;
	struct check_large large;
	double budget;
	int64_t expected;
};

#define MUCH 0x1p30

static const struct extent_row extent_rows[] = {
	{"a number", AT(37), {0}, MUCH, 37},
	{"the tile", TILES(ROWS, 1, 0), {0}, MUCH, 16},
	{"below the tile", TILES(ROWS, 1, -1), {0}, MUCH, 15},
	{"tiles and more", TILES(ROWS, 3, 5), {0}, MUCH, 53},
	{"another dimension's tile", TILES(COLUMNS, 2, 1), {0}, MUCH, 17},
	{"the square of the tile", TILE_SQUARED(ROWS, 1), {0}, MUCH, 257},
	{"0 is left out", AT(0), {0}, MUCH, 0},
	{"1 is kept", AT(1), {0}, MUCH, 1},
	{"a negative extent is left out", TILES(ROWS, 1, -17), {0}, MUCH, 0},
	{"work equal to the budget", AT(500), {0}, 1000, 500},
	{"work above the budget", AT(501), {0}, 1000, 0},
	{"all of the budget", LARGE(0), {.work_each = 2}, 1000, 500},
	{"less than all", LARGE(-3), {.work_each = 2}, 1000, 497},
	{"more than all is left out", LARGE(1), {.work_each = 2}, 1000, 0},
	{"a share of the budget", LARGE(0), {.work_each = 8}, 1000, 125},
	{"rounded down", LARGE(0), {.work_each = 3}, 1000, 333},
	{"the limit", LARGE(0), {.max = 100}, 1000, 100},
	{"below the limit", LARGE(0), {.work_each = 2, .max = 501}, 1000, 500},
	{"a square root", LARGE(0), {.root = 2}, 1025, 32},
	{"a cube root", LARGE(0), {.root = 3}, 1001, 10},
	{"a small budget's limit", LARGE(0), {.max = 100, .few = 50}, PMPP_FEW_WORK, 50},
	{"above a small budget", LARGE(0), {.max = 100, .few = 50}, PMPP_FEW_WORK + 1, 100},
	{"up to a number", LARGE_UP_TO(3, 90), {.max = 100}, 1000, 90},
	{"up to that number", LARGE_UP_TO(3, 103), {.max = 100}, 1000, 103},
	{"under that number", LARGE_UP_TO(3, 104), {.max = 100}, 1000, 103},
	{"a part", LARGE_PART(0, 64, -3), {.max = 640}, MUCH, 7},
	{"a part, rounded down", LARGE_PART(0, 64, 0), {.max = 639}, MUCH, 9},
	{"a part of less", LARGE_PART(-8, 9, -1), {.max = 100}, MUCH, 9},
};

TEST_ROWS(extent, extent_rows, "%s", row->name)
{
	const struct check_size size = {{row->rows, AT(1)}};
	const struct check_rule rule = {
		.large = row->large, .sets = {{.sizes = &size, .count = 1}}};
	size_t count = make_sizes(&rule, 0, (struct problem){0}, row->budget);

	EQUAL(count, row->expected > 0);
	if (count == 0)
		return;
	CHECK(EQUAL(made[0][ROWS], row->expected), EQUAL(made[0][COLUMNS], 1));
}

/* ---- Sets ---------------------------------------------------------------------------------- */

static const struct check_size any_sizes[] = {{{AT(1), AT(1)}}};
static const struct check_size u8_sizes[] = {{{AT(2), AT(1)}}};
static const struct check_size u8_second_sizes[] = {{{AT(3), AT(1)}}};
static const struct check_size third_kind_sizes[] = {{{AT(4), AT(1)}}};

static const struct check_rule choosing = {
	.sets = {{.dtypes = 1 << DTYPE_U8, .ops = 1 << 1, .sizes = u8_second_sizes, .count = 1},
		{.dtypes = 1 << DTYPE_U8, .sizes = u8_sizes, .count = 1},
		{.data = 1 << 2, .sizes = third_kind_sizes, .count = 1},
		{.sizes = any_sizes, .count = 1}}};

static const struct set_row {
	enum dtype dtype;
	size_t op, kind;
	int64_t expected;
} set_rows[] = {
	{DTYPE_F32, 0, 0, 1},
	{DTYPE_F32, 1, 0, 1},
	{DTYPE_F32, 0, 1, 1},
	{DTYPE_F32, 0, 2, 4},
	{DTYPE_F32, 1, 2, 4},
	{DTYPE_U8, 0, 0, 2},
	{DTYPE_U8, 0, 2, 2},
	{DTYPE_U8, 1, 0, 3},
	{DTYPE_U8, 1, 2, 3},
	{DTYPE_U8, 2, 0, 2},
};

TEST_ROWS(chosen, set_rows, "choice %zu", i)
{
	const struct problem problem = {.dtype = row->dtype, .op = row->op, .data = row->kind};

	EQUAL(make_sizes(&choosing, 0, problem, MUCH), 1);
	EQUAL(made[0][ROWS], row->expected);
}

TEST(no_set, "a choice without a set")
{
	static const struct check_rule rule = {
		.sets = {{.dtypes = 1 << DTYPE_U8, .sizes = u8_sizes, .count = 1}}};

	EQUAL(make_sizes(&rule, 0, (struct problem){.dtype = DTYPE_F32}, MUCH), 0);
}

/* ---- Whole declarations -------------------------------------------------------------------- */

/* Sizes have the order of the declaration, and use the tile of the config. */
TEST(edges, "tile edges, in order")
{
	static const struct check_size declared[] = {
		{{AT(9), AT(9)}}, TILE_EDGES_2(ROWS, COLUMNS), {{AT(1), LARGE(0)}}};
	static const struct check_rule rule = {.large = {.max = 70},
		.sets = {{.sizes = declared, .count = sizeof declared / sizeof *declared}}};
	static const int64_t expected[][2] = {{9, 9}, {31, 7}, {32, 8}, {33, 9}, {1, 70}};

	EQUAL(make_sizes(&rule, 2, (struct problem){0}, MUCH), 5);
	for (size_t i = 0; i < 5; i++) {
		CHECK(EQUAL(made[i][ROWS], expected[i][ROWS]),
			EQUAL(made[i][COLUMNS], expected[i][COLUMNS]), EQUAL(made[i][2], 0));
	}
}

/* A row with four times the work gets a quarter of the large extent, and fewer sizes fit. */
TEST(slow_row, "a row with more work than its family")
{
	static const struct check_size declared[] = {
		{{LARGE(0), AT(1)}}, {{AT(125), AT(1)}}, {{AT(126), AT(1)}}};
	static const struct check_rule rule = {.large = {.work_each = 2},
		.sets = {{.sizes = declared, .count = sizeof declared / sizeof *declared}}};

	CHECK(EQUAL(make_sizes(&rule, 0, (struct problem){0}, 1000), 3), EQUAL(made[0][ROWS], 500),
		EQUAL(make_sizes(&rule, 1, (struct problem){0}, 1000), 2),
		EQUAL(made[0][ROWS], 125), EQUAL(made[1][ROWS], 125));
}

/* A limit of the first dimension, taken from the large extent. */
TEST(limited, "a limit of the first dimension")
{
	static const struct check_size declared[] = {
		{{AT(102), AT(1)}}, {{AT(103), AT(1)}}, {{AT(104), AT(1)}}, {{AT(1), AT(104)}}};
	static const struct check_rule rule = {.large = {.max = 100},
		.max = LARGE(3),
		.sets = {{.sizes = declared, .count = sizeof declared / sizeof *declared}}};

	CHECK(EQUAL(make_sizes(&rule, 0, (struct problem){0}, MUCH), 3), EQUAL(made[1][ROWS], 103),
		EQUAL(made[2][COLUMNS], 104));
}

/* Every choice of every family has a set. */
TEST_LIST(all_choices, families, family_count, "choices of %s", (*row)->name)
{
	const struct family *family = *row;
	const struct config config = config_default(&family->variants[0]);
	struct problem problem = problem_default(family);

	for (size_t c = 0; c < family_choice_count(family); c++) {
		int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};

		problem_choose(&problem, c);
		assert_in_range(check_sizes_make(&config, &problem, 0x1p20, sizes), 2,
			PMPP_MAX_CHECK_SIZES);
	}
}

/* Sizes that show a mistake of many kernels: at least so large, and with this remainder. */
static const struct shown {
	const char *family, *variant, *mistake;
	size_t dim;
	int64_t least, divisor, rest;
	size_t op, data; /* numbers of the family's choices */
} shown_rows[] = {
	{"transpose", "vector", "16-byte accesses of rows of even length", 1, 65, 4, 2},
	{"prefetch", "plain", "fewer trips than the maximum", 1, 4095, 1, 0},
	{"window", "direct", "windows of at most 1000 terms", 0, 1500, 1511, 0},
	{"window", "direct", "windows of at most 1000 terms (their width)", 1, 3001, 1, 0},
	{"vecadd", "fine", "the last element of several whole blocks", 0, 512, 512, 0},
	{"histogram", "aggregated", "runs of 255 values", 0, 261121, 1, 0, .data = 2},
	{"reduce", "first-add", "the maximum of more than 5000 elements", 0, 5001, 1, 0, .op = 2},
};

TEST_ROWS(shown, shown_rows, "%s: %s", row->family, row->mistake)
{
	const struct variant *variant = variant_find(family_find(row->family), row->variant);
	const struct config config = config_default(variant);
	struct problem problem = problem_default(variant_family(variant));
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};

	problem.op = row->op;
	problem.data = row->data;
	size_t count = check_sizes_make(&config, &problem, 0x1p24, sizes), found = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t extent = sizes[i][row->dim];

		found += extent >= row->least && extent % row->divisor == row->rest;
	}
	assert_true(found > 0);
}

TEST(square, "transpose: a square of several tiles")
{
	const struct variant *variant = variant_find(family_find("transpose"), "tiled");
	const struct config config = config_default(variant);
	const struct problem problem = problem_default(variant_family(variant));
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};
	size_t count = check_sizes_make(&config, &problem, 0x1p24, sizes), found = 0;

	for (size_t i = 0; i < count; i++)
		found += sizes[i][0] == sizes[i][1] && sizes[i][0] > 64;
	assert_true(found > 0);
}
