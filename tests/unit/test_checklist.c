/* The rules of the checklist and of the limit, on traces made up for them. */
/* The rules are functions of this file. */
#include "host/explain/explain.c"
#include "tests/support/explanations.h"
#include "tests/support/test.h"

/* ---- Explanations -------------------------------------------------------------------------- */

#define MAX_ACCESSES 6

/* Entries that are not set have no requests and are ignored. */
struct accesses {
	struct access_record of[MAX_ACCESSES];
};

/* One block of each launch is traced. */
static struct explanation *explain(const char *family, const char *variant, int64_t size)
{
	struct explanation *explanation = explanation_of(family, variant, size);

	for (size_t i = 0; i < explanation->launch_count; i++)
		explanation->launches[i].trace = (struct trace){
			.model = access_model_default(), .sampled_blocks = 1, .total_blocks = 1};
	return explanation;
}

static void finish(struct explanation **explanation)
{
	record_finish(&explanation_type, &(*explanation)->record);
	free((*explanation)->launches[0].no_occupancy);
	free(*explanation);
}

/* The trace borrows the accesses of the row. */
static void put_accesses(struct explanation *explanation, struct accesses *accesses)
{
	struct trace *trace = &explanation->launches[0].trace;

	trace->accesses = accesses->of;
	while (trace->access_count < MAX_ACCESSES && accesses->of[trace->access_count].requests)
		trace->access_count++;
}

static void make_checklist(struct explanation *explanation)
{
	record_list_clear(&check_item_type, &explanation->record.checklist);
	test_ok(decide_items(explanation, &test_error));
}

static const struct check_record *decide(struct explanation *explanation, enum checklist_item item)
{
	make_checklist(explanation);
	return &explanation->record.checklist.items[item];
}

static void expect(const struct check_record *check, enum check_state state, const char *part)
{
	if (check->state != (int)state || !strstr(check->text, part))
		test_fail("%s, '%s': not %s, '%s'", word_text(check_state_words, check->state),
			check->text, word_text(check_state_words, (int)state), part);
}

/* ---- Accesses: coalescing, tiling, privatisation, coarsening -------------------------------- */

#define GLOBAL(at, what, lines, sector_count, unique)                                       \
	.line = (at), .space = TRACE_GLOBAL, .kind = TRACE_##what, .width_bytes = 4,        \
	.argument = TRACE_##what == TRACE_ATOMIC ? 2 : 1, .requests = (lines),              \
	.lanes = 32 * (lines), .bytes_requested = 128 * (lines), .sectors = (sector_count), \
	.bytes_unique = (unique)
#define SHARED(at, what, count)                                                       \
	.line = (at), .space = TRACE_SHARED, .kind = TRACE_##what, .width_bytes = 4,  \
	.requests = (count), .lanes = 32 * (count), .bytes_requested = 128 * (count), \
	.bytes_unique = 128 * (count)
#define QUADS(where, at, what)                                                                \
	.line = (at), .space = TRACE_##where, .kind = TRACE_##what, .width_bytes = 16,        \
	.argument = 1, .requests = 10, .lanes = 320, .bytes_requested = 5120, .sectors = 160, \
	.bytes_unique = 5120
#define BANKS(count, min) .wavefronts = (count), .phases = (min)
#define BROADCAST(lanes) .lane_pattern = {.kind = PATTERN_BROADCAST, .run = (lanes)}

