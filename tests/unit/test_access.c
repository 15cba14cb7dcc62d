#include "common/model/passes.h"
#include "common/model/trace.h"
#include "tests/support/requests.h"
#include "tests/support/test.h"

#define BASE 0x10000u

/* ---- Global memory --------------------------------------------------------------------------- */

static const struct global_row {
	const char *name;
	struct made made;
	uint32_t sectors, lines, unique, alignment;
} global_rows[] = {
	{"contiguous words", {BASE, 4, 4, 32, 0, ALL}, 4, 1, 128, 128},
	{"stride 2", {BASE, 4, 8, 32, 0, ALL}, 8, 2, 128, 128},
	{"stride 4", {BASE, 4, 16, 32, 0, ALL}, 16, 4, 128, 128},
	{"stride 32", {BASE, 4, 128, 32, 0, ALL}, 32, 32, 128, 128},
	{"downwards", {BASE + 124, 4, -4, 32, 0, ALL}, 4, 1, 128, 128},
	{"one element off", {BASE + 4, 4, 4, 32, 0, ALL}, 5, 2, 128, 4},
	{"one sector off", {BASE + 32, 4, 4, 32, 0, ALL}, 4, 2, 128, 32},
	{"half a line off", {BASE + 64, 4, 4, 32, 0, ALL}, 4, 2, 128, 64},
	{"bytes", {BASE, 1, 1, 32, 0, ALL}, 1, 1, 32, 128},
	{"bytes at an odd place", {BASE + 31, 1, 1, 32, 0, ALL}, 2, 1, 32, 1},
	{"halves", {BASE, 2, 2, 32, 0, ALL}, 2, 1, 64, 128},
	{"8 bytes", {BASE, 8, 8, 32, 0, ALL}, 8, 2, 256, 128},
	{"16 bytes", {BASE, 16, 16, 32, 0, ALL}, 16, 4, 512, 128},
	{"16 bytes across lines", {BASE + 8, 16, 16, 32, 0, ALL}, 17, 5, 512, 8},
	{"one word for all", {BASE + 12, 4, 0, 32, 0, ALL}, 1, 1, 4, 4},
	{"16 bytes for all, in two sectors", {BASE + 24, 16, 0, 32, 0, ALL}, 2, 1, 16, 8},
	{"words that overlap", {BASE, 4, 2, 32, 0, ALL}, 3, 1, 66, 128},
	{"one lane", {BASE + 4096 - 16, 4, 4, 32, 0, 1u << 7}, 1, 1, 4, 4},
	{"the last lane", {BASE, 4, 4, 32, 0, 1u << 31}, 1, 1, 4, 4},
	{"8 lanes", {BASE, 4, 4, 32, 0, 0xff}, 1, 1, 32, 128},
	{"every other lane", {BASE, 4, 4, 32, 0, 0x55555555}, 4, 1, 64, 128},
	{"every third lane", {BASE, 4, 4, 32, 0, 0x49249249}, 4, 1, 44, 128},
	{"two rows of 16", {BASE, 4, 4, 16, 1024, ALL}, 4, 2, 128, 128},
	{"four rows of 8, one sector each", {BASE, 4, 4, 8, 4096, ALL}, 4, 4, 128, 128},
	{"8 lanes in the middle", {BASE, 4, 4, 32, 0, 0xff00}, 1, 1, 32, 32},
	{"one lane across two lines", {BASE + 124, 8, 8, 32, 0, 1}, 2, 2, 8, 4},
	{"as many lines as possible", {BASE + 120, 16, 4096, 32, 0, ALL}, 64, 64, 512, 8},
	{"at address 0", {0, 4, 4, 32, 0, ALL}, 4, 1, 128, 128},
};

TEST_ROWS(global, global_rows, "global: %s", row->name)
{
	struct warp_access access = make(&row->made);
	struct global_cost cost = access_global(&access);

	CHECK(EQUAL(cost.sectors, row->sectors), EQUAL(cost.lines, row->lines),
		EQUAL(cost.bytes_unique, row->unique), EQUAL(cost.alignment_bytes, row->alignment));
}

