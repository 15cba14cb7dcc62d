/* Watched launches of kernels/watch.cu and .cl: counts by line, defects with their lines, and
 * compilers that break an assumption of the watch. */
#include "tests/emulator/emulator.h"

#define IN_WORDS 512
#define OUT_WORDS 1024
#define STEPS 100000

struct watched {
	const char *entry;
	uint32_t block, groups; /* 0: 64 threads, 1 block */
	const uint64_t *blocks; /* NULL: all */
	size_t block_count;
	uint64_t step_limit; /* 0: STEPS */
};

/* Launches the kernel and watches it; in[i] is i, out is zero before. */
static enum pmpp_status watch(
	struct emu *emu, const struct watched *watched, int out[OUT_WORDS], struct trace *ret_trace)
{
	const struct gpu_watch wanted = {.blocks = watched->blocks,
		.block_count = watched->block_count,
		.step_limit = watched->step_limit ? watched->step_limit : STEPS};
	int in[IN_WORDS];
	struct emu_run run = {watched->entry, .groups = {watched->groups},
		.block = {watched->block ? watched->block : 64},
		.args = {WORDS(in), {.kind = GPU_ARG_BUFFER, .words = out, .count = OUT_WORDS}},
		.arg_count = 2};

	for (int i = 0; i < IN_WORDS; i++)
		in[i] = i;
	memset(out, 0, OUT_WORDS * sizeof *out);
	*ret_trace = (struct trace){0};
	gpu_watch(emu->device, &wanted, ret_trace);
	enum pmpp_status status = emu_run(emu, &run);
	gpu_watch(emu->device, NULL, NULL);
	return status;
}

static struct emu start(const char *timeout_s)
{
	struct emu emu = emu_start(EMU_WORKERS_DEFAULT, timeout_s);

