/* The costs of requests in other models than the default one, by hand and byte by byte; examples of
 * these requests as records. */
#include "common/model/access.h"
#include "common/model/trace.h"
#include "host/explain/explain.c"
#include "host/page/page.c"
#include "tests/support/records.h"
#include "tests/support/test.h"

#define ALL UINT64_MAX
#define BASE 0x10000u

/* Lane l requests address BASE + off + (l % run) * step + l / run * row. */
struct made {
	const char *model;
	uint32_t lanes; /* 0: the model's own width */
	uint32_t width;
	int64_t step, off;
	int run; /* 0: all lanes */
	int64_t row;
	uint64_t active; /* 0: all lanes */
};

static const struct access_model *model_of(const char *name, uint32_t lanes)
{
	const struct access_model *own = access_model_find(name);

	SOME(own);
	return lanes ? access_model_with_lanes(own, lanes) : own;
}

static struct warp_access make(const struct made *made)
{
	struct warp_access access = {
		.model = model_of(made->model, made->lanes), .width_bytes = made->width};

	const int run = made->run ? made->run : MAX_LANES;

	access.lanes =
		(made->active ? made->active : ALL) & UINT64_MAX >> (64 - access.model->lanes);
	for (int lane = 0; lane < (int)access.model->lanes; lane++)
		access.address[lane] = BASE + (uint64_t)(made->off + lane % run * made->step +
							 lane / run * made->row);
	return access;
}

/* ---- By hand --------------------------------------------------------------------------------- */