/* ---- Shared memory --------------------------------------------------------------------------- */

static const struct shared_row {
	const char *name;
	struct made made;
	uint32_t phases, wavefronts, ways;
} shared_rows[] = {
	{"contiguous words", {0, 4, 4, 32, 0, ALL}, 1, 1, 1},
	{"contiguous words, one off", {4, 4, 4, 32, 0, ALL}, 1, 1, 1},
	{"stride 2", {0, 4, 8, 32, 0, ALL}, 1, 2, 2},
	{"stride 3", {0, 4, 12, 32, 0, ALL}, 1, 1, 1},
	{"stride 8", {0, 4, 32, 32, 0, ALL}, 1, 8, 8},
	{"stride 32", {0, 4, 128, 32, 0, ALL}, 1, 32, 32},
	{"stride 33", {0, 4, 132, 32, 0, ALL}, 1, 1, 1},
	{"one word for all", {64, 4, 0, 32, 0, ALL}, 1, 1, 1},
	{"two words of one bank", {0, 4, 0, 16, 128, ALL}, 1, 2, 2},
	{"two words of two banks", {0, 4, 0, 16, 132, ALL}, 1, 1, 1},
	{"stride 32, half of the lanes", {0, 4, 128, 32, 0, 0xffff}, 1, 16, 16},
	{"stride 32, one lane", {0, 4, 128, 32, 0, 1u << 9}, 1, 1, 1},
	{"bytes of one word are one", {0, 1, 1, 32, 0, ALL}, 1, 1, 1},
	{"bytes a line apart", {0, 1, 128, 32, 0, ALL}, 1, 32, 32},
	{"halves", {0, 2, 2, 32, 0, ALL}, 1, 1, 1},
	{"halves two lines apart in pairs", {0, 2, 2, 2, 128, ALL}, 1, 16, 16},
	{"8 bytes", {0, 8, 8, 32, 0, ALL}, 2, 2, 1},
	{"8 bytes, stride 2", {0, 8, 16, 32, 0, ALL}, 2, 4, 2},
	{"8 bytes, stride 16", {0, 8, 128, 32, 0, ALL}, 2, 32, 16},
	{"8 bytes for all", {0, 8, 0, 32, 0, ALL}, 1, 1, 1},
	{"8 bytes, in pairs", {0, 8, 0, 2, 8, ALL}, 1, 1, 1},
	{"8 bytes, in pairs, conflict", {0, 8, 0, 2, 128, ALL}, 1, 16, 16},
	{"8 bytes, equal four lanes away", {0, 8, 8, 4, 0, ALL}, 2, 2, 1},
	{"8 bytes, lower half of the warp", {0, 8, 8, 32, 0, 0xffff}, 1, 1, 1},
	{"8 bytes, upper half conflicts", {0, 8, 128, 32, 0, 0x00070003}, 2, 5, 3},
	{"16 bytes", {0, 16, 16, 32, 0, ALL}, 4, 4, 1},
	{"16 bytes, stride 2", {0, 16, 32, 32, 0, ALL}, 4, 8, 2},
	{"16 bytes, stride 8", {0, 16, 128, 32, 0, ALL}, 4, 32, 8},
	{"16 bytes for all", {0, 16, 0, 32, 0, ALL}, 2, 2, 1},
	{"16 bytes, in pairs", {0, 16, 0, 2, 16, ALL}, 2, 2, 1},
	{"16 bytes, in fours", {0, 16, 0, 4, 16, ALL}, 2, 2, 1},
	{"16 bytes, in fours, conflict", {0, 16, 0, 4, 128, ALL}, 2, 8, 4},
	{"16 bytes, equal two lanes away", {0, 16, 16, 2, 0, ALL}, 2, 2, 1},
	{"16 bytes, equal four lanes away", {0, 16, 16, 4, 0, ALL}, 4, 4, 1},
	{"16 bytes, paired lower half", {0, 16, 0, 2, 16, 0xffff}, 1, 1, 1},
	{"16 bytes, a lane of each pair", {0, 16, 16, 32, 0, 0x55555555}, 2, 4, 2},
	{"16 bytes, the second quarter", {0, 16, 16, 32, 0, 0xff00}, 1, 1, 1},
};