	emu_build_file(&emu, "watch", true);
	return emu;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

#define GLOBAL_LOAD TRACE_GLOBAL, TRACE_LOAD
#define GLOBAL_STORE TRACE_GLOBAL, TRACE_STORE
#define GLOBAL_ATOMIC TRACE_GLOBAL, TRACE_ATOMIC
#define SHARED_LOAD TRACE_SHARED, TRACE_LOAD
#define SHARED_STORE TRACE_SHARED, TRACE_STORE
#define SHARED_ATOMIC TRACE_SHARED, TRACE_ATOMIC

/* All accesses of a space and kind on the line with the mark, together. */
static const struct access_row {
	const char *entry, *mark;
	enum trace_space space;
	enum trace_kind kind;
	uint64_t requests, lanes;
	uint64_t sectors;    /* global memory */
	uint64_t wavefronts; /* shared memory */
	uint64_t multiplicity;
	const char *pattern; /* NULL: not asked for */
	uint64_t ways;       /* 0: in shared memory, the same of every request */
	uint64_t passes;     /* global memory; 0: one of each request */
} access_rows[] = {
	{"ragged", "ragged-load", GLOBAL_LOAD, 18, 192, 72, 0, 0, "contiguous"},
	{"ragged", "ragged-store", GLOBAL_STORE, 2, 64, 8, 0, 0, "contiguous"},
	{"early_return", "return-store", GLOBAL_LOAD, 2, 40, 6, 0, 0, "contiguous"},
	{"early_return", "return-store", GLOBAL_STORE, 2, 40, 6, 0, 0, "contiguous"},
	{"breaks", "break-load", GLOBAL_LOAD, 6, 96, 24, 0, 0, "contiguous"},
	{"breaks", "break-store", GLOBAL_STORE, 2, 64, 8, 0, 0, "contiguous"},
	{"nested", "nested-odd", GLOBAL_LOAD, 2, 32, 8, 0, 0, "contiguous"},
	{"nested", "nested-both", GLOBAL_LOAD, 2, 16, 8, 0, 0, "contiguous"},
	{"nested", "nested-one", GLOBAL_LOAD, 2, 16, 8, 0, 0, "contiguous"},
	{"nested", "nested-met", GLOBAL_LOAD, 2, 32, 8, 0, 0, "contiguous"},
	{"nested", "nested-even", GLOBAL_LOAD, 2, 32, 8, 0, 0, "contiguous"},
	{"nested", "nested-store", GLOBAL_STORE, 2, 64, 8, 0, 0, "contiguous"},
	{"calls", "called-load", GLOBAL_LOAD, 4, 64, 8, 0, 0, "contiguous"},
	{"calls", "called-store", GLOBAL_STORE, 2, 64, 8, 0, 0, "contiguous"},
	{"exchanges", "exchange-put", SHARED_STORE, 2, 64, 0, 2, 0, "contiguous"},
	{"exchanges", "exchange-get", SHARED_LOAD, 2, 2, 0, 2, 0, "one lane"},
	{"exchanges", "exchange-get", GLOBAL_STORE, 2, 2, 2, 0, 0, "one lane"},
	{"exchanges", "exchange-all", SHARED_LOAD, 2, 64, 0, 2, 0, "scattered"},
	{"exchanges", "exchange-all", GLOBAL_STORE, 2, 64, 8, 0, 0, "contiguous"},
	{"chooses", "choose-load", GLOBAL_LOAD, 2, 64, 8, 0, 0, "contiguous"},
	{"chooses", "choose-store", GLOBAL_STORE, 2, 64, 8, 0, 0, "contiguous"},
	{"at_least_once", "once-load", GLOBAL_LOAD, 10, 190, 0, 0, 0, NULL},
	{"guarded", "guard-store", GLOBAL_LOAD, 2, 40, 5, 0, 0, "contiguous"},
	{"guarded", "guard-store", GLOBAL_STORE, 2, 40, 5, 0, 0, "contiguous"},
	{"counts", "count-shared", SHARED_ATOMIC, 2, 64, 0, 2, 16, NULL},
	{"counts", "count-one", GLOBAL_ATOMIC, 2, 64, 2, 0, 64, "broadcast"},
	{"counts", "count-each", GLOBAL_ATOMIC, 2, 64, 8, 0, 2, "contiguous"},
	{"halves", "half-load", GLOBAL_LOAD, 2, 64, 8, 0, 0, "contiguous"},
	{"halves", "half-store", GLOBAL_LOAD, 2, 64, 8, 0, 0, "contiguous"},
	{"halves", "half-store", GLOBAL_STORE, 2, 64, 8, 0, 0, "contiguous"},
	{"columns", "column-put", GLOBAL_LOAD, 1, 32, 16, 0, 0, "stride 4", .passes = 4},
	{"columns", "column-put", SHARED_STORE, 1, 32, 0, 32, 0, "stride 32"},
	{"columns", "padded-put", GLOBAL_LOAD, 1, 32, 5, 0, 0, "contiguous"},
	{"columns", "padded-put", SHARED_STORE, 1, 32, 0, 1, 0, "stride 33"},
	{"columns", "column-get", SHARED_LOAD, 1, 32, 0, 32, 0, "scattered"},
	{"columns", "padded-get", SHARED_LOAD, 1, 32, 0, 1, 0, "scattered"},
	{"columns", "both-get", SHARED_LOAD, 2, 64, 0, 33, 0, "scattered", 32},
	{"columns", "both-load", GLOBAL_LOAD, 2, 64, 8, 0, 0, "contiguous"},
};

/* All branches of the line with the mark, together: the compiler may have made two of a loop's
 * condition. -1: none that went two ways. */
static const struct branch_row {
	const char *entry, *mark;
	int executions, divergent;
} branch_rows[] = {
	{"ragged", "ragged-if", 18, 18},
	{"early_return", "return-if", 2, 2},
	{"breaks", "break-if", 8, 6},
	{"nested", "nested-outer", 2, 2},
	{"returned", "returned-if", 2, 2},
	{"nested", "nested-inner", 2, 2},
	{"calls", "called-if", 2, 2},
	{"exchanges", "exchange-if", 2, 2},
	{"chooses", "choose-one", -1, 0},
	{"guarded", "guard-if", 3, 1},
};

static const struct line_row {
	const char *entry, *mark;
	uint64_t executions, lanes;
} line_rows[] = {
	{"ragged", "ragged-if", 18, 576},
	{"ragged", "ragged-load", 18, 192},
	{"early_return", "return-if", 2, 64},
	{"early_return", "return-store", 2, 40},
	{"nested", "nested-both", 2, 16},
	{"nested", "nested-met", 2, 32},
	{"nested", "nested-store", 2, 64},
	{"calls", "called-load", 4, 64},
	{"exchanges", "exchange-get", 2, 2},
	{"at_least_once", "once-load", 10, 190},
	{"guarded", "guard-if", 3, 72},
	{"guarded", "guard-store", 2, 40},
	{"counts", "count-one", 2, 64},
	{"inlined", "mixed-line", 4, 128},
	{"inlined", "inlined-sum", 2, 64},
};

/* The example of the line's divergent branch. */
static const struct split_row {
	const char *entry, *mark;
	uint32_t lanes, first;
} split_rows[] = {
	{"nested", "nested-outer", 0xffffffff, 0xaaaaaaaa},
	{"nested", "nested-inner", 0xaaaaaaaa, 0x88888888},
	{"guarded", "guard-if", 0xffffffff, 0x000000ff},
};

static const struct count_row {
	struct watched launch;
	uint64_t warps, divergent_warps;
	bool cuda_only; /* clang makes one load of the loads of both sides, or gives the branch
			 * another line */
} count_rows[] = {
	{{.entry = "ragged"}, 2, 2},
	{{.entry = "early_return"}, 2, 2},
	{{.entry = "breaks"}, 2, 2, .cuda_only = true},
	{{.entry = "nested"}, 2, 2, .cuda_only = true},
	{{.entry = "calls"}, 2, 2},
	{{.entry = "exchanges"}, 2, 2},
	{{.entry = "chooses"}, 2, 0},
	{{.entry = "inlined"}, 2, 0, .cuda_only = true},
	{{.entry = "returned"}, 2, 2},
	{{.entry = "at_least_once"}, 2, 2},
	{{.entry = "guarded", .block = 72}, 3, 1},
	{{.entry = "counts"}, 2, 1},
	{{.entry = "halves"}, 2, 0},
	{{.entry = "columns", .block = 32}, 1, 0},
};

static void show(const struct trace *trace)
{
	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *a = &trace->accesses[i];
		char pattern[64];

		access_pattern_text(
			&a->lane_pattern, access_model_default(), pattern, sizeof pattern);
		test_note("line %d %s %s: %d requests, %d lanes, %d sectors, %d wavefronts, %s",
			(int)a->line, trace_space_words[a->space], trace_kind_words[a->kind],
			(int)a->requests, (int)a->lanes, (int)a->sectors, (int)a->wavefronts,
			pattern);
	}
	for (size_t i = 0; i < trace->branch_count; i++)
		test_note("line %d branch: %d executions, %d divergent",
			(int)trace->branches[i].line, (int)trace->branches[i].executions,
			(int)trace->branches[i].divergent);
	for (size_t i = 0; i < trace->line_count; i++)
		test_note("line %d: %d executions, %d lanes", (int)trace->lines[i].line,
			(int)trace->lines[i].warp_executions, (int)trace->lines[i].lanes);
}

