/* The passes of a request over the banks. */
#include "tests/support/requests.h"
#include "tests/support/test.h"

/* ---- Shared memory --------------------------------------------------------------------------- */

#define TILE_ROW (32 * 4)
#define PADDED_ROW (33 * 4)

static const struct shared_row {
	const char *name;
	struct made made;
	size_t passes;
	uint32_t ways;
	int phase_lanes;
	uint32_t first[2]; /* lanes of banks 0 and 1 in the first pass */
} shared_rows[] = {
	{"a row of tile[32][32]", {0, 4, 4, 32, 0, ALL}, 1, 1, 32, {1, 2}},
	{"a column of tile[32][32]", {0, 4, TILE_ROW, 32, 0, ALL}, 32, 32, 32, {1, 0}},
	{"a column of tile[32][33]", {0, 4, PADDED_ROW, 32, 0, ALL}, 1, 1, 32, {1, 2}},
	{"stride 2", {0, 4, 8, 32, 0, ALL}, 2, 2, 32, {1, 0}},
	{"misaligned", {4, 4, 4, 32, 0, ALL}, 1, 1, 32, {1u << 31, 1}},
	{"broadcast", {0, 4, 0, 32, 0, ALL}, 1, 1, 32, {ALL, 0}},
	{"inactive lanes", {0, 4, TILE_ROW, 32, 0, 0x00000110}, 2, 2, 32, {0x10, 0}},
	{"bytes of one word", {0, 1, 1, 32, 0, ALL}, 1, 1, 32, {0xf, 0xf0}},
	{"8 bytes", {0, 8, 8, 32, 0, ALL}, 2, 1, 16, {1, 1}},
	{"8 bytes, stride 2", {0, 8, 16, 32, 0, ALL}, 4, 2, 16, {1, 1}},
	{"16 bytes", {0, 16, 16, 32, 0, ALL}, 4, 1, 8, {1, 1}},
	{"16 bytes, no lane in the first part", {0, 16, 16, 32, 0, 0xff00}, 1, 1, 8,
		{0x100, 0x100}},
	{"16 bytes, a column", {0, 16, TILE_ROW, 32, 0, ALL}, 32, 8, 8, {1, 1}},
};

TEST_ROWS(shared, shared_rows, "banks: %s", row->name)
{
	struct warp_access access = make(&row->made);
	struct shared_cost cost = access_shared(&access);
	struct bank_map map;
	uint32_t served = 0;

	request_map_banks(&access, &map);
	CHECK(EQUAL(map.pass_count, row->passes), EQUAL(map.pass_count, cost.wavefronts),
		EQUAL(cost.ways, row->ways), EQUAL(map.phase_lanes, row->phase_lanes),
		EQUAL(map.passes[0].lanes[0], row->first[0]),
		EQUAL(map.passes[0].lanes[1], row->first[1]));
	for (size_t i = 0; i < map.pass_count; i++)
		for (int bank = 0; bank < BANKS; bank++) {
			served |= map.passes[i].lanes[bank];
			if (map.passes[i].lanes[bank])
				EQUAL(map.passes[i].word[bank] % BANKS, bank);
		}
	EQUAL(served, access.lanes);
}

/* ---- Any request ----------------------------------------------------------------------------- */

/* Addresses without a pattern, of all widths. */
TEST(sums, "sums of any request")
{
	static const uint32_t widths[] = {1, 2, 4, 8, 16};
	uint64_t state = 1;

	for (int i = 0; i < 20000; i++) {
		struct warp_access access = {
			.model = access_model_default(), .width_bytes = widths[i % 5]};
		struct bank_map banks;
		for (int lane = 0; lane < WARP_THREADS; lane++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			access.address[lane] = state >> 40 & (i & 8 ? 0xfff : 0x1ff);
			access.lanes |= (uint32_t)(state >> 33 & 1) << lane;
		}
		access.lanes |= 1;
		request_map_banks(&access, &banks);
		EQUAL(banks.pass_count, access_shared(&access).wavefronts);
	}
}