static struct access_row {
	const char *name;
	enum checklist_item item;
	const char *family, *variant;
	int64_t size;
	uint64_t different; /* bytes that the blocks load */
	struct accesses accesses;
	enum check_state state;
	const char *part;
} access_rows[] = {
	{"contiguous", CHECK_COALESCING, "coalesce", "contiguous", 1024, 0,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}, {GLOBAL(8, STORE, 10, 40, 1280)}}}, CHECK_DONE,
		"no more sectors"},
	{"misaligned by one", CHECK_COALESCING, "coalesce", "misaligned", 1024, 0,
		{{{GLOBAL(7, LOAD, 10, 50, 1280)}, {GLOBAL(8, STORE, 10, 50, 1280)}}}, CHECK_DONE,
		"at most 1.25 times"},
	{"just below the threshold", CHECK_COALESCING, "coalesce", "misaligned", 1024, 0,
		{{{GLOBAL(7, LOAD, 100, 599, 12800)}}}, CHECK_DONE, "1.5 times"},
	{"at the threshold", CHECK_COALESCING, "coalesce", "misaligned", 1024, 0,
		{{{GLOBAL(7, LOAD, 100, 600, 12800)}}}, CHECK_OPEN,
		"6.0 sectors per load, 4.0 needed, line 7"},
	{"strided store", CHECK_COALESCING, "transpose", "naive-strided-store", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}, {GLOBAL(9, STORE, 10, 320, 1280)}}}, CHECK_OPEN,
		"32.0 sectors per store, 4.0 needed, line 9"},
	{"the worst of two", CHECK_COALESCING, "transpose", "naive-strided-store", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 80, 1280)}, {GLOBAL(9, STORE, 10, 320, 1280)}}}, CHECK_OPEN,
		"line 9, and 1 more"},
	{"one address for all lanes", CHECK_COALESCING, "matmul", "naive", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 10, 40), BROADCAST(32)}}}, CHECK_DONE, "no more sectors"},
	{"one address for each half of a warp", CHECK_COALESCING, "matmul", "naive", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 20, 80), BROADCAST(16)}}}, CHECK_DONE, "no more sectors"},
	{"bytes, lane after lane", CHECK_COALESCING, "histogram", "global-atomic", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 10, 320)}}}, CHECK_DONE, "no more sectors"},
	{"bytes, every third", CHECK_COALESCING, "grayscale", "block16x16", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 30, 320)}}}, CHECK_OPEN, "3.0 sectors per load, 1.0 needed"},
	{"too few to matter", CHECK_COALESCING, "reduce", "sequential", 1024, 0,
		{{{GLOBAL(7, LOAD, 1000, 4000, 128000)}, {GLOBAL(9, STORE, 6, 192, 768)}}},
		CHECK_DONE, "no more sectors"},
	{"atomics do not count", CHECK_COALESCING, "histogram", "global-atomic", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}, {GLOBAL(9, ATOMIC, 10, 320, 1280)}}}, CHECK_DONE,
		"no more sectors"},
	{"no global memory", CHECK_COALESCING, "roof", "shared", 64, 0, {{{SHARED(7, LOAD, 10)}}},
		CHECK_NOT_APPLICABLE, "no load or store"},

	{"no shared memory", CHECK_BANKS, "vecadd", "fine", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}}}, CHECK_NOT_APPLICABLE,
		"no access of shared memory"},
	{"each lane in its own bank", CHECK_BANKS, "transpose", "padded", 64, 0,
		{{{SHARED(7, STORE, 10), BANKS(10, 10)}, {SHARED(9, LOAD, 10), BANKS(10, 10)}}},
		CHECK_DONE, "no conflict"},
	{"all lanes in one bank", CHECK_BANKS, "transpose", "tiled", 64, 0,
		{{{SHARED(7, STORE, 10), BANKS(10, 10)}, {SHARED(9, LOAD, 10), BANKS(320, 10)}}},
		CHECK_OPEN, "32.0 wavefronts per load, 1.0 needed, line 9"},
	{"two conflicts", CHECK_BANKS, "transpose", "tiled", 64, 0,
		{{{SHARED(7, STORE, 10), BANKS(20, 10)}, {SHARED(9, LOAD, 10), BANKS(40, 10)}}},
		CHECK_OPEN, "4.0 wavefronts per load, 1.0 needed, line 9, and 1 more"},
	{"conflicts below the threshold", CHECK_BANKS, "transpose", "tiled", 64, 0,
		{{{SHARED(9, LOAD, 100), BANKS(149, 100)}}}, CHECK_DONE, "at most 1.49 times"},
	{"conflicts at the threshold", CHECK_BANKS, "transpose", "tiled", 64, 0,
		{{{SHARED(9, LOAD, 100), BANKS(150, 100)}}}, CHECK_OPEN, "1.5 wavefronts per load"},
	{"conflicts that are too few to matter", CHECK_BANKS, "transpose", "tiled", 64, 0,
		{{{SHARED(7, LOAD, 1000), BANKS(1000, 1000)}, {SHARED(9, STORE, 1), BANKS(32, 1)}}},
		CHECK_DONE, "no conflict"},
	{"16 bytes per lane", CHECK_BANKS, "matmul", "vector-loads", 64, 0,
		{{{QUADS(SHARED, 9, LOAD), BANKS(40, 40)}}}, CHECK_DONE, "no conflict"},
	{"atomics in one bank", CHECK_BANKS, "histogram", "private", 64, 0,
		{{{SHARED(9, ATOMIC, 10), BANKS(31, 10)}}}, CHECK_OPEN,
		"3.1 wavefronts per atomic, 1.0 needed, line 9"},

	{"each byte once", CHECK_TILING, "vecadd", "fine", 64, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}}}, CHECK_NOT_APPLICABLE, "blocks do not reuse"},
	{"16 times", CHECK_TILING, "matmul", "naive", 64, 16384,
		{{{GLOBAL(21, LOAD, 1024, 0, 0)}, {GLOBAL(22, LOAD, 1024, 0, 0)}}}, CHECK_OPEN,
		"a block requests each byte 16.0 times on average, line 21"},
	{"just below its threshold", CHECK_TILING, "matmul", "naive", 64, 86,
		{{{GLOBAL(21, LOAD, 1, 0, 0)}}}, CHECK_NOT_APPLICABLE, "blocks do not reuse"},
	{"just above its threshold", CHECK_TILING, "matmul", "naive", 64, 85,
		{{{GLOBAL(21, LOAD, 1, 0, 0)}}}, CHECK_OPEN, "1.5 times"},
	{"a tile", CHECK_TILING, "matmul", "tiled16", 64, 1280,
		{{{GLOBAL(21, LOAD, 10, 40, 1280)}, {SHARED(21, STORE, 10)},
			{SHARED(25, LOAD, 160)}}},
		CHECK_DONE, "1.0 times and reads it 16.0 times in shared"},
	{"a tile that only transposes", CHECK_TILING, "transpose", "tiled", 64, 1280,
		{{{GLOBAL(21, LOAD, 10, 40, 1280)}, {SHARED(21, STORE, 10)},
			{SHARED(25, LOAD, 10)}}},
		CHECK_NOT_APPLICABLE, "blocks do not reuse"},
	{"no load", CHECK_TILING, "roof", "empty", 64, 0, {{{.line = 0}}}, CHECK_NOT_APPLICABLE,
		"no load of global memory"},

	{"no atomics", CHECK_PRIVATISATION, "vecadd", "fine", 64, 0,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}}}, CHECK_NOT_APPLICABLE, "no atomic"},
	{"lanes meet", CHECK_PRIVATISATION, "histogram", "global-atomic", 4096, 0,
		{{{GLOBAL(9, ATOMIC, 128, 0, 0), .same_address = 256}}}, CHECK_OPEN,
		"2.0 lanes of a warp update the same address, line 9"},
	{"several lanes on one address in shared memory", CHECK_PRIVATISATION, "histogram",
		"private", 4096, 0,
		{{{SHARED(9, ATOMIC, 128), .same_address = 256},
			{GLOBAL(12, ATOMIC, 32, 0, 0), .same_address = 32}}},
		CHECK_DONE, "0.25 atomic operations per thread on global memory, 1 on shared"},
	{"shared memory only", CHECK_PRIVATISATION, "histogram", "private", 4096, 0,
		{{{SHARED(9, ATOMIC, 128), .same_address = 256}}}, CHECK_DONE,
		"shared memory only"},
	{"many to few addresses", CHECK_PRIVATISATION, "histogram", "global-atomic", 4096, 0,
		{{{GLOBAL(9, ATOMIC, 128, 0, 0), .same_address = 128}}}, CHECK_OPEN,
		"16 atomic operations per element, line 9"},
	{"many to many addresses", CHECK_PRIVATISATION, "histogram", "global-atomic", 1023, 0,
		{{{GLOBAL(9, ATOMIC, 31, 0, 0), .same_address = 31}}}, CHECK_DONE,
		"0.969 atomic operations per thread on global memory"},
	{"one atomic for each block", CHECK_PRIVATISATION, "histogram", "global-atomic", 1048576, 0,
		{{{.line = 9,
			.space = TRACE_GLOBAL,
			.kind = TRACE_ATOMIC,
			.argument = 2,
			.requests = 4096,
			.lanes = 4096,
			.same_address = 4096}}},
		CHECK_DONE, "0.00391 atomic operations per thread on global memory"},

	{"four elements per thread", CHECK_COARSENING, "vecadd", "coarse4", 4096, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}}}, CHECK_DONE, "4 elements per thread"},
	{"nothing to save", CHECK_COARSENING, "vecadd", "fine", 4096, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}}}, CHECK_NOT_APPLICABLE, "1 element per thread"},
	/* 64 x 64 in tiles of 16: 2 x 64 x 64 x 4 bytes of input, four times. */
	{"tiles that all blocks load", CHECK_COARSENING, "matmul", "tiled16", 64, 131072,
		{{{GLOBAL(21, LOAD, 1024, 4096, 131072)}, {SHARED(21, STORE, 1024)},
			{SHARED(25, LOAD, 16384)}}},
		CHECK_OPEN, "1 element per thread; the blocks load each input byte 4.0 times"},
	{"no tiles yet", CHECK_COARSENING, "matmul", "naive", 64, 16384,
		{{{GLOBAL(21, LOAD, 1024, 4096, 131072)}}}, CHECK_NOT_APPLICABLE,
		"more elements would not save work"},
	{"coarse tiles", CHECK_COARSENING, "matmul", "coarse4", 128, 131072,
		{{{GLOBAL(21, LOAD, 1024, 4096, 131072)}, {SHARED(21, STORE, 1024)},
			{SHARED(25, LOAD, 16384)}}},
		CHECK_DONE, "4 elements per thread"},
	{"one tree for each block", CHECK_COARSENING, "reduce", "sequential", 65536, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}, {SHARED(7, STORE, 20)}, {SHARED(9, LOAD, 20)}}},
		CHECK_OPEN, "4.0 bytes of shared memory per byte"},
	/* 16 bytes a lane in, 4 a lane out: each byte is stored and loaded once. */
	{"a buffer in between", CHECK_COARSENING, "occupancy", "block128", 4096, 5120,
		{{{QUADS(GLOBAL, 7, LOAD)}, {QUADS(SHARED, 7, STORE)}, {SHARED(9, LOAD, 40)}}},
		CHECK_NOT_APPLICABLE, "1 element per thread; more elements"},
	{"coarse on large problems", CHECK_COARSENING, "vecadd", "grid-stride", 4096, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}}}, CHECK_DONE,
		"elements per thread at the default size on a GPU"},
	{"almost one per thread", CHECK_COARSENING, "vecadd", "fine", 65530, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}}}, CHECK_NOT_APPLICABLE, "1 element per thread"},
	{"a tile that only transposes", CHECK_COARSENING, "transpose", "tiled", 32, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}, {SHARED(7, STORE, 10)}, {SHARED(9, LOAD, 10)}}},
		CHECK_DONE, "4 elements per thread"},
	{"a coarse tree", CHECK_COARSENING, "reduce", "coarse", 1 << 24, 1280,
		{{{GLOBAL(7, LOAD, 10, 40, 1280)}, {SHARED(7, STORE, 20)}, {SHARED(9, LOAD, 20)}}},
		CHECK_DONE, "elements per thread"},
};