static void must_equal(const char *mark, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		test_fail("@%s: %llu %s, not %llu", mark, (unsigned long long)got, what,
			(unsigned long long)want);
}

static void must_have_access(
	const struct emu *emu, const struct trace *trace, const struct access_row *row)
{
	struct access_record sum = {0};
	bool shared = row->space == TRACE_SHARED;
	char pattern[64] = "";
	int found = 0;

	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		if (access->line != emu_line(emu, row->mark) || access->space != (int)row->space ||
			access->kind != (int)row->kind)
			continue;
		found++;
		sum.requests += access->requests;
		sum.phases += access->phases;
		sum.ways = access->ways > sum.ways ? access->ways : sum.ways;
		sum.lanes += access->lanes;
		sum.bytes_requested += access->bytes_requested;
		sum.sectors += access->sectors;
		sum.wavefronts += access->wavefronts;
		sum.passes += access->passes;
		sum.same_address += access->same_address;
		access_pattern_text(
			&access->lane_pattern, access_model_default(), pattern, sizeof pattern);
		EQUAL(access->width_bytes, 4);
		EQUAL(access->argument, shared ? 0 : row->kind == TRACE_LOAD ? 1 : 2);
	}
	must_equal(row->mark, "requests", sum.requests, row->requests);
	must_equal(row->mark, "lanes", sum.lanes, row->lanes);
	must_equal(row->mark, "bytes", sum.bytes_requested, row->lanes * 4);
	must_equal(row->mark, "wavefronts", sum.wavefronts, row->wavefronts);
	must_equal(row->mark, "passes", sum.passes,
		shared        ? 0
		: row->passes ? row->passes
			      : row->requests);
	must_equal(row->mark, "phases", sum.phases, shared ? row->requests : 0);
	must_equal(row->mark, "ways", sum.ways,
		row->ways ? row->ways : row->wavefronts / row->requests);
	if (row->pattern) /* those that go the same way are one */
		must_equal(row->mark, "accesses", (uint64_t)found, 1);
	must_equal(row->mark, "lanes on one address", sum.same_address, row->multiplicity);
	if (row->sectors)
		must_equal(row->mark, "sectors", sum.sectors, row->sectors);
	if (row->pattern)
		STRING(pattern, row->pattern);
}

