#include "common/model/dram.h"
#include "tests/support/test.h"

TEST(utilisation, "utilisation")
{
	test_near(dram_bus_of(20, 1).busy, 1.0 / 21, 1e-15);
	test_near(16 * dram_bus_of(20, 1).busy, 0.76, 0.005); /* 0.76 of 16 GB/s, as in the book */
	test_near(dram_bus_of(20, 2).busy, 2.0 / 21, 1e-15);
	CHECK(NEAR(dram_bus_of(20, 20).busy, 20.0 / 21, 1e-15),
		NEAR(dram_bus_of(20, 21).busy, 1, 0), NEAR(dram_bus_of(20, 1000).busy, 1, 0),
		NEAR(dram_bus_of(0, 1).busy, 1, 0), NEAR(dram_bus_of(2.5, 3).busy, 3 / 3.5, 1e-15));
}

TEST(banks_needed, "banks needed")
{
	CHECK(EQUAL(dram_bus_of(20, 0).banks_needed, 21), EQUAL(dram_bus_of(0, 0).banks_needed, 1),
		EQUAL(dram_bus_of(2.5, 0).banks_needed, 4));
	for (double ratio = 0; ratio < 50; ratio += 0.75) {
		test_near(dram_bus_of(ratio, dram_bus_of(ratio, 0).banks_needed).busy, 1, 0);
		if (ratio > 0)
			IS(dram_bus_of(ratio, dram_bus_of(ratio, 0).banks_needed - 1).busy < 1);
	}
}

/* 3rd ed. figure 5.9: pairs of f32 over four channels of two banks. */
static const struct dram figure = {.burst_bytes = 8, .channels = 4, .banks = 2};

/* A row of a 4 x 4 matrix has two bursts. Phase p of tiles of one element reads row p of the right matrix. */
static const struct place_row {
	int phase, channel, bank;
} place_rows[] = {{0, 0, 0}, {1, 2, 0}, {2, 0, 1}, {3, 2, 1}};

TEST_ROWS(place, place_rows, "place of row %d", row->phase)
{
	struct dram_load left, right;

	test_ok(dram_tiles(&figure, 4, 1, row->phase, &left, &right, &test_error));
	CHECK(EQUAL(right.channels, 3 << row->channel), EQUAL(right.bursts, 2),
		EQUAL(right.banks, 2), EQUAL(right.conflicts, 0),
		EQUAL(right.of_bank[row->channel][row->bank], 1),
		EQUAL(right.of_bank[row->channel + 1][row->bank], 1));
}

/* A column of a matrix whose rows have burst x channels x banks bytes uses one bank. */
TEST(camping, "a stride that uses one bank only")
{
	const struct dram dram = {.burst_bytes = 32, .channels = 8, .banks = 16};
	struct dram_load bad, good;

	test_ok(dram_tiles(&dram, 1024, 8, 0, &bad, &good, &test_error));
	CHECK(EQUAL(bad.bursts, 1024), EQUAL(bad.conflicts, 1023), EQUAL(bad.channels, 1),
		EQUAL(bad.of_bank[0][0], 1024), EQUAL(good.bursts, 1024), EQUAL(good.banks, 128),
		EQUAL(good.channels, 0xff));
}

/* Figures 5.10 and 5.11 show the left matrix. The right matrix is read by whole rows. */
static const struct tile_row {
	int64_t n, tile, phase;
	uint64_t left, right;
	int64_t left_bursts, left_banks;
} tile_rows[] = {
	{4, 2, 0, 0x5, 0xf, 4, 4},
	{4, 2, 1, 0xa, 0xf, 4, 4},
	{8, 2, 0, 0x1, 0xf, 8, 2},
	{8, 2, 1, 0x2, 0xf, 8, 2},
	{8, 2, 2, 0x4, 0xf, 8, 2},
	{8, 2, 3, 0x8, 0xf, 8, 2},
	{8, 4, 0, 0x3, 0xf, 16, 4},
	{2, 2, 0, 0x3, 0x3, 2, 2},
};

