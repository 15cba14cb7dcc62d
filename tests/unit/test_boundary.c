#include "common/model/boundary.h"
#include "common/model/warp.h"
#include "tests/support/test.h"

/* Figures counted by hand. The book has 80 for 200 x 150: it takes every warp of the corner block.
 */
static const struct count_row {
	const char *name;
	int64_t extent[BOUNDARY_DIMS], block[BOUNDARY_DIMS], warps, diverging, off;
} count_rows[] = {
	{"1003 in blocks of 64", {1003, 1}, {64, 1}, 32, 1, 0},
	{"100 in blocks of 128", {100, 1}, {128, 1}, 4, 1, 0},
	{"1000 in blocks of 256", {1000, 1}, {256, 1}, 32, 1, 0},
	{"10000 in blocks of 32", {10000, 1}, {32, 1}, 313, 1, 0},
	{"76 x 62 in 16 x 16", {76, 62}, {16, 16}, 160, 31, 5},
	{"200 x 150 in 16 x 16", {200, 150}, {16, 16}, 1040, 75, 65},
	{"whole blocks", {64, 64}, {16, 16}, 128, 0, 0},
	{"one thread of one block", {1, 1}, {16, 16}, 8, 1, 7},
	{"a block of one thread", {5, 3}, {1, 1}, 15, 0, 0},
	{"a last warp of 4 threads, all inside", {100, 1}, {100, 1}, 4, 0, 0},
	{"a last warp of 4 threads, one inside", {97, 1}, {100, 1}, 4, 1, 0},
	{"rows end inside of a warp", {16, 3}, {16, 4}, 2, 1, 0},
	{"the largest vector", {INT32_MAX, 1}, {1024, 1}, 67108864, 1, 0},
};

TEST_ROWS(count, count_rows, "%s", row->name)
{
	struct boundary boundary;

	test_ok(boundary_count(row->extent, row->block, &boundary, &test_error));
	CHECK(EQUAL(boundary.warps, row->warps), EQUAL(boundary.diverging, row->diverging),
		EQUAL(boundary.off, row->off),
		EQUAL(boundary.on, row->warps - row->diverging - row->off));
}

/* Warp by warp of the whole grid, with no kinds of blocks. */
static struct boundary naive(const int64_t extent[2], const int64_t block[2])
{
	struct boundary all = {0};
	int64_t threads = block[0] * block[1];

	for (int64_t by = 0; by * block[1] < extent[1]; by++)
		for (int64_t bx = 0; bx * block[0] < extent[0]; bx++)
			for (int64_t first = 0; first < threads; first += WARP_THREADS) {
				int lanes = 0, passing = 0;
				for (int64_t t = first; t < threads && t < first + WARP_THREADS;
					t++, lanes++)
					passing += bx * block[0] + t % block[0] < extent[0] &&
						   by * block[1] + t / block[0] < extent[1];
				all.warps++;
				all.on += passing == lanes;
				all.off += passing == 0;
				all.diverging += passing != 0 && passing != lanes;
			}
	return all;
}

TEST(against_naive, "the same as warp by warp")
{
	static const int64_t blocks[][2] = {{16, 16}, {32, 8}, {5, 7}, {1, 33}, {100, 1}, {8, 4}};
	struct boundary got;

	for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
		for (int64_t extent[2] = {1, 1}; extent[1] <= 41; extent[1] += 3)
			for (extent[0] = 1; extent[0] <= 40; extent[0]++) {
				struct boundary want = naive(extent, blocks[b]);
				test_ok(boundary_count(extent, blocks[b], &got, &test_error));
				CHECK(EQUAL(got.warps, want.warps),
					EQUAL(got.diverging, want.diverging),
					EQUAL(got.on, want.on), EQUAL(got.off, want.off));
			}
}

static const struct bad_row {
	const char *name;
	int64_t extent[BOUNDARY_DIMS], block[BOUNDARY_DIMS];
	const char *part;
} bad_rows[] = {
	{"no width", {0, 1}, {16, 16}, "not 0"},
	{"a negative height", {5, -1}, {16, 16}, "not -1"},
	{"too wide", {(int64_t)INT32_MAX + 1, 1}, {16, 16}, "2147483647"},
	{"an empty block", {5, 5}, {0, 16}, "0 x 16"},
	{"too many threads", {5, 5}, {33, 32}, "33 x 32"},
	{"a product that overflows", {5, 5}, {INT64_MAX, INT64_MAX}, "1024"},
};

TEST_ROWS(bad, bad_rows, "refused: %s", row->name)
{
	struct boundary boundary = {.warps = 77};

	test_refused(boundary_count(row->extent, row->block, &boundary, &test_error), PMPP_USAGE,
		row->part);
	EQUAL(boundary.warps, 77);
}