static const struct cost_row {
	const char *name;
	struct made made;
	uint32_t sectors, lines, unique, alignment, phases, wavefronts, ways, multiplicity;
	const char *pattern;
} cost_rows[] = {
	{"8 lanes", {"sm_90", 8, 4, 4}, 1, 1, 32, 128, 1, 1, 1, 1, "contiguous"},
	{"16 lanes", {"sm_90", 16, 4, 4}, 2, 1, 64, 128, 1, 1, 1, 1, "contiguous"},
	{"64 lanes", {"sm_90", 64, 4, 4}, 8, 2, 256, 128, 2, 2, 1, 1, "contiguous"},
	{"64 lanes, stride 32", {"sm_90", 64, 4, 128}, 64, 64, 256, 128, 2, 64, 32, 1, "stride 32"},
	{"64 lanes, stride 33", {"sm_90", 64, 4, 132}, 64, 64, 256, 128, 2, 2, 1, 1, "stride 33"},
	{"64 lanes, 2 bytes", {"sm_90", 64, 2, 2}, 4, 1, 128, 128, 1, 1, 1, 1, "contiguous"},
	{"64 lanes, 8 bytes", {"sm_90", 64, 8, 8}, 16, 4, 512, 128, 4, 4, 1, 1, "contiguous"},
	{"64 lanes, 16 bytes", {"sm_90", 64, 16, 16}, 32, 8, 1024, 128, 8, 8, 1, 1, "contiguous"},
	{"64 lanes, the upper half", {"sm_90", 64, 4, 4, .active = ALL << 32}, 4, 1, 128, 128, 1, 1,
		1, 1, "contiguous"},
	{"64 lanes, rows of 16", {"sm_90", 64, 4, 4, .run = 16, .row = 1024}, 8, 4, 256, 128, 2, 4,
		2, 1, "contiguous in runs of 16"},
	{"64 lanes, rows of 32", {"sm_90", 64, 4, 4, .run = 32, .row = 1024}, 8, 2, 256, 128, 2, 2,
		1, 1, "contiguous in runs of 32"},
	{"64 lanes, one word", {"sm_90", 64, 4, 0}, 1, 1, 4, 128, 2, 2, 1, 64, "broadcast"},
	{"64 lanes, the last one", {"sm_90", 64, 4, 4, .active = (uint64_t)1 << 63}, 1, 1, 4, 4, 1,
		1, 1, 1, "one lane"},
	{"8 lanes, 8 bytes", {"sm_90", 8, 8, 8}, 2, 1, 64, 128, 1, 1, 1, 1, "contiguous"},
	{"8 lanes, 16 bytes", {"sm_90", 8, 16, 16}, 4, 1, 128, 128, 1, 1, 1, 1, "contiguous"},
	{"16 lanes, 16 bytes", {"sm_90", 16, 16, 16}, 8, 2, 256, 128, 2, 2, 1, 1, "contiguous"},
	{"16 lanes, stride 32", {"sm_90", 16, 4, 128}, 16, 16, 64, 128, 1, 16, 16, 1, "stride 32"},
	{"gfx942", {"gfx942", 0, 4, 4}, 4, 2, 256, 128, 2, 2, 1, 1, "contiguous"},
	{"gfx942, one element off", {"gfx942", 0, 4, 4, .off = 4}, 5, 3, 256, 4, 2, 2, 1, 1,
		"contiguous"},
	{"gfx1100", {"gfx1100", 0, 4, 4}, 1, 1, 128, 128, 1, 1, 1, 1, "contiguous"},
	{"gfx1100, stride 2", {"gfx1100", 0, 4, 8}, 2, 2, 128, 128, 1, 2, 2, 1, "stride 2"},
	{"xe-hpg", {"xe-hpg", 0, 4, 4}, 1, 1, 64, 64, 1, 1, 1, 1, "contiguous"},
	{"xe-hpg, 8 bytes", {"xe-hpg", 0, 8, 8}, 2, 2, 128, 64, 2, 2, 1, 1, "contiguous"},
	{"xe-hpg, stride 16", {"xe-hpg", 0, 4, 64}, 16, 16, 64, 64, 1, 16, 16, 1, "stride 16"},
	/* Hand figures of other GPUs: bytes / unit of traffic, lines, words of a bank. */
	{"gfx906", {"gfx906", 0, 4, 4}, 4, 4, 256, 64, 2, 2, 1, 1, "contiguous"},
	{"gfx90a, stride 2", {"gfx90a", 0, 4, 8}, 8, 4, 256, 128, 2, 4, 2, 1, "stride 2"},
	{"gfx942, stride 32", {"gfx942", 0, 4, 128}, 64, 64, 256, 128, 2, 64, 32, 1, "stride 32"},
	{"gfx1200, 64 lanes", {"gfx1200", 64, 4, 4}, 2, 2, 256, 128, 2, 2, 1, 1, "contiguous"},
	{"gen9, stride 2", {"gen9", 0, 4, 8}, 2, 2, 64, 64, 1, 2, 2, 1, "stride 2"},
	{"xe-lp, 8 lanes", {"xe-lp", 8, 4, 4}, 1, 1, 32, 64, 1, 1, 1, 1, "contiguous"},
	{"sm_120, stride 32", {"sm_120", 0, 4, 128}, 32, 32, 128, 128, 1, 32, 32, 1, "stride 32"},
	/* Banks unknown: no passes. */
	{"xe2", {"xe2", 0, 4, 4}, 1, 1, 64, 64, 0, 0, 0, 1, "contiguous"},
	{"xe-hpc, 32 lanes", {"xe-hpc", 32, 4, 4}, 2, 2, 128, 64, 0, 0, 0, 1, "contiguous"},
	{"apple-m1", {"apple-m1", 0, 4, 4}, 1, 1, 128, 128, 0, 0, 0, 1, "contiguous"},
	{"apple-m1, stride 32", {"apple-m1", 0, 4, 128}, 32, 32, 128, 128, 0, 0, 0, 1, "stride 32"},
	{"mali-g77", {"mali-g77", 0, 4, 8}, 2, 2, 64, 64, 0, 0, 0, 1, "stride 2"},
	{"adreno", {"adreno", 0, 4, 4}, 4, 4, 256, 64, 0, 0, 0, 1, "contiguous"},
	{"xe-hpg, stride 17", {"xe-hpg", 0, 4, 68}, 16, 16, 64, 64, 1, 1, 1, 1, "stride 17"},
};

