/* kernels/watch.cu with 8, 16, 32 and 64 lanes in lockstep. The warp operations of CUDA connect 32
 * lanes at every width. The counts are by hand. */
#include "tests/emulator/emulator.h"

#define STEPS 100000

static const struct gpu_watch watched = {.step_limit = STEPS};

static struct emu start(const char *model, uint32_t lanes)
{
	const struct access_model *own = access_model_find(model);
	struct emu emu = emu_start(EMU_WORKERS_DEFAULT, "20");

	IS(gpu_is_emulator(emu.device));
	gpu_set_model(emu.device, lanes ? access_model_with_lanes(own, lanes) : own, false);
	return emu;
}

/* Launches one block; in[i] is i. */
static enum pmpp_status watch(
	struct emu *emu, const char *entry, uint32_t block, struct trace *ret_trace)
{
	int in[512], out[1024] = {0};

	for (int i = 0; i < 512; i++)
		in[i] = i;
	*ret_trace = (struct trace){0};
	gpu_watch(emu->device, &watched, ret_trace);
	enum pmpp_status status = EMU_LAUNCH(emu, entry, 1, block, WORDS(in), WORDS(out));
	gpu_watch(emu->device, NULL, NULL);
	return status;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

#define GLOBAL_LOAD TRACE_GLOBAL, TRACE_LOAD
#define GLOBAL_STORE TRACE_GLOBAL, TRACE_STORE
#define GLOBAL_ATOMIC TRACE_GLOBAL, TRACE_ATOMIC
#define SHARED_STORE TRACE_SHARED, TRACE_STORE

/* One access. lanes 0: the model's own width. */
static const struct access_row {
	const char *model;
	uint32_t lanes;
	const char *entry, *mark;
	uint32_t block;
	enum trace_space space;
	enum trace_kind kind;
	uint64_t requests, lane_count;
	uint64_t sectors, lines;     /* global memory */
	uint64_t wavefronts, phases; /* shared memory */
	uint32_t ways;
	uint64_t multiplicity;
	const char *pattern;
} access_rows[] = {
	{"sm_90", 8, "chooses", "choose-load", 64, GLOBAL_LOAD, 8, 64, 8, 8, 0, 0, 0, 0,
		"contiguous"},
	{"sm_90", 16, "chooses", "choose-load", 64, GLOBAL_LOAD, 4, 64, 8, 4, 0, 0, 0, 0,
		"contiguous"},
	{"sm_90", 64, "chooses", "choose-load", 64, GLOBAL_LOAD, 1, 64, 8, 2, 0, 0, 0, 0,
		"contiguous"},
	{"gfx942", 0, "chooses", "choose-load", 64, GLOBAL_LOAD, 1, 64, 4, 2, 0, 0, 0, 0,
		"contiguous"},
	{"gfx1100", 0, "chooses", "choose-load", 64, GLOBAL_LOAD, 2, 64, 2, 2, 0, 0, 0, 0,
		"contiguous"},
	{"xe-hpg", 0, "chooses", "choose-load", 64, GLOBAL_LOAD, 4, 64, 4, 4, 0, 0, 0, 0,
		"contiguous"},
	/* The loops of lanes 0 to 2 of each three meet at the same rate in every group. */
	{"sm_90", 64, "ragged", "ragged-store", 64, GLOBAL_STORE, 1, 64, 8, 2, 0, 0, 0, 0,
		"contiguous"},
	/* Lanes 20 to 31 of each 32 have returned. */
	{"sm_90", 8, "early_return", "return-store", 64, GLOBAL_STORE, 6, 40, 6, 6, 0, 0, 0, 0,
		"contiguous"},
	{"sm_90", 16, "early_return", "return-store", 64, GLOBAL_STORE, 4, 40, 6, 4, 0, 0, 0, 0,
		"contiguous"},
	{"sm_90", 64, "early_return", "return-store", 64, GLOBAL_STORE, 1, 40, 6, 2, 0, 0, 0, 0,
		"contiguous"},
	/* A column of tile[32][32]: all words are in bank 0. */
	{"sm_90", 8, "columns", "column-put", 32, SHARED_STORE, 4, 32, 0, 0, 32, 4, 8, 0,
		"stride 32"},
	{"sm_90", 16, "columns", "column-put", 32, SHARED_STORE, 2, 32, 0, 0, 32, 2, 16, 0,
		"stride 32"},
	{"sm_90", 64, "columns", "column-put", 32, SHARED_STORE, 1, 32, 0, 0, 32, 1, 32, 0,
		"stride 32"},
	{"xe-hpg", 0, "columns", "column-put", 32, SHARED_STORE, 2, 32, 0, 0, 32, 2, 16, 0,
		"stride 32"},
	{"sm_90", 8, "columns", "padded-put", 32, SHARED_STORE, 4, 32, 0, 0, 4, 4, 1, 0,
		"stride 33"},
	{"gfx942", 0, "columns", "padded-put", 32, SHARED_STORE, 1, 32, 0, 0, 1, 1, 1, 0,
		"stride 33"},
	/* 64 lanes need two passes over 32 banks. */
	{"gfx942", 0, "exchanges", "exchange-put", 64, SHARED_STORE, 1, 64, 0, 0, 2, 2, 1, 0,
		"contiguous"},
	{"sm_90", 8, "counts", "count-one", 64, GLOBAL_ATOMIC, 8, 64, 8, 8, 0, 0, 0, 64,
		"broadcast"},
	{"sm_90", 64, "counts", "count-one", 64, GLOBAL_ATOMIC, 1, 64, 1, 1, 0, 0, 0, 64,
		"broadcast"},
};

static void must_equal(const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		test_fail("%llu %s, not %llu", (unsigned long long)got, what,
			(unsigned long long)want);
}

static const struct access_record *find_access(
	const struct trace *trace, const struct access_row *row, int line)
{
	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		if (access->line == line && access->space == (int)row->space &&
			access->kind == (int)row->kind)
			return access;
	}
	test_fail("@%s: no access", row->mark);
	return NULL;
}