TEST_ROWS(tiles, tile_rows, "tiles of %d in %d, phase %d", (int)row->tile, (int)row->n,
	(int)row->phase)
{
	struct dram_load left, right;

	test_ok(dram_tiles(&figure, row->n, row->tile, row->phase, &left, &right, &test_error));
	CHECK(EQUAL(left.channels, row->left), EQUAL(right.channels, row->right),
		EQUAL(left.bursts, row->left_bursts), EQUAL(left.banks, row->left_banks),
		EQUAL(left.conflicts, left.bursts - left.banks));
}

/* An 8 x 8 product uses all four channels; its left matrix uses one channel in each phase. */
TEST(all_channels, "8 x 8 uses all four channels")
{
	struct dram_load left, right;
	uint64_t used = 0;

	for (int64_t phase = 0; phase < 4; phase++) {
		test_ok(dram_tiles(&figure, 8, 2, phase, &left, &right, &test_error));
		EQUAL(right.channels, 0xf);
		used |= left.channels;
	}
	EQUAL(used, 0xf);
}

static const struct bad_row {
	const char *name;
	struct dram dram;
	int64_t n, tile, phase;
	const char *part;
} bad_rows[] = {
	{"no burst", {0, 4, 2}, 4, 2, 0, "burst"},
	{"no channel", {8, 0, 2}, 4, 2, 0, "channels, not 0"},
	{"too many channels", {8, 65, 2}, 4, 2, 0, "1 to 64 channels"},
	{"no bank", {8, 4, 0}, 4, 2, 0, "banks"},
	{"too many banks", {8, 4, 65}, 4, 2, 0, "1 to 64 banks"},
	{"no matrix", {8, 4, 2}, 0, 2, 0, "not 0"},
	{"too large a matrix", {8, 4, 2}, 4097, 1, 0, "4096"},
	{"no tile", {8, 4, 2}, 4, 0, 0, "divide"},
	{"a tile that does not divide", {8, 4, 2}, 4, 3, 0, "divide"},
	{"a phase too far", {8, 4, 2}, 4, 2, 2, "0 to 1, not 2"},
	{"a negative phase", {8, 4, 2}, 4, 2, -1, "not -1"},
};

TEST_ROWS(bad, bad_rows, "refused: %s", row->name)
{
	struct dram_load left = {.bursts = 77}, right = {.bursts = 77};

	test_refused(
		dram_tiles(&row->dram, row->n, row->tile, row->phase, &left, &right, &test_error),
		PMPP_USAGE, row->part);
	CHECK(EQUAL(left.bursts, 77), EQUAL(right.bursts, 77));
}

static const struct border_row {
	const char *name;
	struct dram dram;
	int64_t n, tile;
	int64_t bursts; /* of the right matrix */
} border_rows[] = {
	{"a burst of 1 byte", {1, 4, 2}, 4, 2, 32},
	{"one channel", {8, 1, 2}, 4, 2, 4},
	{"most channels", {8, DRAM_MAX_CHANNELS, 2}, 4, 2, 4},
	{"one bank", {8, 4, 1}, 4, 2, 4},
	{"most banks", {8, 4, DRAM_MAX_BANKS}, 4, 2, 4},
	{"the smallest matrix", {8, 4, 2}, 1, 1, 1},
	{"tiles of one element", {8, 4, 2}, 4, 1, 2},
	{"the largest matrix", {8, 4, 2}, DRAM_MAX_MATRIX, 1, DRAM_MAX_MATRIX / 2},
};

TEST_ROWS(border, border_rows, "allowed: %s", row->name)
{
	struct dram_load left, right;

	test_ok(dram_tiles(&row->dram, row->n, row->tile, 0, &left, &right, &test_error));
	EQUAL(right.bursts, row->bursts);
}