TEST_ROWS(cost, cost_rows, "cost: %s", row->name)
{
	struct warp_access access = make(&row->made);
	struct global_cost global = access_global(&access);
	struct shared_cost shared = access_shared(&access);
	struct access_pattern pattern = access_pattern(&access);
	char text[64];

	CHECK(EQUAL(global.sectors, row->sectors), EQUAL(global.lines, row->lines),
		EQUAL(global.bytes_unique, row->unique),
		EQUAL(global.alignment_bytes, row->alignment), EQUAL(shared.phases, row->phases),
		EQUAL(shared.wavefronts, row->wavefronts), EQUAL(shared.ways, row->ways),
		EQUAL(access_multiplicity(&access), row->multiplicity));
	access_pattern_text(&pattern, access.model, text, sizeof text);
	STRING(text, row->pattern);
}

static const struct phase_row {
	const char *model;
	uint32_t lanes, width;
	int want;
} phase_rows[] = {
	{"sm_90", 32, 1, 32}, {"sm_90", 32, 4, 32}, {"sm_90", 32, 8, 16}, {"sm_90", 32, 12, 8},
	{"sm_90", 32, 16, 8}, {"sm_90", 64, 2, 64}, {"sm_90", 64, 4, 32}, {"sm_90", 64, 8, 16},
	{"sm_90", 8, 16, 8}, {"xe-hpg", 16, 4, 16}, {"xe-hpg", 16, 16, 4}, {"xe-hpg", 32, 4, 16},
	{"xe-hpg", 16, 128, 1}, /* double16: wider than all banks */
	{"adreno", 64, 16, 64}, /* banks unknown */
};

TEST_ROWS(phase, phase_rows, "phases: %s, %u lanes, %u bytes", row->model, row->lanes, row->width)
{
	/* The lanes of one active lane's phase: no neighbour joins it. */
	const struct warp_access access = {
		.model = model_of(row->model, row->lanes), .lanes = 1, .width_bytes = row->width};
	struct bank_map map;

	request_map_banks(&access, &map);
	EQUAL(map.phase_lanes, row->want);
}

/* One request of all lanes. */
static const struct coalescing_row {
	const char *model;
	uint32_t lanes;
	int run; /* of lanes with contiguous words */
	uint64_t sectors;
	enum access_coalescing want;
	int stride; /* 0: contiguous */
} coalescing_rows[] = {
	/* A sector as large as the bytes of the warp: one more is twice the bytes. */
	{"gfx1100", 32, 32, 2, ACCESS_UNCOALESCED, 2},
	{"gfx1100", 32, 32, 2, ACCESS_COALESCED},
	{"gfx1100", 32, 32, 2, ACCESS_COALESCED, -1},
	{"gfx1100", 32, 32, 1, ACCESS_COALESCED, 2},
	{"xe-hpg", 16, 16, 2, ACCESS_UNCOALESCED, -2},
	{"sm_90", 64, 64, 9, ACCESS_COALESCED},
	{"sm_90", 64, 64, 10, ACCESS_UNCOALESCED},
	{"sm_90", 64, 16, 12, ACCESS_COALESCED},
	{"sm_90", 64, 16, 13, ACCESS_UNCOALESCED},
	{"sm_90", 8, 8, 2, ACCESS_COALESCED},
	{"sm_90", 8, 8, 3, ACCESS_UNCOALESCED},
	{"gfx942", 64, 64, 5, ACCESS_COALESCED},
	{"gfx942", 64, 64, 6, ACCESS_UNCOALESCED},
	{"gfx942", 64, 32, 6, ACCESS_COALESCED}, /* two runs of two sectors */
	{"gfx942", 64, 16, 6, ACCESS_UNCOALESCED},
	{"xe-hpg", 16, 16, 2, ACCESS_COALESCED},
	{"xe-hpg", 16, 16, 3, ACCESS_UNCOALESCED},
};