TEST_ROWS(shared, shared_rows, "shared: %s", row->name)
{
	struct warp_access access = make(&row->made);
	struct shared_cost cost = access_shared(&access);

	CHECK(EQUAL(cost.phases, row->phases), EQUAL(cost.wavefronts, row->wavefronts),
		EQUAL(cost.ways, row->ways));
}

/* ---- Atomics --------------------------------------------------------------------------------- */

static const struct multiplicity_row {
	const char *name;
	struct made made;
	uint32_t multiplicity;
} multiplicity_rows[] = {
	{"one address", {BASE, 4, 0, 32, 0, ALL}, 32},
	{"one address, five lanes", {BASE, 4, 0, 32, 0, 0x1f}, 5},
	{"all different", {BASE, 4, 4, 32, 0, ALL}, 1},
	{"one lane", {BASE, 4, 4, 32, 0, 1}, 1},
	{"rows of 8 at the same 8 addresses", {BASE, 4, 4, 8, 0, ALL}, 4},
	{"rows of 8, one address each", {BASE, 4, 0, 8, 4, ALL}, 8},
	{"24 lanes at one address, 8 at another", {BASE, 4, 0, 24, 4, ALL}, 24},
};

TEST_ROWS(multiplicity, multiplicity_rows, "atomics: %s", row->name)
{
	struct warp_access access = make(&row->made);

	EQUAL(access_multiplicity(&access), row->multiplicity);
}

/* ---- Patterns -------------------------------------------------------------------------------- */

/* The kind, the stride, the run and the text of a pattern of all lanes, and of runs of lanes. */
#define WHOLE(kind, text) PATTERN_##kind, 0, WARP_THREADS, text
#define RUNS(kind, text, lanes) PATTERN_##kind, 0, lanes, text " in runs of " #lanes