TEST_ROWS(access_rule, access_rows, "%s: %s", check_item_words[row->item], row->name)
{
	struct access_row copy = *row;
	FINISHED(finish)
	struct explanation *explanation = explain(copy.family, copy.variant, copy.size);

	put_accesses(explanation, &copy.accesses);
	explanation->launches[0].trace.block_bytes_loaded = copy.different;
	expect(decide(explanation, copy.item), copy.state, copy.part);
}

/* ---- Divergence ---------------------------------------------------------------------------- */

#define LINE(at, count, active)                                             \
	{                                                                   \
		.line = (at), .warp_executions = (count), .lanes = (active) \
	}
#define BRANCH(at, count, split)                                          \
	{                                                                 \
		.line = (at), .executions = (count), .divergent = (split) \
	}

static struct divergence_row {
	const char *name;
	struct line_record lines[3];
	struct branch_record branches[2];
	enum check_state state;
	const char *part;
} divergence_rows[] = {
	{"none", {LINE(7, 10, 320)}, {{.line = 0}}, CHECK_DONE, "100.0 %; no branch splits a warp"},
	/* reduce at block 256: the adding line among three others. */
	{"whole warps idle", {LINE(7, 64, 2048), LINE(8, 12, 255)}, {BRANCH(7, 64, 5)}, CHECK_DONE,
		"94.7 %; line 7 splits 7.81 %"},
	{"scattered threads idle", {LINE(7, 64, 2048), LINE(8, 47, 255)},
		{BRANCH(6, 64, 1), BRANCH(7, 64, 40)}, CHECK_OPEN,
		"64.8 %: 5.4 of 32 lanes at line 8; line 7 splits 62.5 %"},
	{"at the threshold", {LINE(7, 25, 736)}, {BRANCH(7, 25, 25)}, CHECK_DONE, "92.0 %"},
	{"just below", {LINE(7, 25, 735)}, {BRANCH(7, 25, 25)}, CHECK_OPEN,
		"29.4 of 32 lanes at line 7"},
	/* 31 of 160 warps of a picture's edge. */
	{"a boundary", {LINE(7, 160, 5120), LINE(8, 160, 4712)}, {BRANCH(7, 160, 31)}, CHECK_DONE,
		"96.0 %"},
	{"nothing run", {{.line = 0}}, {{.line = 0}}, CHECK_UNKNOWN, "no line"},
};