TEST_ROWS(coalescing, coalescing_rows, "coalescing: %s, runs of %d, stride %d", row->model,
	row->run, row->stride)
{
	const struct access_record access = {.width_bytes = 4,
		.requests = 1,
		.lanes = row->lanes,
		.sectors = row->sectors,
		.lane_pattern = {row->stride ? PATTERN_STRIDE : PATTERN_CONTIGUOUS,
			.stride = row->stride, .run = row->run}};

	EQUAL(trace_access_coalescing(&access, model_of(row->model, row->lanes)), row->want);
}

/* ---- Every model and width, byte by byte ----------------------------------------------------- */

#define SPACE 8192

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
	return (uint32_t)(*state >> 33);
}

/* Number of different pieces of `unit` bytes that lanes `first` to `end` - 1 access. */
static uint32_t count_pieces(const struct warp_access *access, int first, int end, uint32_t unit,
	uint32_t of_bank[MAX_BANKS])
{
	bool marked[SPACE] = {false};
	uint32_t count = 0;

	for (int lane = first; lane < end; lane++)
		for (uint32_t i = 0; access->lanes >> lane & 1 && i < access->width_bytes; i++) {
			uint64_t piece = (access->address[lane] + i) / unit;
			count += !marked[piece];
			if (of_bank)
				of_bank[piece % access->model->banks] += !marked[piece];
			marked[piece] = true;
		}
	return count;
}

/* Whether lanes `first` to `end` - 1 have active lanes in both halves, and each active lane has the address
 * of the lane `distance` places away. */
static bool joined(const struct warp_access *access, int first, int end, int distance)
{
	uint64_t half = (access->lanes >> first) & (((uint64_t)1 << (end - first) / 2) - 1);
	uint64_t other =
		(access->lanes >> (first + end) / 2) & (((uint64_t)1 << (end - first) / 2) - 1);

	for (int lane = first; lane < end; lane++)
		if (access->lanes >> lane & access->lanes >> (lane ^ distance) & 1 &&
			access->address[lane] != access->address[lane ^ distance])
			return false;
	return half && other;
}

/* The rule at the head of access.h. */
static int phase_end(const struct warp_access *access, int first)
{
	const struct access_model *model = access->model;
	const int lanes = (int)model->lanes;
	int of_phase = lanes;

	while (of_phase > 1 &&
		of_phase * (int)access->width_bytes > (int)(model->banks * model->bank_bytes))
		of_phase /= 2;
	int both = first + 2 * of_phase;
	bool pair = model->joins_pairs && access->width_bytes > model->bank_bytes &&
		    both <= lanes && first % (2 * of_phase) == 0 &&
		    (joined(access, first, both, 1) || joined(access, first, both, 2));
	return pair ? both : first + of_phase;
}

static void compare_shared(const struct warp_access *access)
{
	const struct access_model *model = access->model;
	struct shared_cost got = access_shared(access), want = {0};

	for (int first = 0; first < (int)model->lanes && model->banks;
		first = phase_end(access, first)) {
		uint32_t of_bank[MAX_BANKS] = {0}, max = 0;
		count_pieces(access, first, phase_end(access, first), model->bank_bytes, of_bank);
		for (int bank = 0; bank < MAX_BANKS; bank++)
			max = of_bank[bank] > max ? of_bank[bank] : max;
		want.phases += max > 0;
		want.wavefronts += max;
		want.ways = max > want.ways ? max : want.ways;
	}
	CHECK(EQUAL(got.phases, want.phases), EQUAL(got.wavefronts, want.wavefronts),
		EQUAL(got.ways, want.ways));
}

