/* The lines, sectors, banks and passes of a request. Their sums must be those of access_global()
 * and access_shared(). */
#include "common/model/request_map.h"
#include "tests/support/test.h"

#include <string.h>

#define ALL 0xffffffffu

/* Lane t requests base + t * step. */
struct made {
	uint64_t base;
	uint32_t width;
	int64_t step;
	uint32_t lanes;
};

static struct warp_access make(const struct made *made)
{
	struct warp_access access = {
		.model = access_model_default(), .lanes = made->lanes, .width_bytes = made->width};

	/* Inactive lanes get addresses that must not count. */
	for (int lane = 0; lane < WARP_THREADS; lane++)
		access.address[lane] = made->lanes >> lane & 1
					       ? made->base + (uint64_t)(lane * made->step)
					       : 77u + 4096u * (unsigned)lane;
	return access;
}

/* ---- Global memory --------------------------------------------------------------------------- */

static const struct global_row {
	const char *name;
	struct made made;
	uint32_t sectors;
	size_t lines;
	struct line_touch first, last;
} global_rows[] = {
	{"contiguous", {0, 4, 4, ALL}, 4, 1, {0, 0xf, {~0ull, ~0ull}, ALL},
		{0, 0xf, {~0ull, ~0ull}, ALL}},
	{"a transposed access", {0, 4, 1024, ALL}, 32, 32, {0, 1, {0xf, 0}, 1},
		{31 * 8, 1, {0xf, 0}, 1u << 31}},
	{"stride 2", {0, 4, 8, ALL}, 8, 2,
		{0, 0xf, {0x0f0f0f0f0f0f0f0full, 0x0f0f0f0f0f0f0f0full}, 0xffff},
		{1, 0xf, {0x0f0f0f0f0f0f0f0full, 0x0f0f0f0f0f0f0f0full}, 0xffff0000}},
	{"misaligned", {4, 4, 4, ALL}, 5, 2, {0, 0xf, {~0xfull, ~0ull}, 0x7fffffff},
		{1, 1, {0xf, 0}, 1u << 31}},
	{"broadcast", {12, 4, 0, ALL}, 1, 1, {0, 1, {0xf000, 0}, ALL}, {0, 1, {0xf000, 0}, ALL}},
	{"inactive lanes", {0, 4, 4, 0x0000ff00}, 1, 1, {0, 2, {0xffffffff00000000ull, 0}, 0xff00},
		{0, 2, {0xffffffff00000000ull, 0}, 0xff00}},
	{"one lane across two lines", {124, 8, 8, 1}, 2, 2, {0, 8, {0, 0xf000000000000000ull}, 1},
		{1, 1, {0xf, 0}, 1}},
	{"bytes", {0, 1, 1, ALL}, 1, 1, {0, 1, {0xffffffff, 0}, ALL}, {0, 1, {0xffffffff, 0}, ALL}},
	{"16 bytes", {0, 16, 16, ALL}, 16, 4, {0, 0xf, {~0ull, ~0ull}, 0xff},
		{3, 0xf, {~0ull, ~0ull}, 0xff000000}},
	{"descending", {124, 4, -4, ALL}, 4, 1, {0, 0xf, {~0ull, ~0ull}, ALL},
		{0, 0xf, {~0ull, ~0ull}, ALL}},
	{"as many lines as possible", {120, 16, 4096, ALL}, 64, 64,
		{0, 8, {0, 0xff00000000000000ull}, 1}, {993, 1, {0xff, 0}, 1u << 31}},
};