TEST_ROWS(divergence_rule, divergence_rows, "divergence: %s", row->name)
{
	struct divergence_row copy = *row;
	FINISHED(finish) struct explanation *explanation = explain("vecadd", "fine", 64);
	struct trace *trace = &explanation->launches[0].trace;

	trace->lines = copy.lines;
	while (trace->line_count < 3 && copy.lines[trace->line_count].line)
		trace->line_count++;
	trace->branches = copy.branches;
	while (trace->branch_count < 2 && copy.branches[trace->branch_count].line)
		trace->branch_count++;
	expect(decide(explanation, CHECK_DIVERGENCE), copy.state, copy.part);
}

/* ---- Another access model ------------------------------------------------------------------- */

/* The same sums, from warps of 64 lanes and sectors of 64 bytes. */
TEST(other_model, "another access model")
{
	FINISHED(finish) struct explanation *explanation = explain("vecadd", "fine", 64);
	struct trace *trace = &explanation->launches[0].trace;
	struct accesses loads = {{{GLOBAL(7, LOAD, 10, 60, 2560)}}};
	struct line_record line = {.line = 5, .warp_executions = 10, .lanes = 320};

	explanation->model = trace->model = access_model_find("gfx942");
	put_accesses(explanation, &loads);
	expect(decide(explanation, CHECK_COALESCING), CHECK_OPEN,
		"6.0 sectors per load, 4.0 needed, line 7");
	loads.of[0].lane_pattern = (struct access_pattern){.kind = PATTERN_BROADCAST, .run = 16};
	loads.of[0].bytes_unique = 160;
	loads.of[0].sectors = 40;
	expect(decide(explanation, CHECK_COALESCING), CHECK_DONE, "no more sectors");
	struct accesses shared = {{{SHARED(9, LOAD, 10)}}};
	trace->access_count = 0;
	put_accesses(explanation, &shared);
	expect(decide(explanation, CHECK_BANKS), CHECK_UNKNOWN, "the banks of gfx942 are unknown");
	trace->lines = &line;
	trace->line_count = 1;
	expect(decide(explanation, CHECK_DIVERGENCE), CHECK_OPEN,
		"SIMT efficiency 50.0 %: 32.0 of 64 lanes at line 5");
}