static void compare(const struct warp_access *access)
{
	const struct access_model *model = access->model;
	const int lanes = (int)model->lanes;
	struct global_cost global = access_global(access);
	struct bank_map banks;

	EQUAL(global.sectors, count_pieces(access, 0, lanes, model->sector_bytes, NULL));
	EQUAL(global.lines, count_pieces(access, 0, lanes, model->line_bytes, NULL));
	EQUAL(global.bytes_unique, count_pieces(access, 0, lanes, 1, NULL));
	compare_shared(access);
	request_map_banks(access, &banks);
	EQUAL(banks.pass_count, access_shared(access).wavefronts);
}

TEST(against_naive, "the same as byte by byte")
{
	static const uint32_t widths[] = {1, 2, 4, 8, 16};
	uint64_t state = 2024;

	for (size_t i = 0; access_model_words[i]; i++)
		for (uint32_t lanes = MIN_LANES; lanes <= MAX_LANES; lanes *= 2)
			for (int round = 0; round < 60; round++) {
				struct warp_access access = {
					.model = model_of(access_model_words[i], lanes),
					.lanes = 1,
					.width_bytes = widths[round % 5]};
				for (uint32_t lane = 0; lane < lanes; lane++) {
					access.address[lane] = next_random(&state) % (SPACE - 16) /
							       access.width_bytes *
							       access.width_bytes;
					access.lanes |= (uint64_t)(next_random(&state) % 4 > 0)
							<< lane;
				}
				compare(&access);
			}
}

/* ---- The table ------------------------------------------------------------------------------- */

TEST(table, "the table")
{
	const struct access_model *model = access_model_default();

	CHECK(SAME(access_model_find("sm_90"), model), EQUAL(model->lanes, WARP_THREADS),
		EQUAL(model->sector_bytes, SECTOR_BYTES), EQUAL(model->line_bytes, LINE_BYTES),
		EQUAL(model->banks, BANKS), EQUAL(model->bank_bytes, BANK_BYTES),
		NIL(access_model_find("sm_1")), NIL(access_model_with_lanes(model, 12)),
		NIL(access_model_with_lanes(model, 128)),
		SAME(access_model_with_lanes(model, 32), model));
	for (size_t i = 0; access_model_words[i]; i++) {
		const struct access_model *own = access_model_find(access_model_words[i]);
		CHECK(SOME(own), IS(own->line_bytes <= MAX_LINE_BYTES),
			IS(own->sector_bytes <= own->line_bytes));
		for (size_t k = 0; k < 4; k++) {
			uint32_t size = (const uint32_t[]){
				own->sector_bytes, own->line_bytes, own->banks, own->bank_bytes}[k];
			EQUAL(size & (size - 1), 0);
		}
		CHECK(IS(own->banks <= MAX_BANKS), EQUAL(own->banks == 0, own->bank_bytes == 0));
		for (uint32_t lanes = MIN_LANES; lanes <= MAX_LANES; lanes *= 2)
			EQUAL(access_model_with_lanes(own, lanes)->lanes, lanes);
	}
}

/* ---- Records --------------------------------------------------------------------------------- */

TEST(round_trip, "records: every model")
{
	for (size_t i = 0; access_model_words[i]; i++)
		for (uint32_t lanes = MIN_LANES; lanes <= MAX_LANES; lanes *= 2) {
			const struct access_model *model = model_of(access_model_words[i], lanes);
			struct access_model read;

			TEST_RECORD(explanation_type, struct explanation_record, record);
			access_model_record_set(&record.model, model);
			EQUAL(record.model.record.present, model != access_model_default());
			const struct access_model *got =
				access_model_record_read(&record.model, &read);
			CHECK(STRING(got->name, model->name), EQUAL(got->lanes, model->lanes),
				EQUAL(got->sector_bytes, model->sector_bytes),
				EQUAL(got->line_bytes, model->line_bytes),
				EQUAL(got->banks, model->banks),
				EQUAL(got->bank_bytes, model->bank_bytes),
				EQUAL(got->joins_pairs, model->joins_pairs));
		}
}

