/* The traffic of watched blocks, and the work that follows from it. */
#include "common/model/line_cache.h"
#include "common/model/traced_work.h"
#include "tests/support/requests.h"
#include "tests/support/test.h"

/* ---- The cache ------------------------------------------------------------------------------- */

/* Loads of sectors: a cache of `lines` lines of 4 sectors. */
static const struct cache_row {
	const char *name;
	size_t lines;
	uint64_t sectors[12]; /* plus 1; ended by 0 */
	unsigned fetched;
} cache_rows[] = {
	{"a sector twice", 2, {5, 5}, 1},
	{"the sectors of a line", 1, {1, 2, 3, 4, 1, 2, 3, 4}, 4},
	{"two lines in two lines", 2, {1, 5, 1, 5, 1, 5}, 2},
	{"three lines in two lines: LRU has no hits", 2, {1, 5, 9, 1, 5, 9}, 6},
	{"three lines in three lines", 3, {1, 5, 9, 1, 5, 9}, 3},
	{"a use keeps a line", 2, {1, 5, 1, 9, 1, 5}, 4},
	{"another sector of a line that was replaced", 1, {1, 5, 2}, 3},
};

TEST_ROWS(cache, cache_rows, "cache: %s", row->name)
{
	struct line_cache *line_cache = line_cache_create(row->lines, 4);
	unsigned fetched = 0;

	SOME(line_cache);
	for (int round = 0; round < 2; round++) {
		fetched = 0;
		for (size_t i = 0; row->sectors[i]; i++)
			fetched += line_cache_load(line_cache, row->sectors[i] - 1);
		CHECK(EQUAL(fetched, row->fetched));
		line_cache_clear(line_cache);
	}
	line_cache_destroy(line_cache);
}

/* Many lines: against a list that is searched. */
TEST(many_lines, "cache: 1000 random loads")
{
	uint64_t list[37] = {0};
	struct line_cache *line_cache = line_cache_create(37, 1);
	uint32_t random = 1;

	SOME(line_cache);
	for (int i = 0; i < 1000; i++) {
		random = random * 1664525u + 1013904223u;
		uint64_t line = (random >> 16) % 60 + 1;
		size_t at = 0;
		while (at < 36 && list[at] != line)
			at++;
		bool hit = list[at] == line;
		memmove(&list[1], &list[0], at * sizeof *list);
		list[0] = line;
		IS(line_cache_load(line_cache, line) == !hit);
	}
	line_cache_destroy(line_cache);
}

/* ---- Requests -------------------------------------------------------------------------------- */

#define GLOBAL 0x100000u
#define CACHE_BYTES 1024 /* 8 lines */

static const struct made words = {GLOBAL, 4, 4, 32, 0, ALL};

static struct block_traffic *begin(void)
{
	struct block_traffic *traffic = block_traffic_create(access_model_default(), CACHE_BYTES);

	SOME(traffic);
	return traffic;
}

static void add(struct block_traffic *traffic, size_t warp, enum traffic_kind kind,
	struct made made, uint64_t offset)
{
	made.base += offset;
	struct warp_access access = make(&made);
	IS(block_traffic_add(traffic, warp, kind, &access));
}

static struct traffic_counts end(struct block_traffic *traffic)
{
	struct traffic_counts counts;

	block_traffic_report(traffic, &counts);
	block_traffic_destroy(traffic);
	return counts;
}

/* Each warp walks over 16 lines, all the same. One after the other, each would fetch all. */
TEST(turns, "the warps of a block take turns")
{
	struct block_traffic *traffic = begin();

	for (size_t warp = 0; warp < 4; warp++)
		for (uint64_t line = 0; line < 16; line++)
			add(traffic, warp, TRAFFIC_LOAD, words, 128 * line);
	block_traffic_block_end(traffic, 0);
	struct traffic_counts counts = end(traffic);
	CHECK(EQUAL(counts.fetched, 16 * 4),
		EQUAL(counts.blocks[0].sectors[TRAFFIC_LOADED], 16 * 4));
}

/* At the barrier all warps have left the first lines, and the cache has lost them. */
TEST(rounds, "a round ends before the next")
{
	struct block_traffic *traffic = begin();

	for (uint64_t line = 0; line < 16; line++)
		add(traffic, 0, TRAFFIC_LOAD, words, 128 * line);
	block_traffic_round_end(traffic);
	add(traffic, 1, TRAFFIC_LOAD, words, 0);
	block_traffic_block_end(traffic, 0);
	EQUAL(end(traffic).fetched, 17 * 4);
}