TEST_ROWS_ON_CALL(test_access, access_rows, true, "%s, %u lanes: %s, %s", row->model, row->lanes,
	row->entry, row->mark)
{
	FINISHED(trace_finish) struct trace trace;
	char pattern[64];

	EMU emu = start(row->model, row->lanes);
	emu_build_file(&emu, "watch", true);
	test_ok(watch(&emu, row->entry, row->block, &trace));
	const struct access_record *access = find_access(&trace, row, emu_line(&emu, row->mark));
	must_equal("requests", access->requests, row->requests);
	must_equal("lanes", access->lanes, row->lane_count);
	must_equal("sectors", access->sectors, row->sectors);
	must_equal("lines", access->lines, row->lines);
	must_equal("wavefronts", access->wavefronts, row->wavefronts);
	must_equal("phases", access->phases, row->phases);
	must_equal("ways", access->ways, row->ways);
	must_equal("lanes on one address", access->same_address, row->multiplicity);
	access_pattern_text(&access->lane_pattern, trace.model, pattern, sizeof pattern);
	STRING(pattern, row->pattern);
}

/* The branch and the line behind it, in one block of 64 threads. */
static const struct branch_row {
	uint32_t lanes;
	const char *entry, *mark, *line_mark;
	uint64_t executions, divergent, line_executions, line_lanes, divergent_warps;
} branch_rows[] = {
	{8, "early_return", "return-if", "return-store", 8, 2, 6, 40, 2},
	{16, "early_return", "return-if", "return-store", 4, 2, 4, 40, 2},
	{32, "early_return", "return-if", "return-store", 2, 2, 2, 40, 2},
	{64, "early_return", "return-if", "return-store", 1, 1, 1, 40, 1},
	/* Lane 0 of each 32, after shuffles that connect 32 lanes. */
	{8, "exchanges", "exchange-if", "exchange-get", 8, 2, 2, 2, 2},
	{16, "exchanges", "exchange-if", "exchange-get", 4, 2, 2, 2, 2},
	{64, "exchanges", "exchange-if", "exchange-get", 1, 1, 1, 2, 1},
	/* Threads 0 to 39. */
	{8, "guarded", "guard-if", "guard-store", 8, 0, 5, 40, 0},
	{16, "guarded", "guard-if", "guard-store", 4, 1, 3, 40, 1},
	{64, "guarded", "guard-if", "guard-store", 1, 1, 1, 40, 1},
	/* Every other lane. */
	{8, "nested", "nested-outer", "nested-odd", 8, 8, 8, 32, 8},
	{64, "nested", "nested-outer", "nested-odd", 1, 1, 1, 32, 1},
};