static const struct pattern_row {
	const char *name;
	struct made made;
	enum pattern_kind kind;
	int32_t stride, run;
	const char *text;
} pattern_rows[] = {
	{"one lane", {BASE, 4, 4, 32, 0, 8}, WHOLE(SINGLE, "one lane")},
	{"contiguous", {BASE, 4, 4, 32, 0, ALL}, WHOLE(CONTIGUOUS, "contiguous")},
	{"contiguous, misaligned", {BASE + 1, 4, 4, 32, 0, ALL}, WHOLE(CONTIGUOUS, "contiguous")},
	{"contiguous vectors", {BASE, 16, 16, 32, 0, ALL}, WHOLE(CONTIGUOUS, "contiguous")},
	{"contiguous with gaps", {BASE, 4, 4, 32, 0, 0x90210005}, WHOLE(CONTIGUOUS, "contiguous")},
	{"two lanes, far apart", {BASE, 4, 4, 32, 0, 0x80000001}, WHOLE(CONTIGUOUS, "contiguous")},
	{"stride 2", {BASE, 4, 8, 32, 0, ALL}, PATTERN_STRIDE, 2, 32, "stride 2"},
	{"stride 2 with gaps", {BASE, 4, 8, 32, 0, 0xf0f0f00f}, PATTERN_STRIDE, 2, 32, "stride 2"},
	{"stride 1024", {BASE, 4, 4096, 32, 0, ALL}, PATTERN_STRIDE, 1024, 32, "stride 1024"},
	{"downwards", {BASE + 4096, 4, -4, 32, 0, ALL}, PATTERN_STRIDE, -1, 32, "stride -1"},
	{"two down", {BASE + 4096, 4, -8, 32, 0, ALL}, PATTERN_STRIDE, -2, 32, "stride -2"},
	{"broadcast", {BASE, 4, 0, 32, 0, ALL}, WHOLE(BROADCAST, "broadcast")},
	{"broadcast to two lanes", {BASE, 4, 0, 32, 0, 6}, WHOLE(BROADCAST, "broadcast")},
	{"rows of 16", {BASE, 4, 4, 16, 999 * 4, ALL}, RUNS(CONTIGUOUS, "contiguous", 16)},
	{"rows of 8, stride 3", {BASE, 4, 12, 8, 4096, ALL}, PATTERN_STRIDE, 3, 8,
		"stride 3 in runs of 8"},
	{"rows of 4", {BASE, 4, 4, 4, 4096, ALL}, RUNS(CONTIGUOUS, "contiguous", 4)},
	{"rows of 8, one address each", {BASE, 4, 0, 8, 64, ALL}, RUNS(BROADCAST, "broadcast", 8)},
	{"rows of 16 with gaps", {BASE, 4, 4, 16, 4096, 0x0ff10f0f},
		RUNS(CONTIGUOUS, "contiguous", 16)},
	{"rows of 16, only one active", {BASE, 4, 4, 16, 4096, 0xffff0000},
		WHOLE(CONTIGUOUS, "contiguous")},
	{"rows of 2", {BASE, 4, 4, 2, 4096, ALL}, RUNS(CONTIGUOUS, "contiguous", 2)},
	{"rows of 2, one address each", {BASE, 4, 0, 2, 64, ALL}, RUNS(BROADCAST, "broadcast", 2)},
	{"a stride of 2 lanes is no pattern", {BASE, 4, 8, 2, 4096, ALL},
		WHOLE(SCATTERED, "scattered")},
	{"a step that is no multiple of the width", {BASE, 4, 6, 32, 0, ALL},
		WHOLE(SCATTERED, "scattered")},
	{"rows of 3", {BASE, 4, 4, 3, 4096, ALL}, WHOLE(SCATTERED, "scattered")},
	{"a stride above the largest", {BASE, 1, (int64_t)1 << 32, 32, 0, ALL},
		WHOLE(SCATTERED, "scattered")},
	{"the largest stride", {BASE, 1, INT32_MAX, 32, 0, ALL}, PATTERN_STRIDE, INT32_MAX, 32,
		"stride 2147483647"},
	{"the smallest stride", {(uint64_t)1 << 40, 1, INT32_MIN, 32, 0, ALL}, PATTERN_STRIDE,
		INT32_MIN, 32, "stride -2147483648"},
	{"further down", {(uint64_t)1 << 40, 1, (int64_t)INT32_MIN - 1, 32, 0, ALL},
		WHOLE(SCATTERED, "scattered")},
};

TEST_ROWS(pattern, pattern_rows, "pattern: %s", row->name)
{
	struct warp_access access = make(&row->made);
	struct access_pattern found = access_pattern(&access);
	char text[64];

	CHECK(EQUAL(found.kind, row->kind), EQUAL(found.stride, row->stride),
		EQUAL(found.run, row->run));
	access_pattern_text(&found, access_model_default(), text, sizeof text);
	STRING(text, row->text);
}

TEST(pattern_texts, "pattern: texts")
{
	char text[12];

	access_pattern_text(&(struct access_pattern){.kind = PATTERN_MIXED, .run = WARP_THREADS},
		access_model_default(), text, sizeof text);
	STRING(text, "mixed");
	/* The text is cut to the size of the buffer. */
	access_pattern_text(
		&(struct access_pattern){
			.kind = PATTERN_STRIDE, .stride = -2147483647 - 1, .run = WARP_THREADS},
		access_model_default(), text, sizeof text);
	STRING(text, "stride -214");
}

/* ---- The same counts, byte by byte ----------------------------------------------------------- */

#define SPACE 4096

/* Marks the pieces of `unit` bytes that lanes first to end - 1 touch. Returns the number of newly
 * marked pieces. */
static uint32_t mark_pieces(
	const struct warp_access *access, int first, int end, uint32_t unit, bool marked[SPACE])
{
	uint32_t count = 0;

	memset(marked, 0, SPACE * sizeof *marked);
	for (int lane = first; lane < end; lane++)
		for (uint32_t i = 0; access->lanes >> lane & 1 && i < access->width_bytes; i++) {
			bool *piece = &marked[(access->address[lane] + i) / unit];
			count += !*piece;
			*piece = true;
		}
	return count;
}