TEST(empty_cache, "a block begins with an empty cache")
{
	struct block_traffic *traffic = begin();

	for (uint64_t block = 0; block < 2; block++) {
		add(traffic, 0, TRAFFIC_LOAD, words, 0);
		add(traffic, 0, TRAFFIC_LOAD, words, 0);
		block_traffic_block_end(traffic, block);
	}
	struct traffic_counts counts = end(traffic);
	CHECK(EQUAL(counts.fetched, 8), EQUAL(counts.block_count, 2),
		EQUAL(counts.blocks[1].with[TRAFFIC_LOADED][0], 4));
}

TEST(sectors_of_blocks, "sectors of blocks: stores of parts, loads of halves of pairs")
{
	const struct made strided = {GLOBAL, 4, 64, 32, 0, ALL};
	struct block_traffic *traffic = begin();

	add(traffic, 0, TRAFFIC_LOAD, strided, 0);
	add(traffic, 0, TRAFFIC_STORE, words, 1 << 20);
	add(traffic, 1, TRAFFIC_STORE, (struct made){GLOBAL, 4, 8, 32, 0, ALL}, 1 << 21);
	block_traffic_block_end(traffic, 7);
	struct traffic_counts counts = end(traffic);
	const struct block_sectors *block = &counts.blocks[0];
	CHECK(EQUAL(block->number, 7), EQUAL(block->sectors[TRAFFIC_LOADED], 32),
		EQUAL(block->half_pairs, 32), EQUAL(block->sectors[TRAFFIC_STORED], 4 + 8),
		EQUAL(block->partial, 8));
}

/* ---- Joined loads ---------------------------------------------------------------------------- */

static const struct made one_word = {0, 4, 0, 32, 0, ALL};  /* all lanes read the same word */
static const struct made two_rows = {0, 4, 0, 16, 64, ALL}; /* a 16 x 16 tile: the reads of A */
static const struct made columns = {0, 4, 4, 32, 0, ALL};   /* neighbours */

static const struct join_row {
	const char *name;
	const struct made *made;
	uint64_t step; /* bytes from one load to the next */
	int loads;
	enum traffic_kind between; /* after each load; TRAFFIC_LOAD: nothing */
	uint64_t saved;
} join_rows[] = {
	{"four words", &one_word, 4, 4, TRAFFIC_LOAD, 4 - 2},
	{"two words", &one_word, 4, 2, TRAFFIC_LOAD, 2 - 1},
	{"16 steps of a tile", &two_rows, 4, 16, TRAFFIC_LOAD, 16 - 8},
	{"a store in between", &two_rows, 4, 16, TRAFFIC_SHARED_STORE, 0},
	{"not neighbours", &two_rows, 8, 16, TRAFFIC_LOAD, 0},
	{"lanes of other alignments", &columns, 4, 16, TRAFFIC_LOAD, 0},
};

TEST_ROWS(joined, join_rows, "joined: %s", row->name)
{
	struct block_traffic *traffic = begin();

	for (int i = 0; i < row->loads; i++) {
		add(traffic, 0, TRAFFIC_SHARED_LOAD, *row->made, row->step * (uint64_t)i);
		if (row->between != TRAFFIC_LOAD)
			add(traffic, 0, row->between, columns, 8192);
	}
	block_traffic_block_end(traffic, 0);
	EQUAL(end(traffic).joined_passes, row->saved);
}

/* ---- Work ------------------------------------------------------------------------------------ */

#define EXACT(got, want) test_near(got, want, 0)

static struct access_record accesses[] = {
	{.space = TRACE_GLOBAL, .kind = TRACE_LOAD, .passes = 10, .sectors = 40},
	{.space = TRACE_GLOBAL, .kind = TRACE_STORE, .passes = 20, .sectors = 80},
	{.space = TRACE_GLOBAL, .kind = TRACE_ATOMIC, .passes = 40, .sectors = 1000},
	{.space = TRACE_SHARED, .kind = TRACE_LOAD, .wavefronts = 100},
};

static struct trace trace_of_blocks(uint64_t sampled, uint64_t total)
{
	return (struct trace){.model = access_model_default(),
		.estimated = sampled < total,
		.sampled_blocks = sampled,
		.total_blocks = total,
		.accesses = accesses,
		.access_count = sizeof accesses / sizeof *accesses,
		.traffic = {.fetched = 30, .joined_passes = 25, .idle_passes = 5}};
}