TEST_ROWS_ON_CALL(test_branch, branch_rows, true, "%u lanes: %s", row->lanes, row->entry)
{
	uint64_t executions = 0, divergent = 0;
	FINISHED(trace_finish) struct trace trace;

	EMU emu = start("sm_90", row->lanes);
	emu_build_file(&emu, "watch", true);
	test_ok(watch(&emu, row->entry, 64, &trace));
	for (size_t i = 0; i < trace.branch_count; i++)
		if (trace.branches[i].line == emu_line(&emu, row->mark)) {
			executions += trace.branches[i].executions;
			divergent += trace.branches[i].divergent;
		}
	must_equal("executions of the branch", executions, row->executions);
	must_equal("divergent executions", divergent, row->divergent);
	for (size_t i = 0; i < trace.line_count; i++)
		if (trace.lines[i].line == emu_line(&emu, row->line_mark)) {
			must_equal("executions of the line", trace.lines[i].warp_executions,
				row->line_executions);
			must_equal("lanes of the line", trace.lines[i].lanes, row->line_lanes);
		}
	must_equal("warps", trace.warps, 64 / row->lanes);
	must_equal("divergent warps", trace.divergent_warps, row->divergent_warps);
}

/* ---- Defects --------------------------------------------------------------------------------- */

/* __syncwarp() orders the 32 lanes of its warp, and no others, at every width. */
#define EXCHANGE(body) \
	"extern \"C\" __global__ void exchange(const int *in, int *out)\n{\n" body "}\n"
#define WITH_LANE(other)                        \
	EXCHANGE("	__shared__ int cells[64];\n" \
		 "	int t = threadIdx.x;\n"      \
		 "	cells[t] = in[t];\n"         \
		 "	__syncwarp();\n"             \
		 "	out[t] = cells[t ^ " other "];\n")

static const char own_warp[] = WITH_LANE("31"), other_warp[] = WITH_LANE("32");

/* Half of the lanes of a warp never arrive at the shuffle. */
static const char lanes_apart[] = EXCHANGE("	int t = in[threadIdx.x];\n"
					   "	if (t < 40)\n"
					   "		t = __shfl_xor_sync(0xffffffffu, t, 1);\n"
					   "	out[threadIdx.x] = t;\n");

/* The lanes that wait at the line when no other lane can continue. */
static const char active[] = EXCHANGE("	int t = in[threadIdx.x];\n"
				      "	if (t % 32 < 20 && __activemask() != 0xfffffu)\n"
				      "		out[1024 + t] = 1;\n"
				      "	out[threadIdx.x] = warpSize;\n");

static const struct defect_row {
	const char *name, *source;
	enum trace_defect_kind kind;
	int line;
} defect_rows[] = {
	{"lanes of one warp", own_warp, TRACE_NO_DEFECT, 0},
	{"lanes of two warps", other_warp, TRACE_RACE, 7},
	{"lanes that have returned", lanes_apart, TRACE_NO_DEFECT, 0},
	{"the active mask", active, TRACE_NO_DEFECT, 0},
};

TEST_ROWS_ON_CALL(test_defect, defect_rows, true, "at every width: %s", row->name)
{
	for (uint32_t lanes = MIN_LANES; lanes <= MAX_LANES; lanes *= 2) {
		FINISHED(trace_finish) struct trace trace;

		EMU emu = start("sm_90", lanes);
		test_ok(emu_build_text(&emu, row->source, true));
		enum pmpp_status status = watch(&emu, "exchange", 64, &trace);
		EQUAL(status, row->kind == TRACE_NO_DEFECT ? PMPP_OK : PMPP_LAUNCH);
		EQUAL(trace.defect.kind, row->kind);
		if (row->kind != TRACE_RACE) /* either access may be the first */
			EQUAL(trace.defect.line, row->line);
		pmpp_error_clear(&test_error);
	}
}

void emulator_add_widths(void)
{
	test_access_add();
	test_branch_add();
	test_defect_add();
}