/* Whether all active lanes first to end - 1 have the address of the lane `away` places away. */
static bool naive_paired(const struct warp_access *access, int first, int end, int away)
{
	bool paired = true;

	for (int lane = first; lane < end; lane++) {
		int other = lane / away % 2 ? lane - away : lane + away;
		bool both = access->lanes >> lane & access->lanes >> other & 1;
		paired &= !both || access->address[lane] == access->address[other];
	}
	return paired;
}

static struct shared_cost naive_shared(const struct warp_access *access)
{
	struct shared_cost cost = {0};
	bool words[SPACE];
	int lanes = access->width_bytes == 16 ? 8 : access->width_bytes == 8 ? 16 : 32;
	int end;

	for (int first = 0; first < WARP_THREADS; first = end) {
		uint32_t max = 0;

		end = first + 2 * lanes;
		if (lanes == 32 || first / lanes % 2 != 0 ||
			!(naive_paired(access, first, end, 1) ||
				naive_paired(access, first, end, 2)))
			end = first + lanes;
		mark_pieces(access, first, end, BANK_BYTES, words);
		for (int bank = 0; bank < BANKS; bank++) {
			uint32_t of_bank = 0;
			for (int word = bank; word < SPACE / BANK_BYTES; word += BANKS)
				of_bank += words[word];
			max = of_bank > max ? of_bank : max;
		}
		cost.phases += max > 0;
		cost.wavefronts += max;
		cost.ways = max > cost.ways ? max : cost.ways;
	}
	return cost;
}

static uint32_t naive_multiplicity(const struct warp_access *access)
{
	uint32_t max = 0;

	for (int a = 0; a < WARP_THREADS; a++) {
		uint32_t same = 0;
		for (int b = 0; b < WARP_THREADS; b++)
			same += access->lanes >> a & access->lanes >> b & 1 &&
				access->address[a] == access->address[b];
		max = same > max ? same : max;
	}
	return max;
}

static void compare_naive(const struct warp_access *access)
{
	bool marked[SPACE];
	struct global_cost global_cost = access_global(access);
	struct shared_cost got = access_shared(access);
	struct shared_cost want = naive_shared(access);
	uint64_t lowest = UINT64_MAX;

	EQUAL(global_cost.sectors, mark_pieces(access, 0, WARP_THREADS, SECTOR_BYTES, marked));
	EQUAL(global_cost.lines, mark_pieces(access, 0, WARP_THREADS, LINE_BYTES, marked));
	EQUAL(global_cost.bytes_unique, mark_pieces(access, 0, WARP_THREADS, 1, marked));
	for (int lane = 0; lane < WARP_THREADS; lane++)
		if (access->lanes >> lane & 1 && access->address[lane] < lowest)
			lowest = access->address[lane];
	CHECK(EQUAL(lowest % global_cost.alignment_bytes, 0),
		IS(global_cost.alignment_bytes == LINE_BYTES ||
			lowest % (2 * global_cost.alignment_bytes) != 0),
		EQUAL(got.phases, want.phases), EQUAL(got.wavefronts, want.wavefronts),
		EQUAL(got.ways, want.ways),
		EQUAL(access_multiplicity(access), naive_multiplicity(access)));
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
	return (uint32_t)(*state >> 33);
}

TEST(against_naive, "the same as byte by byte")
{
	static const uint32_t widths[] = {1, 2, 4, 8, 16};
	uint64_t state = 2024;

	for (int round = 0; round < 4000; round++) {
		struct warp_access access = {
			.model = access_model_default(), .width_bytes = widths[round % 5]};
		/* From a few addresses, which many lanes share, to the whole space. */
		uint32_t room = 1u << (1 + next_random(&state) % 11);
		/* Aligned as a GPU requires, or not aligned. */
		uint32_t unit = next_random(&state) % 4 ? access.width_bytes : 1;

		access.lanes =
			round % 3 == 0 ? ALL : next_random(&state) << 1 ^ next_random(&state);
		access.lanes |= 1u << next_random(&state) % 32;
		for (int lane = 0; lane < WARP_THREADS; lane++)
			access.address[lane] = next_random(&state) % room / unit * unit +
					       (room < SPACE / 2 ? room : 0);
		/* Quarters of the warp whose lanes are paired. */
		for (int lane = 0; lane < WARP_THREADS; lane++)
			if (round % 4 == 0 && round >> (4 + lane / 8) & 1)
				access.address[lane] = access.address[lane & ~1];
		compare_naive(&access);
	}
}