static struct floor_work least_work(void)
{
	struct floor_work least = floor_work_unknown();

	least.bytes_read = least.bytes_written = 6400;
	least.operations[OPERATIONS_F32] = 123;
	return least;
}

TEST(work, "work: counts scaled to the grid")
{
	struct trace trace = trace_of_blocks(2, 6);
	const struct traced_launch launches[] = {{&trace, 6, 1}, {&trace, 6, 1}};
	const struct floor_work least = least_work();
	struct floor_work one = traced_work(&least, launches, 1);
	struct floor_work two = traced_work(&least, launches, 2);

	CHECK(EXACT(one.l1_passes, 3 * 30), EXACT(one.shared_passes, 3 * 75),
		EXACT(one.idle_passes, 3 * 5), EXACT(one.l2_bytes, 3 * 32 * (80 + 30)),
		EXACT(one.bytes_read, 6400), EXACT(one.operations[OPERATIONS_F32], 123),
		EXACT(one.again_read, 0));
	CHECK(EXACT(two.l1_passes, 6 * 30), EXACT(two.l2_bytes, 6 * 32 * 110));
}

TEST(other_vendors, "work: no passes for GPUs of other vendors")
{
	struct trace trace = trace_of_blocks(2, 6);
	const struct traced_launch launch = {&trace, 6, 1};
	const struct floor_work least = least_work();

	trace.model = access_model_find("gfx942");
	struct floor_work found = traced_work(&least, &launch, 1);
	CHECK(IS(isnan(found.l1_passes)), IS(isnan(found.shared_passes)), IS(isnan(found.l2_bytes)),
		EXACT(found.bytes_read, 6400));
}

/* A grid of 10 x 8 blocks. Each block loads 100 sectors and stores 100, those of the block above. */
TEST(again, "work: the blocks of the next row load the same sectors again")
{
	struct trace trace = trace_of_blocks(3, 80);
	struct block_sectors *blocks = trace.traffic.blocks;
	const struct traced_launch launch = {&trace, 10, 8};
	const struct floor_work least = least_work();

	trace.traffic.block_count = 3;
	for (int i = 0; i < 3; i++)
		blocks[i] = (struct block_sectors){.number = i == 2 ? 32 : 22 + (uint64_t)i,
			.sectors = {100, 100},
			.half_pairs = 60,
			.partial = 10};
	blocks[2].with[TRAFFIC_LOADED][0] = 100;
	struct floor_work found = traced_work(&least, &launch, 1);
	/* 80 blocks, of which 70 have a block above. */
	CHECK(EXACT(found.again_read, 70 * 100 * 32), EXACT(found.again_written, 0),
		EXACT(found.again_after, 6400 * 2), EXACT(found.overfetched, 80 * 70 * 32));

	/* The neighbour has them too: they stay in the cache. */
	blocks[2].with[TRAFFIC_LOADED][1] = 100;
	EXACT(traced_work(&least, &launch, 1).again_read, 0);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static const struct blocks_row {
	uint64_t grid[3];
	size_t count;
	uint64_t blocks[TRACED_WORK_BLOCKS];
} blocks_rows[] = {
	{{1, 1, 1}, 1, {0}},
	{{5, 1, 1}, 5, {0, 1, 2, 3, 4}},
	{{100, 1, 1}, 4, {25, 26, 50, 75}},
	{{8, 8, 1}, 5, {22, 34, 35, 42, 52}},
	{{1, 100, 1}, 4, {25, 50, 51, 75}},
};

TEST_ROWS(blocks, blocks_rows, "blocks of a grid of %d x %d", (int)row->grid[0], (int)row->grid[1])
{
	uint64_t found[TRACED_WORK_BLOCKS];

	EQUAL(traced_work_blocks(row->grid, found), row->count);
	for (size_t i = 0; i < row->count; i++) {
		IS(found[i] < row->grid[0] * row->grid[1] * row->grid[2]);
		IS(i == 0 || found[i] > found[i - 1]);
		bool wanted = false;
		for (size_t k = 0; k < row->count; k++)
			wanted |= found[i] == row->blocks[k];
		test_note("block %d", (int)found[i]);
		IS(wanted);
	}
}

int main(int argc, char **argv)
{
	return test_run(argc, argv);
}