/* ---- Occupancy ----------------------------------------------------------------------------- */

TEST(occupancy_rule, "occupancy")
{
	FINISHED(finish) struct explanation *explanation = explain("vecadd", "fine", 64);
	struct launch_explanation *launch = &explanation->launches[0];

	text_set(&launch->no_occupancy, "no figures of it");
	expect(decide(explanation, CHECK_OCCUPANCY), CHECK_UNKNOWN, "no figures of it");
	launch->occupancy_known = true;
	launch->resources.registers = 72;
	launch->occupancy = (struct occupancy){
		.blocks = 3, .occupancy = 0.375, .limited_by = 1 << OCCUPANCY_REGISTERS};
	expect(decide(explanation, CHECK_OCCUPANCY), CHECK_OPEN,
		"37.5 % of the threads: 3 blocks of 256, limited by registers; registers 72 a");
	launch->resources.registers = -1;
	launch->occupancy = (struct occupancy){.blocks = 1,
		.occupancy = 0.5,
		.limited_by = 1 << OCCUPANCY_THREADS | 1 << OCCUPANCY_SHARED};
	expect(decide(explanation, CHECK_OCCUPANCY), CHECK_DONE,
		"50 % of the threads: 1 block of 256, limited by threads, shared memory; "
		"registers not known");
}