/* ---- Passes of rows of threads --------------------------------------------------------------- */

static const struct passes_row {
	const char *name;
	struct warp_lanes lanes;
	int64_t columns, rows; /* of the grid */
	double of_warp, of_grid;
} passes_rows[] = {
	{"neighbours", {32, 1, 4, 0}, 64, 3, 1, 6},
	{"a line apart", {32, 1, 128, 0}, 64, 3, 32, 192},
	{"a line and a word apart", {32, 1, 132, 0}, 64, 3, 1, 6},
	{"two rows a line apart", {16, 2, 4, 256}, 32, 4, 2, 8},
	{"two rows beside each other", {16, 2, 4, 64}, 32, 4, 1, 4},
	{"16 bytes", {32, 1, 16, 0, 16}, 32, 2, 4, 8},
	{"a warp with few threads", {4, 2, 128, 4}, 8, 4, 4, 16},
	/* 4 whole warps and 2 with 8 columns take 2 passes, 3 with a single row take one. */
	{"warps at the edges", {16, 2, 4, 256}, 40, 5, 2, 15},
	{"16 bytes at the edge", {8, 4, 16, 1024, 16}, 8, 6, 4, 6},
	{"2 bytes, rows half a word apart", {16, 2, 16, 338, 2}, 16, 2, 4, 4},
	{"the same from the middle of a word", {16, 2, 16, 338, 2, 2}, 16, 2, 2, 2},
	{"no thread", {16, 2, 4, 256}, 0, 5, 2, 0},
};

TEST_ROWS(passes, passes_rows, "passes: %s", row->name)
{
	test_near(passes_of_warp(&row->lanes), row->of_warp, 0);
	test_near(passes_of_grid(&row->lanes, row->columns, row->rows), row->of_grid, 0);
}

TEST(blocks, "passes: the first warp of a block")
{
	static const struct {
		int x, y, lanes, rows;
	} blocks_of[] = {
		{256, 1, 32, 1}, {32, 8, 32, 1}, {16, 16, 16, 2}, {8, 2, 8, 2}, {1, 1, 1, 1}};

	for (size_t i = 0; i < sizeof blocks_of / sizeof *blocks_of; i++) {
		struct warp_lanes lanes =
			warp_lanes_of_block(blocks_of[i].x, blocks_of[i].y, 4, 100);

		CHECK(EQUAL(lanes.lanes, blocks_of[i].lanes), EQUAL(lanes.rows, blocks_of[i].rows),
			EQUAL(lanes.lane_bytes, 4), EQUAL(lanes.row_bytes, 100));
	}
}

/* ---- Sums of a trace ------------------------------------------------------------------------- */

static uint64_t sum(
	const struct trace *trace, size_t count, enum trace_space space, enum trace_kind kind)
{
	return trace_sum(trace, count, space, TRACE_BIT(kind));
}

#define SUMS(where, what, bytes) \
	.space = TRACE_##where, .kind = TRACE_##what, .bytes_requested = (bytes)

