/*
 * The sizes at which the rows of a family are verified: 1, primes, sizes near the tile, rectangles,
 * and one large size within a work budget. Each family declares a table of them (struct
 * check_rule). Only check_sizes_make() evaluates these tables.
 */
#ifndef PMPP_COMMON_CHECK_SIZES_H
#define PMPP_COMMON_CHECK_SIZES_H

#include "common/data.h"
#include "common/family.h"

#define PMPP_MAX_CHECK_SETS 6

/* The base of an extent. */
enum check_base {
	CHECK_NUMBER,       /* no base: the extent is a constant */
	CHECK_TILE,         /* the extent of the row's tile (variant.tile) in one dimension */
	CHECK_TILE_SQUARED, /* the square of that extent */
	CHECK_LARGE         /* the large extent of the budget (struct check_large) */
};

/* An extent: (times * base + before) / divisor + plus, at most `max`. The macros below make one. */
struct check_extent {
	enum check_base base;
	int tile_dim; /* for CHECK_TILE and CHECK_TILE_SQUARED: index into problem.dim */
	int64_t times;
	int64_t before;
	int64_t divisor; /* >= 1; the quotient is rounded towards zero */
	int64_t plus;
	int64_t max; /* 0: no limit */
};

#define AT(number)                                           \
	{                                                    \
		CHECK_NUMBER, .divisor = 1, .plus = (number) \
	}
#define TILES(dim, count, more)                                                               \
	{                                                                                     \
		CHECK_TILE, .tile_dim = (dim), .times = (count), .divisor = 1, .plus = (more) \
	}
#define HALF_TILES(dim, count, more)                                                          \
	{                                                                                     \
		CHECK_TILE, .tile_dim = (dim), .times = (count), .divisor = 2, .plus = (more) \
	}
#define TILE_SQUARED(dim, more)                                                                 \
	{                                                                                       \
		CHECK_TILE_SQUARED, .tile_dim = (dim), .times = 1, .divisor = 1, .plus = (more) \
	}
#define LARGE(more)                                                   \
	{                                                             \
		CHECK_LARGE, .times = 1, .divisor = 1, .plus = (more) \
	}
#define LARGE_UP_TO(more, limit)                                                      \
	{                                                                             \
		CHECK_LARGE, .times = 1, .divisor = 1, .plus = (more), .max = (limit) \
	}
/* check_large.max: LARGE(-3) is an odd number above 2^24, which f32 cannot hold as an index. */
#define PAST_F32 ((1 << 24) + 100)

/* (large + first) / parts + more */
#define LARGE_PART(first, parts, more)                                                         \
	{                                                                                      \
		CHECK_LARGE, .times = 1, .before = (first), .divisor = (parts), .plus = (more) \
	}

/* Three sizes: the tile - 1, the tile, and the tile + 1 in each dimension. In one dimension there is a fourth
 * size, two whole tiles: its last tile is not its first tile. */
#define TILE_EDGES_1(a)                                              \
	{{TILES(a, 1, -1)}}, {{TILES(a, 1, 0)}}, {{TILES(a, 2, 0)}}, \
	{                                                            \
		{                                                    \
			TILES(a, 1, 1)                               \
		}                                                    \
	}
#define TILE_EDGES_2(a, b)                                                        \
	{{TILES(a, 1, -1), TILES(b, 1, -1)}}, {{TILES(a, 1, 0), TILES(b, 1, 0)}}, \
	{                                                                         \
		{                                                                 \
			TILES(a, 1, 1), TILES(b, 1, 1)                            \
		}                                                                 \
	}
#define TILE_EDGES_3(a, b, c)                                          \
	{{TILES(a, 1, -1), TILES(b, 1, -1), TILES(c, 1, -1)}},         \
		{{TILES(a, 1, 0), TILES(b, 1, 0), TILES(c, 1, 0)}},    \
	{                                                              \
		{                                                      \
			TILES(a, 1, 1), TILES(b, 1, 1), TILES(c, 1, 1) \
		}                                                      \
	}

/* One size: an extent for each dimension of the family. */
struct check_size {
	struct check_extent dim[PMPP_MAX_DIMS];
};

/* The sizes for some choices of type, operation and data. Bit i of a mask selects choice i (enum
 * dtype, problem.op, problem.data); a mask of 0 selects all. */
struct check_set {
	unsigned dtypes, ops, data;
	const struct check_size *sizes;
	size_t count;
};

/* The large extent follows from the budget: the root of budget / (work_each x work_times of the
 * row), at most `max`. */
struct check_large {
	double work_each; /* work per unit of the extents' product; 0 means 1 */
	unsigned root;    /* number of large dimensions: 1, 2 or 3; 0 means 1 */
	double max;       /* 0: no limit */
	double few;       /* replaces `max` if the budget is at most PMPP_FEW_WORK; 0: `max` */
};

#define PMPP_FEW_WORK 0x1p21 /* the budget of the slowest engines */

struct check_rule {
	struct check_large large;
	struct check_extent max; /* limit of the first dimension of every size; divisor 0: none */
	struct check_set sets[PMPP_MAX_CHECK_SETS]; /* the first match applies; a set without sizes
						       ends the table */
};

/* Writes the sizes of one row, in the order of the declaration. `problem` is complete except for
 * dim. Leaves out a size if an extent is below 1, if the first extent is above rule.max, or if
 * config_work() exceeds the budget. Returns the number of sizes, <= PMPP_MAX_CHECK_SIZES. */
size_t check_sizes_make(const struct config *config, const struct problem *problem, double budget,
	int64_t ret_sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS]);

/* config_work() of a problem whose blocks are all complete, so that it includes the idle threads at the edges. */
double check_whole_work(const struct config *config, const struct problem *problem);

/* The bit of another seed among the bits of enum data_case. */
#define CHECK_SEED CASE_BIT(CASE_COUNT)

/* Returns the other data with which a problem is verified: bits of enum data_case, and CHECK_SEED.
 *
 *     units of config_work()                    other data
 *     more than 32768                           none: 0
 *     with idle threads: at most 32768          all
 *     with idle threads: at most 2^23           a quarter
 *     with idle threads: more                   none: 0
 *
 * All sizes of check_sizes_make() together have all other data. */
unsigned check_cases(const struct config *config, const struct problem *problem);

#endif