static void must_have_branch(
	const struct emu *emu, const struct trace *trace, const struct branch_row *row)
{
	bool found = false;
	int executions = 0, divergent = 0;

	for (size_t i = 0; i < trace->branch_count; i++)
		if (trace->branches[i].line == emu_line(emu, row->mark)) {
			found = true;
			executions += (int)trace->branches[i].executions;
			divergent += (int)trace->branches[i].divergent;
		}
	executions = found ? executions : -1;
	if (executions != row->executions || divergent != row->divergent)
		test_fail("@%s: %d of %d diverge, not %d of %d", row->mark, divergent, executions,
			row->divergent, row->executions);
}

static void must_have_split(
	const struct emu *emu, const struct trace *trace, const struct split_row *row)
{
	for (size_t i = 0; i < trace->branch_count; i++) {
		const struct branch_record *branch = &trace->branches[i];
		if (branch->line != emu_line(emu, row->mark) || !branch->divergent)
			continue;
		must_equal(row->mark, "divergent executions", branch->votes.executions,
			branch->divergent);
		must_equal(row->mark, "lanes as bits", branch->votes.example, row->lanes);
		must_equal(row->mark, "first lanes as bits", branch->votes.first, row->first);
		return;
	}
	test_fail("@%s: no divergent branch", row->mark);
}

static void must_have_line(
	const struct emu *emu, const struct trace *trace, const struct line_row *row)
{
	uint64_t executions = 0, lanes = 0;

	for (size_t i = 0; i < trace->line_count; i++)
		if (trace->lines[i].line == emu_line(emu, row->mark)) {
			executions = trace->lines[i].warp_executions;
			lanes = trace->lines[i].lanes;
		}
	must_equal(row->mark, "executions of the line", executions, row->executions);
	must_equal(row->mark, "lanes of the line", lanes, row->lanes);
}

#define EACH(rows, entry_name, i)                                  \
	for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++) \
		if (strcmp((rows)[i].entry, entry_name) == 0)