TEST(sums, "trace: sums")
{
	struct access_record accesses[] = {
		{SUMS(GLOBAL, LOAD, 128), .sectors = 4, .passes = 1},
		{SUMS(GLOBAL, LOAD, 64), .sectors = 16, .passes = 8},
		{SUMS(GLOBAL, STORE, 32), .sectors = 1, .passes = 2},
		{SUMS(SHARED, LOAD, 1000), .wavefronts = 30},
		{SUMS(SHARED, ATOMIC, 8)},
		{SUMS(GLOBAL, ATOMIC, 4), .sectors = 2},
	};
	struct line_record lines[] = {{.line = 1, .warp_executions = 4, .lanes = 128},
		{.line = 2, .warp_executions = 2, .lanes = 1},
		{.line = 3, .warp_executions = 2, .lanes = 31}};
	struct trace trace = {.model = access_model_default(),
		.accesses = accesses,
		.access_count = sizeof accesses / sizeof *accesses,
		.lines = lines,
		.line_count = sizeof lines / sizeof *lines};

	CHECK(EQUAL(sum(&trace, TRACE_COUNT(bytes_requested), TRACE_GLOBAL, TRACE_LOAD), 192),
		EQUAL(sum(&trace, TRACE_COUNT(bytes_requested), TRACE_GLOBAL, TRACE_STORE), 32),
		EQUAL(sum(&trace, TRACE_COUNT(bytes_requested), TRACE_GLOBAL, TRACE_ATOMIC), 4),
		EQUAL(sum(&trace, TRACE_COUNT(bytes_requested), TRACE_SHARED, TRACE_LOAD), 1000),
		EQUAL(sum(&trace, TRACE_COUNT(bytes_requested), TRACE_SHARED, TRACE_STORE), 0),
		EQUAL(sum(&trace, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_LOAD), 20),
		EQUAL(sum(&trace, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_STORE), 1),
		EQUAL(sum(&trace, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_ATOMIC), 2),
		EQUAL(sum(&trace, TRACE_COUNT(passes), TRACE_GLOBAL, TRACE_LOAD), 9),
		EQUAL(sum(&trace, TRACE_COUNT(passes), TRACE_GLOBAL, TRACE_STORE), 2),
		EQUAL(sum(&trace, TRACE_COUNT(wavefronts), TRACE_SHARED, TRACE_LOAD), 30),
		EQUAL(sum(&trace, TRACE_COUNT(wavefronts), TRACE_SHARED, TRACE_STORE), 0),
		EQUAL(trace_sum(&trace, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_ALL_KINDS), 23),
		NEAR(trace_simt_efficiency(&trace), 160.0 / (8 * 32), 0));
}

TEST(estimates, "trace: estimates")
{
	struct trace trace = {.sampled_blocks = 3, .total_blocks = 100};

	test_near(trace_estimate(&trace, 7), 7, 0); /* no estimate: not scaled */
	trace.estimated = true;
	CHECK(NEAR(trace_estimate(&trace, 6), 200, 0), NEAR(trace_estimate(&trace, 0), 0, 0));
	trace.steps = 10; /* of 25: the last block was watched in part */
	trace.unwatched_steps = 15;
	test_near(trace_estimate(&trace, 6), 500, 1e-12);
	trace.sampled_blocks = 0; /* ended before the first block */
	CHECK(NEAR(trace_estimate(&trace, 6), 6, 0), IS(isnan(trace_simt_efficiency(&trace))));
}

TEST(finish, "trace: freed")
{
	struct trace trace = {.steps = 5, .access_count = 1, .defect = {.kind = TRACE_RACE}};

	trace.accesses = calloc(1, sizeof *trace.accesses);
	trace.lines = calloc(1, sizeof *trace.lines);
	trace.branches = calloc(1, sizeof *trace.branches);
	trace_finish(&trace);
	CHECK(NIL(trace.accesses), NIL(trace.lines), NIL(trace.branches),
		EQUAL(trace.access_count, 0), EQUAL(trace.steps, 0),
		EQUAL(trace.defect.kind, TRACE_NO_DEFECT));
	trace_finish(&trace); /* the second call has no effect */
}

/* ---- Coalescing ---------------------------------------------------------------------------- */