/* ---- Several launches, samples, no trace ---------------------------------------------------- */

/* A sampled large launch has more weight than a complete small launch. */
TEST(estimates, "samples stand for whole launches")
{
	FINISHED(finish) struct explanation *explanation = explain("reduce", "sequential", 65536);
	struct line_record large = LINE(7, 100, 3200), small = LINE(8, 100, 100);

	EQUAL(explanation->launch_count, 2);
	explanation->launches[0].trace = (struct trace){.model = access_model_default(),
		.sampled_blocks = 3,
		.total_blocks = 300,
		.estimated = true,
		.lines = &large,
		.line_count = 1};
	explanation->launches[1].trace.lines = &small;
	explanation->launches[1].trace.line_count = 1;
	/* (100 x 3200 + 100) / 32 / (100 x 100 + 100) */
	expect(decide(explanation, CHECK_DIVERGENCE), CHECK_DONE, "99.0 %");
	explanation->launches[0].trace.total_blocks = 3;
	expect(decide(explanation, CHECK_DIVERGENCE), CHECK_OPEN, "1.0 of 32 lanes at line 8");
}

static void expect_unknown(struct explanation *explanation, const char *part)
{
	make_checklist(explanation);
	for (size_t i = 0; i < CHECKLIST_COUNT; i++)
		if (i != CHECK_OCCUPANCY)
			expect(&explanation->record.checklist.items[i], CHECK_UNKNOWN, part);
}