static void global(const void *context)
{
	const struct global_row *row = context;
	struct warp_access access = make(&row->made);
	struct global_cost cost = access_global(&access);
	struct sector_map map;
	uint32_t bytes = 0;

	request_map_sectors(&access, &map);
	assert_int_equal(map.sectors, row->sectors);
	assert_int_equal(map.sectors, cost.sectors);
	assert_int_equal(map.line_count, row->lines);
	assert_int_equal(map.line_count, cost.lines);
	assert_memory_equal(&map.lines[0], &row->first, sizeof row->first);
	assert_memory_equal(&map.lines[map.line_count - 1], &row->last, sizeof row->last);
	for (size_t i = 0; i < map.line_count; i++) {
		bytes += (uint32_t)__builtin_popcountll(map.lines[i].bytes[0]) +
			 (uint32_t)__builtin_popcountll(map.lines[i].bytes[1]);
		assert_true(i == 0 || map.lines[i].number > map.lines[i - 1].number);
	}
	assert_int_equal(bytes, cost.bytes_unique);
}

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
	{"a row of tile[32][32]", {0, 4, 4, ALL}, 1, 1, 32, {1, 2}},
	{"a column of tile[32][32]", {0, 4, TILE_ROW, ALL}, 32, 32, 32, {1, 0}},
	{"a column of tile[32][33]", {0, 4, PADDED_ROW, ALL}, 1, 1, 32, {1, 2}},
	{"stride 2", {0, 4, 8, ALL}, 2, 2, 32, {1, 0}},
	{"misaligned", {4, 4, 4, ALL}, 1, 1, 32, {1u << 31, 1}},
	{"broadcast", {0, 4, 0, ALL}, 1, 1, 32, {ALL, 0}},
	{"inactive lanes", {0, 4, TILE_ROW, 0x00000110}, 2, 2, 32, {0x10, 0}},
	{"bytes of one word", {0, 1, 1, ALL}, 1, 1, 32, {0xf, 0xf0}},
	{"8 bytes", {0, 8, 8, ALL}, 2, 1, 16, {1, 1}},
	{"8 bytes, stride 2", {0, 8, 16, ALL}, 4, 2, 16, {1, 1}},
	{"16 bytes", {0, 16, 16, ALL}, 4, 1, 8, {1, 1}},
	{"16 bytes, no lane in the first part", {0, 16, 16, 0xff00}, 1, 1, 8, {0x100, 0x100}},
	{"16 bytes, a column", {0, 16, TILE_ROW, ALL}, 32, 8, 8, {1, 1}},
};

static void shared(const void *context)
{
	const struct shared_row *row = context;
	struct warp_access access = make(&row->made);
	struct shared_cost cost = access_shared(&access);
	struct bank_map map;
	uint32_t served = 0;

	request_map_banks(&access, &map);
	assert_int_equal(map.pass_count, row->passes);
	assert_int_equal(map.pass_count, cost.wavefronts);
	assert_int_equal(cost.ways, row->ways);
	assert_int_equal(map.phase_lanes, row->phase_lanes);
	assert_int_equal(map.passes[0].lanes[0], row->first[0]);
	assert_int_equal(map.passes[0].lanes[1], row->first[1]);
	for (size_t i = 0; i < map.pass_count; i++)
		for (int bank = 0; bank < BANKS; bank++) {
			served |= map.passes[i].lanes[bank];
			if (map.passes[i].lanes[bank])
				assert_int_equal(map.passes[i].word[bank] % BANKS, bank);
		}
	assert_int_equal(served, access.lanes);
}

/* ---- Any request ----------------------------------------------------------------------------- */

/* Addresses without a pattern, of all widths. */
static void sums(const void *context)
{
	static const uint32_t widths[] = {1, 2, 4, 8, 16};
	uint64_t state = 1;

	(void)context;
	for (int i = 0; i < 20000; i++) {
		struct warp_access access = {
			.model = access_model_default(), .width_bytes = widths[i % 5]};
		struct sector_map sectors;
		struct bank_map banks;
		for (int lane = 0; lane < WARP_THREADS; lane++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			access.address[lane] = state >> 40 & (i & 8 ? 0xfff : 0x1ff);
			access.lanes |= (uint32_t)(state >> 33 & 1) << lane;
		}
		access.lanes |= 1;
		request_map_sectors(&access, &sectors);
		request_map_banks(&access, &banks);
		assert_int_equal(sectors.sectors, access_global(&access).sectors);
		assert_int_equal(sectors.line_count, access_global(&access).lines);
		assert_int_equal(banks.pass_count, access_shared(&access).wavefronts);
	}
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof global_rows / sizeof *global_rows; i++)
		test_add(&list, global, &global_rows[i], "sectors: %s", global_rows[i].name);
	for (size_t i = 0; i < sizeof shared_rows / sizeof *shared_rows; i++)
		test_add(&list, shared, &shared_rows[i], "banks: %s", shared_rows[i].name);
	test_add(&list, sums, NULL, "sums of any request");
	return test_run(&list, argc, argv);
}