/* Sums of all requests of one access; run 0: a whole warp. */
static const struct coalescing_row {
	const char *name;
	uint64_t requests, lanes, sectors;
	uint32_t width;
	enum access_coalescing want;
	enum pattern_kind kind;
	int run;
	enum trace_space space;
} coalescing_rows[] = {
	{"contiguous", 1, 32, 4, 4, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"misaligned", 1, 32, 5, 4, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"six sectors", 1, 32, 6, 4, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS},
	{"stride 2", 1, 32, 8, 4, ACCESS_UNCOALESCED, PATTERN_STRIDE},
	{"broadcast", 1, 32, 1, 4, ACCESS_COALESCED, PATTERN_BROADCAST},
	{"16 bytes a lane", 1, 32, 16, 16, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"16 bytes a lane, 17 sectors", 1, 32, 17, 16, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"16 bytes a lane, apart", 1, 32, 32, 16, ACCESS_UNCOALESCED, PATTERN_STRIDE},
	{"bytes", 1, 32, 1, 1, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"bytes, misaligned", 1, 32, 2, 1, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"bytes, every third", 1, 32, 3, 1, ACCESS_UNCOALESCED, PATTERN_STRIDE},
	{"one lane", 1, 1, 1, 4, ACCESS_COALESCED, PATTERN_SINGLE},
	{"one lane, 3 sectors", 1, 1, 3, 4, ACCESS_UNCOALESCED, PATTERN_SINGLE},
	{"half a warp", 1, 16, 2, 4, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"half a warp, apart", 1, 16, 16, 4, ACCESS_UNCOALESCED, PATTERN_STRIDE},
	{"a part of a sector more", 8, 257, 48, 4, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"mean of 5 sectors", 10, 320, 50, 4, ACCESS_COALESCED, PATTERN_CONTIGUOUS},
	{"mean above 5 sectors", 10, 320, 51, 4, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS},
	{"runs of 16, misaligned", 1, 32, 6, 4, ACCESS_COALESCED, PATTERN_CONTIGUOUS, 16},
	{"runs of 16, 7 sectors", 1, 32, 7, 4, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS, 16},
	{"runs of 8 x 8 bytes, 12 sectors", 1, 32, 12, 8, ACCESS_COALESCED, PATTERN_CONTIGUOUS, 8},
	{"runs of 8 x 8 bytes, 13 sectors", 1, 32, 13, 8, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS,
		8},
	{"runs of one sector", 1, 32, 6, 4, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS, 8},
	{"runs of half a sector", 1, 32, 8, 4, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS, 4},
	{"runs of 16 bytes", 1, 32, 3, 1, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS, 16},
	{"runs that are not contiguous", 1, 32, 6, 4, ACCESS_UNCOALESCED, PATTERN_STRIDE, 16},
	{"shared memory", 1, 32, 0, 4, ACCESS_SHARED, PATTERN_CONTIGUOUS, 0, TRACE_SHARED},
	{"no request", 0, 0, 0, 4, ACCESS_UNCOALESCED, PATTERN_CONTIGUOUS},
};

TEST_ROWS(coalescing, coalescing_rows, "coalescing: %s", row->name)
{
	const struct access_record access = {.space = row->space,
		.width_bytes = row->width,
		.requests = row->requests,
		.lanes = row->lanes,
		.sectors = row->sectors,
		.lane_pattern = {.kind = row->kind, .run = row->run ? row->run : WARP_THREADS}};

	EQUAL(trace_access_coalescing(&access, access_model_default()), row->want);
}

TEST(names, "trace: names")
{
	static const char *const defects[] = {"none", "race", "out-of-bounds", "uninitialised",
		"barrier", "deadlock", "fault", "runaway"};

	for (int i = TRACE_NO_DEFECT; i <= TRACE_RUNAWAY; i++)
		STRING(trace_defect_words[i], defects[i]);
	STRING(trace_space_words[TRACE_GLOBAL], "global");
	STRING(trace_space_words[TRACE_SHARED], "shared");
	STRING(trace_kind_words[TRACE_LOAD], "load");
	STRING(trace_kind_words[TRACE_STORE], "store");
	STRING(trace_kind_words[TRACE_ATOMIC], "atomic");
	STRING(trace_kind_words[TRACE_COPY], "copy");
	STRING(access_coalescing_words[ACCESS_COALESCED], "coalesced");
	STRING(access_coalescing_words[ACCESS_UNCOALESCED], "uncoalesced");
	STRING(access_coalescing_words[ACCESS_SHARED], "n/a (shared)");
}