TEST(no_trace, "unknown without a whole trace")
{
	FINISHED(finish) struct explanation *explanation = explain("vecadd", "fine", 64);
	struct trace_defect *defect = &explanation->launches[0].trace.defect;

	text_set(&explanation->record.no_trace, "no C++ compiler");
	expect_unknown(explanation, "no trace: no C++ compiler");
	text_set(&explanation->record.no_trace, NULL);
	defect->kind = TRACE_RACE;
	snprintf(defect->text, sizeof defect->text, "two threads write");
	expect_unknown(explanation, "no trace: two threads write");
	set_intensities(explanation);
	IS(isnan(explanation->record.intensity.moved));
}

/* ---- Intensities and limit ------------------------------------------------------------------ */

/* 64 x 64 x 64: 524288 FLOP. */
TEST(intensities, "intensities")
{
	FINISHED(finish) struct explanation *explanation = explain("matmul", "naive", 64);
	struct accesses accesses = {{{GLOBAL(21, LOAD, 8192, 8192, 0)},
		{GLOBAL(22, LOAD, 8192, 32768, 0)}, {GLOBAL(25, STORE, 128, 512, 0)}}};

	put_accesses(explanation, &accesses);
	set_intensities(explanation);
	test_near(explanation->record.intensity.compulsory, 524288.0 / (3 * 64 * 64 * 4), 1e-12);
	test_near(explanation->record.intensity.loads, 0.25, 1e-12);
	test_near(explanation->record.intensity.requested, 524288.0 / (16384 * 128 + 16384), 1e-12);
	test_near(explanation->record.intensity.moved, 524288.0 / (41472 * 32), 1e-12);
	test_near(explanation->record.intensity.issued, explanation->record.intensity.requested,
		1e-12);
}

static struct limit_row {
	const char *name, *family, *variant;
	int64_t size;
	int64_t resident; /* threads of a multiprocessor; 0: not known */
	uint64_t loads;   /* of 128 bytes, in 4 sectors */
	enum limited_by limited_by;
	const char *part;
	enum operations unknown; /* type without a rate; 0: none */
} limit_rows[] = {
	/* 805e6 passes of 128 bytes at 32461.1 GB/s; Nsight Compute counts 806e6 on an H200. */
	{"naive product", "matmul", "naive", 64, 2048, 16512, LIMITED_BY_L1,
		"floors at m=n=k=2048 on NVIDIA H200 (for reference): l1 3.18 ms, l2 502 "
		"µs, compute 262 µs"},
	{"registers", "matmul", "registers", 128, 512, 1024, LIMITED_BY_COMPUTE,
		"compute 262 µs, shared 257 µs"},
	{"one block at work", "latency", "chase", 1024, 2048, 32, LIMITED_BY_LATENCY,
		"1.94 threads per multiprocessor at n="},
	{"few resident threads", "vecadd", "fine", 4096, 128, 256, LIMITED_BY_LATENCY,
		"128 threads"},
	{"vector sum", "vecadd", "fine", 4096, 0, 384, LIMITED_BY_MEMORY, "memory 170 µs"},
	{"copy", "coalesce", "contiguous", 4096, 2048, 128, LIMITED_BY_MEMORY, "memory 109 µs"},
	{"tensor cores", "matmul", "f16-tensor", 128, 256, 128, LIMITED_BY_SHARED,
		"shared 51.7 µs, l2 33.2 µs, tensor 18.0 µs"},
	{"no tensor cores", "matmul", "f16-tensor", 128, 256, 128, LIMITED_BY_UNKNOWN,
		"the rate of a type of operations is not known; floors at m=n=k=",
		OPERATIONS_TENSOR_F16},
	{"a library function", "instructions", "sin", 4096, 2048, 128, LIMITED_BY_UNKNOWN,
		"operations of library functions are not counted; floors at n="},
};