TEST_ROWS_ON_CALL(test_counts, count_rows, !row->cuda_only || emu_language() == &emu_cuda,
	"watched: %s", row->launch.entry)
{
	const char *entry = row->launch.entry;
	FINISHED(trace_finish) struct trace trace;
	int out[OUT_WORDS];

	EMU emu = start("20");
	test_ok(watch(&emu, &row->launch, out, &trace));
	show(&trace);
	EACH(access_rows, entry, i)
	must_have_access(&emu, &trace, &access_rows[i]);
	EACH(branch_rows, entry, i)
	must_have_branch(&emu, &trace, &branch_rows[i]);
	EACH(split_rows, entry, i)
	must_have_split(&emu, &trace, &split_rows[i]);
	EACH(line_rows, entry, i)
	must_have_line(&emu, &trace, &line_rows[i]);
	must_equal(entry, "warps", trace.warps, row->warps);
	must_equal(entry, "divergent warps", trace.divergent_warps, row->divergent_warps);
	CHECK(EQUAL(trace.defect.kind, TRACE_NO_DEFECT), NOT(trace.estimated),
		EQUAL(trace.sampled_blocks, 1), EQUAL(trace.total_blocks, 1));
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static const struct blocks_row {
	const char *name;
	uint64_t blocks[4];
	size_t count; /* 0: all */
	uint64_t sectors, loaded;
} blocks_rows[] = {
	{"all", {0}, 0, 7, 4 + 3 * 8},
	{"the first", {0}, 1, 1, 4},
	{"two", {1, 3}, 2, 4, 16},
	{"all by number", {0, 1, 2, 3}, 4, 7, 4 + 3 * 8},
};

TEST_ROWS_ON_CALL(test_blocks, blocks_rows, true, "watched blocks: %s", row->name)
{
	const struct watched launch = {"of_block", .block = 32, .groups = 4,
		.blocks = row->count ? row->blocks : NULL, .block_count = row->count};
	uint64_t count = row->count ? row->count : 4;
	FINISHED(trace_finish) struct trace trace;
	int out[OUT_WORDS];

	EMU emu = start("20");
	test_ok(watch(&emu, &launch, out, &trace));
	CHECK(EQUAL(trace.sampled_blocks, count), EQUAL(trace.total_blocks, 4),
		EQUAL(trace.estimated, count < 4), EQUAL(trace.warps, count),
		EQUAL(trace_sum(&trace, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_BIT(TRACE_LOAD)),
			row->sectors),
		EQUAL(trace.block_bytes_loaded, row->loaded),
		EQUAL(trace.block_bytes_stored, count * 32 * 4));
	for (size_t i = 0; i < trace.access_count; i++)
		EQUAL(trace.accesses[i].typical.place.block,
			row->count ? row->blocks[row->count / 2] : 2);
	for (int b = 0; b < 4; b++) {
		bool listed = row->count == 0;
		for (size_t i = 0; i < row->count; i++)
			listed |= row->blocks[i] == (uint64_t)b;
		EQUAL(out[b * 32 + 1], listed ? b * 32 : 0);
	}
}

TEST_ON_CALL(test_beyond_grid, "watched blocks: beyond the grid")
{
	const uint64_t blocks[] = {1, 4};
	const struct watched launch = {
		.entry = "of_block", .block = 32, .groups = 4, .blocks = blocks, .block_count = 2};
	struct trace trace;
	int out[OUT_WORDS];

	EMU emu = start("20");
	test_refused(watch(&emu, &launch, out, &trace), PMPP_TOO_LARGE, "block 4");
	EQUAL(trace.steps, 0);
}

/* ---- Defects --------------------------------------------------------------------------------- */

static const struct defect_row {
	const char *entry;
	uint32_t groups;
	enum trace_defect_kind kind; /* TRACE_NO_DEFECT: it is right */
	/* Lines, in either order; other NULL: none. Without a defect, mark is the line of a plain
	 * load that a compare-and-swap checks. */
	const char *mark, *other;
	const char *part; /* of the text */
	bool opencl_only; /* in CUDA it is no defect, or it does not exist */
} defect_rows[] = {
	{"flags", 3, TRACE_NO_DEFECT, NULL, NULL, NULL},
	{"ticket", 3, TRACE_NO_DEFECT, NULL, NULL, NULL},
	{"scopes", 3, TRACE_NO_DEFECT, NULL, NULL, NULL, true},
	{"counts", 3, TRACE_NO_DEFECT, NULL, NULL, NULL},
	{"handed", 1, TRACE_NO_DEFECT, NULL, NULL, NULL},
	{"guesses", 3, TRACE_NO_DEFECT, "guesses", NULL, NULL},
	{"shared_race", 1, TRACE_RACE, "shared-late", "shared-read", "shared memory"},
	{"warp_race", 1, TRACE_RACE, "warp-read", "warp-write", "shared memory"},
	{"global_race", 1, TRACE_RACE, "global-read", "global-write", "global memory"},
	{"blocks_write", 2, TRACE_RACE, "blocks-write", "blocks-write", "another block"},
	{"blocks_read", 2, TRACE_RACE, "blocks-get", "blocks-put", "another block"},
	{"no_fence", 3, TRACE_RACE, "fence-get", "fence-put", "another block"},
	{"early_fence", 2, TRACE_RACE, "early-get", "early-put", "another block"},
	{"late_acquire", 2, TRACE_RACE, "late-get", "late-put", "another block"},
	{"no_acquire", 2, TRACE_RACE, "ticket-get", "ticket-put", "another block"},
	{"not_handed", 1, TRACE_RACE, "handed-get", "handed-put", "global memory"},
	{"other_flag", 1, TRACE_RACE, "flag-get", "flag-put", "global memory"},
	{"beside_atomics", 1, TRACE_RACE, "beside-store", "beside-atomic", "global memory"},
	{"outside", 1, TRACE_OUT_OF_BOUNDS, "outside-load", NULL, "argument 1"},
	{"unwritten", 1, TRACE_UNINITIALISED, "unwritten", NULL, "no thread of the block wrote"},
	{"not_all", 1, TRACE_BARRIER, "not-all", NULL, "4 of 64 threads have returned"},
	{"apart", 1, TRACE_BARRIER, "apart-1", "apart-2", "different barriers"},
	{"lanes_apart", 1, TRACE_DEADLOCK, "lanes-apart", NULL, "never meet", true},
	{"runs_away", 1, TRACE_RUNAWAY, "runs-away", NULL, "PMPP_EMU_TIMEOUT_S"},
	{"runs_away_waiting", 1, TRACE_RUNAWAY, "runs-away-waiting", NULL, "PMPP_EMU_TIMEOUT_S"},
};

/* The device still works, unwatched. */
static void still_works(struct emu *emu)
{
	int in[IN_WORDS] = {5, 6}, out[OUT_WORDS] = {0};

	EMU_RUN(emu, "chooses", 1, 64, WORDS(in), WORDS(out));
	for (int i = 0; i < 64; i++)
		EQUAL(out[i], 20);
}

static void must_be_at(
	const struct emu *emu, const struct trace_defect *defect, const struct defect_row *row)
{
	int mark = emu_line(emu, row->mark);
	int other = row->other ? emu_line(emu, row->other) : 0;

	if ((defect->line != mark || defect->other_line != other) &&
		(defect->line != other || defect->other_line != mark))
		test_fail("lines %d and %d, not %d (@%s) and %d", defect->line, defect->other_line,
			mark, row->mark, other);
}

TEST_ROWS_ON_CALL(test_defect, defect_rows, !row->opencl_only || emu_language() == &emu_opencl,
	"watched, %s: %s", trace_defect_words[row->kind], row->entry)
{
	const struct watched launch = {.entry = row->entry, .groups = row->groups};
	FINISHED(trace_finish) struct trace trace;
	int out[OUT_WORDS];

	EMU emu = start(row->kind == TRACE_RUNAWAY ? "0.5" : "20");
	enum pmpp_status status = watch(&emu, &launch, out, &trace);
	test_note("%s: %s (lines %d, %d)", trace_defect_words[trace.defect.kind], trace.defect.text,
		trace.defect.line, trace.defect.other_line);
	if (row->kind == TRACE_NO_DEFECT) {
		test_ok(status);
		EQUAL(trace.defect.kind, TRACE_NO_DEFECT);
		EQUAL(trace.guess_line, row->mark ? emu_line(&emu, row->mark) : 0);
	} else {
		EQUAL(trace.defect.kind, row->kind);
		must_be_at(&emu, &trace.defect, row);
		HAS(trace.defect.text, row->part);
		test_refused(
			status, row->kind == TRACE_RUNAWAY ? PMPP_TIMEOUT : PMPP_LAUNCH, row->part);
	}
	still_works(&emu);
}

/* The trace has the counts up to the defect. */
TEST_ON_CALL(test_counts_beside, "watched: counts beside a defect")
{
	static const struct access_row rows[] = {
		{"outside", "outside-before", GLOBAL_LOAD, 1, 32, 4, 0, 0, "contiguous"},
		{"outside", "outside-before", GLOBAL_STORE, 1, 32, 4, 0, 0, "contiguous"},
		{"outside", "outside-load", GLOBAL_LOAD, 1, 32, 5, 0, 0, "contiguous"},
	};
	FINISHED(trace_finish) struct trace trace;
	int out[OUT_WORDS];

	EMU emu = start("20");
	enum pmpp_status status = watch(&emu, &(struct watched){.entry = "outside"}, out, &trace);
	test_refused(status, PMPP_LAUNCH, NULL);
	show(&trace);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		must_have_access(&emu, &trace, &rows[i]);
}

/* At the limit the watch ends. The rest of the block runs, and no other block begins. */
TEST_ON_CALL(test_step_limit, "watched: the step limit")
{
	struct watched launch = {.entry = "ragged"};
	struct trace trace;
	int out[OUT_WORDS], right[OUT_WORDS];

	EMU emu = start("20");
	test_ok(watch(&emu, &launch, right, &trace));
	uint64_t steps = trace.steps;
	trace_finish(&trace);
	launch.step_limit = steps + 1;
	test_ok(watch(&emu, &launch, out, &trace));
	CHECK(EQUAL(trace.steps, steps), EQUAL(trace.unwatched_steps, 0), NOT(trace.estimated));
	trace_finish(&trace);
	for (launch.groups = 1; launch.groups <= 2; launch.groups++) {
		launch.step_limit = launch.groups == 1 ? steps / 2 : steps + steps / 2;
		test_ok(watch(&emu, &launch, out, &trace));
		test_note("%d steps of %d, then %d", (int)trace.steps, (int)steps,
			(int)trace.unwatched_steps);
		CHECK(EQUAL(trace.defect.kind, TRACE_NO_DEFECT), EQUAL(trace.sampled_blocks, 1),
			IS(trace.estimated), EQUAL(trace.steps + trace.unwatched_steps, steps));
		if (launch.groups == 1)
			assert_in_range(trace.steps, steps / 2, steps / 2 + 32);
		IS(fabs(trace_estimate(&trace, trace.steps) - (double)steps * launch.groups) < 1);
		assert_memory_equal(out, right, 64 * sizeof *out);
		trace_finish(&trace);
	}
}

/* A plain build is not watched, though it was asked for. */
TEST_ON_CALL(test_plain_build, "watched: not a plain build")
{
	struct trace trace;
	int out[OUT_WORDS];

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "watch", false);
	test_ok(watch(&emu, &(struct watched){.entry = "chooses"}, out, &trace));
	CHECK(EQUAL(trace.steps, 0), EQUAL(trace.total_blocks, 0), EQUAL(out[63], 63));
}

void emulator_add_watch(void)
{
	test_counts_add();
	test_blocks_add();
	test_beyond_grid_add();
	test_defect_add();
	test_counts_beside_add();
	test_step_limit_add();
	test_plain_build_add();
}