/* Models that a file can have, but that no request can be drawn with. */
static const struct refused_row {
	const char *name;
	int64_t width, sector_bytes, line_bytes, banks, bank_bytes;
} refused_rows[] = {
	{"no lanes", 0, 32, 128, 32, 4},
	{"12 lanes", 12, 32, 128, 32, 4},
	{"128 lanes", 128, 32, 128, 32, 4},
	{"no sectors", 32, 0, 128, 32, 4},
	{"a sector larger than a line", 32, 128, 64, 32, 4},
	{"lines of 256 bytes", 32, 32, 256, 32, 4},
	{"no banks", 32, 32, 128, 0, 4},
	{"4 banks", 32, 32, 128, 4, 4},
	{"33 banks", 32, 32, 128, 33, 4},
	{"64 banks", 32, 32, 128, 64, 4},
	{"banks of 0 bytes", 32, 32, 128, 32, 0},
	{"a negative width", -32, 32, 128, 32, 4},
	{"a huge line", 32, 32, INT64_MAX, 32, 4},
};

TEST_ROWS(refuse, refused_rows, "records: %s", row->name)
{
	struct access_model read;
	const struct access_model_record record = {{.present = true}, .width = row->width,
		.sector_bytes = row->sector_bytes, .line_bytes = row->line_bytes,
		.banks = row->banks, .bank_bytes = row->bank_bytes};

	NIL(access_model_record_read(&record, &read));
}

/* The example has the most active lanes, also if they differ only in the upper half. */
TEST(votes, "examples: the most active lanes of 64")
{
	const struct made few = {"sm_90", 64, 4, 4, .active = ALL >> 31};
	const struct made many = {"sm_90", 64, 4, 4, .active = ALL >> 1};
	const struct warp_access first = make(&few), second = make(&many);
	const struct access_pattern pattern = access_pattern(&first);
	const struct warp_place place = {0};
	struct request_votes requests = {0};
	struct split_votes splits = {0};

	typical_vote_request(&requests, &first, &pattern, &place);
	typical_vote_request(&requests, &second, &pattern, &place);
	EQUAL(typical_request(&requests)->requests, 2);
	IS(typical_request(&requests)->example.lanes == ALL >> 1);
	typical_vote_split(&splits, ALL >> 31, 1, &place);
	typical_vote_split(&splits, ALL, ALL << 32, &place);
	CHECK(IS(splits.example == ALL && splits.first == ALL << 32), EQUAL(splits.lanes, 33 + 64),
		EQUAL(splits.first_lanes, 1 + 32));
}

/* A request of 64 lanes survives a file. */
TEST(examples, "records: examples of 64 lanes")
{
	const struct made made = {"gfx942", 0, 4, 132, .off = 4, .active = ALL << 1};
	struct pattern_votes votes = {.requests = 1, .example = make(&made)};
	struct split_votes split = {.executions = 1, .example = ALL << 1, .first = ALL << 40};
	const struct access_model *model = votes.example.model;
	struct warp_access read;
	uint64_t lanes = 0, first = 0;

	votes.pattern = access_pattern(&votes.example);
	TEST_RECORD(access_type, struct access_record, record);
	TEST_RECORD(branch_type, struct branch_record, branch);
	record.width_bytes = 4;
	CHECK(IS(request_record_set(&record.request, TRACE_SHARED, &votes)),
		EQUAL(record.request.offsets.count, 64),
		STRING(record.request.pattern, "stride 33"),
		EQUAL(record.request.banks.items[63], record.request.offsets.items[63] / 4 % 32),
		IS(request_record_read(&record, model, &read)), EQUAL(read.lanes, ALL << 1),
		EQUAL(access_shared(&read).wavefronts, access_shared(&votes.example).wavefronts),
		NOT(request_record_read(&record, access_model_default(), &read)),
		IS(split_record_set(&branch.split, &split, model)),
		IS(split_record_read(&branch.split, model, &lanes, &first)),
		IS(lanes == split.example && first == split.first),
		NOT(split_record_read(&branch.split, access_model_default(), &lanes, &first)));
}