TEST_ROWS(limit, limit_rows, "limit: %s", row->name)
{
	FINISHED(finish)
	struct explanation *explanation = explain(row->family, row->variant, row->size);
	struct accesses accesses = {{{GLOBAL(7, LOAD, row->loads, 4 * row->loads, 0)}}};

	put_accesses(explanation, &accesses);
	explanation->launches[0].occupancy_known = row->resident > 0;
	explanation->launches[0].occupancy.threads = row->resident;
	if (row->unknown)
		explanation->target.hardware.rates.gops[row->unknown] = NAN;
	make_checklist(explanation);
	set_limit(explanation);
	EQUAL(explanation->record.limited_by, row->limited_by);
	HAS(explanation->record.limit_text, row->part);
	IS(explanation->record.limit_predicted);
}

/* One page has one GPU: without roofs of the target there are no floors. */
TEST(limit_of_another_gpu, "no floors of another GPU")
{
	static const struct {
		const char *unit, *target, *device; /* device: "" = none */
		bool known;
	} rows[] = {
		{"sm_90", "compute capability 9.0", "", true},
		{"sm_89", "compute capability 8.9", "", false},
		{"sm_89", "compute capability 8.9", "NVIDIA H200", false},
		{"gfx942", "gfx942", "", false},
		/* Its roofs are not known: the times of another card would be on its page. */
		{"sm_90", "NVIDIA H100 PCIe", "NVIDIA H100 PCIe", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		FINISHED(finish) struct explanation *explanation = explain("vecadd", "fine", 4096);
		struct explain_target *target = &explanation->target;
		target->unit = *occupancy_unit_find(rows[i].unit);
		snprintf(target->name, sizeof target->name, "%s", rows[i].target);
		explanation->device.type = GPU_TYPE_GPU;
		snprintf(explanation->device.name, sizeof explanation->device.name, "%s",
			rows[i].device);
		make_checklist(explanation);
		set_limit(explanation);
		EQUAL(explanation->record.limited_by,
			rows[i].known ? LIMITED_BY_MEMORY : LIMITED_BY_UNKNOWN);
		EQUAL(explanation->record.limit_text != NULL, rows[i].known);
	}
}

/* Atomic operations on one address wait for each other, so the roofs do not decide the limit. */
TEST(limit_of_atomics, "limit by atomic operations")
{
	FINISHED(finish)
	struct explanation *explanation = explain("histogram", "global-atomic", 4096);
	struct accesses accesses = {
		{{GLOBAL(7, LOAD, 128, 128, 0)}, {GLOBAL(9, ATOMIC, 128, 2048, 0)}}};

	accesses.of[1].same_address = 256;
	put_accesses(explanation, &accesses);
	make_checklist(explanation);
	set_limit(explanation);
	CHECK(EQUAL(explanation->record.limited_by, LIMITED_BY_LATENCY),
		STRING(explanation->record.limit_text,
			"2.0 lanes of a warp update the same address, line 9"),
		IS(explanation->record.limit_predicted));
}

TEST(for_cpus, "no item and no limit of a variant for CPUs")
{
	FINISHED(finish) struct explanation *explanation = explain("vecadd", "cpu-stream", 4096);

	make_checklist(explanation);
	for (size_t i = 0; i < CHECKLIST_COUNT; i++)
		assert_int_equal(
			explanation->record.checklist.items[i].state, CHECK_NOT_APPLICABLE);
	set_limit(explanation);
	CHECK(EQUAL(explanation->record.limited_by, LIMITED_BY_UNKNOWN),
		NIL(explanation->record.limit_text), NOT(explanation->record.limit_predicted));
}

TEST(names, "names")
{
	STRING(check_item_words[CHECK_PRIVATISATION], "privatisation");
	STRING(check_item_words[CHECK_COARSENING], "coarsening");
	STRING(check_state_words[CHECK_NOT_APPLICABLE], "not applicable");
	STRING(check_state_words[CHECK_UNKNOWN], "unknown");
}
