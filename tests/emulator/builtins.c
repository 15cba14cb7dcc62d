/* Built-in functions of the OpenCL front end that connect work-items, on the OpenCL emulator.
 * Functions of one work-item: builtins/test_builtins.py. */
#include "tests/emulator/emulator.h"

static struct emu open_device(void)
{
	emu_use(&emu_opencl);
	return emu_start(EMU_WORKERS_DEFAULT, "900");
}

static struct emu start(uint32_t lanes, bool traced)
{
	struct emu emu = open_device();

	gpu_set_model(
		emu.device, access_model_with_lanes(access_model_find("sm_90"), lanes), false);
	emu_build_file(&emu, "builtins", traced);
	return emu;
}

static const uint32_t widths[] = {8, 16, 32, 64};

static void check_divergent(struct emu *emu, int width)
{
	int out[256] = {0};

	EMU_RUN(emu, "divergent", 1, 64, WORDS(out));
	for (int i = 0; i < 64; i++) {
		int first = i / width * width, third = 0, others = 0, above[2] = {0}, extra = 0;
		for (int k = first; k < first + width; k++) {
			third += k % 3 == 0;
			others += k % 3 ? k : 0;
			above[0] += k < i && (k - first) % 3 > 0;
			above[1] += k < i && (k - first) % 3 > 1;
		}
		for (int k = 0; k < (i - first) % 3; k++)
			extra += 10 * above[k];
		CHECK(EQUAL(out[i], i % 3 == 0 ? third : others),
			EQUAL(out[64 + i], (i == first) + extra), EQUAL(out[128 + i], i ^ 1),
			EQUAL(out[192 + i], (first + width - 1) * 100 + i - first + 1));
	}
}

static void check_together(struct emu *emu, int width)
{
	int out[384] = {0};

	(void)width;
	test_ok(emu_run(emu, &(struct emu_run){"together", .block = {10, 10}, .args = {WORDS(out)},
				     .arg_count = 1}));
	for (int i = 0; i < 100; i++) {
		EQUAL(out[i], 4950);
		EQUAL(out[128 + i], i == 0 ? INT32_MIN : i > 9 ? 9 : i - 1);
		EQUAL(out[256 + i], 24);
	}
}

static void check_buffered(struct emu *emu, int width)
{
	int out[64] = {0}, in[128], sum = 0;

	(void)width;
	for (int i = 0; i < 128; i++) {
		in[i] = i * i % 37;
		sum += in[i] * (i / 32 + 1);
	}
	EMU_RUN(emu, "buffered", 1, 32, WORDS(out), WORDS(in));
	for (int i = 0; i < 32; i++) {
		CHECK(EQUAL(out[i], sum), EQUAL(out[32 + i], 2 * sum + i));
	}
}

static void check_sides(struct emu *emu, int width)
{
	int out[128] = {0};

	EMU_RUN(emu, "sides", 1, 64, WORDS(out));
	for (int i = 0; i < 64; i++) {
		EQUAL(out[i], i & 1 ? width / 2 : width / 2 * 100);
		EQUAL(out[64 + i], i % width < 2);
	}
}

/* A kernel with one argument and one result for all work-items. */
static void check_result(struct emu *emu, const char *entry, int odd, int even)
{
	int out[64] = {0};

	EMU_RUN(emu, entry, 1, 64, WORDS(out));
	for (int i = 0; i < 64; i++)
		EQUAL(out[i], i & 1 ? odd : even);
}

static void check_names(struct emu *emu, int width)
{
	(void)width;
	check_result(emu, "library_names", 5, 4);
	check_result(emu, "formats", 1, 1);
}

static void check_sixteen(struct emu *emu, int width)
{
	int out[64] = {0};

	if (width == 16) {
		check_result(emu, "sixteen", 16, 16);
		return;
	}
	enum pmpp_status status = EMU_LAUNCH(emu, "sixteen", 1, 64, WORDS(out));
	test_refused(status, PMPP_LAUNCH, "use --width=16");
}

static void check_nine(struct emu *emu, int width)
{
	int out[128] = {0}, in[32] = {0};
	unsigned char *bytes = (unsigned char *)in;
	const unsigned char *copied = (const unsigned char *)(out + 32);

	(void)width;
	for (int i = 0; i < 40; i++)
		bytes[i] = (unsigned char)(i * i);
	EMU_RUN(emu, "nine", 1, 32, WORDS(out), WORDS(in));
	for (int i = 0; i < 32; i++) {
		int sum = 0;
		for (int k = 0; k < 9; k++) {
			sum += bytes[i + k];
			EQUAL(copied[32 * k + i], bytes[i + k]);
		}
		EQUAL(out[i], sum);
	}
}

static void check_after_wait(struct emu *emu, int width)
{
	int out[32] = {0}, in[32];
	const unsigned char *bytes = (const unsigned char *)in;

	(void)width;
	for (int i = 0; i < 32; i++)
		in[i] = 1000 + 7 * i;
	EMU_RUN(emu, "after_wait", 1, 32, WORDS(out), WORDS(in));
	for (int i = 0; i < 32; i++)
		EQUAL(out[i], in[i] + bytes[i] + 1);
}

static void check_elements(struct emu *emu, int width)
{
	int out[256] = {0}, in[34];

	(void)width;
	for (int i = 0; i < 34; i++)
		in[i] = 100 + i;
	EMU_RUN(emu, "elements", 1, 32, WORDS(out), WORDS(in));
	for (int i = 0; i < 32; i++) {
		const int *pair = &out[i / 2 * 4 + (i & 1) * 2];
		CHECK(EQUAL(pair[0], 100 + (i ^ 1) + !(i & 1)),
			EQUAL(pair[1], 101 + (i ^ 1) + !(i & 1)), EQUAL(out[128 + i], 102 + i));
	}
}

static const struct check {
	const char *name;
	void (*run)(struct emu *emu, int width);
} checks[] = {
	{"divergent", check_divergent},
	{"work-group", check_together},
	{"copies", check_buffered},
	{"both sides of a branch", check_sides},
	{"names of the C library, formats", check_names},
	{"the required size of a sub-group", check_sixteen},
	{"nine events", check_nine},
	{"accesses after a wait", check_after_wait},
	{"parts of vectors", check_elements},
};

/* For each width, with the plain and with the traced build. */
TEST_ROWS(test_widths, checks, "%s", row->name)
{
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		for (int traced = 0; traced < 2; traced++) {
			EMU emu = start(widths[i], traced);
			row->run(&emu, (int)widths[i]);
		}
}

/* The accesses of a watched kernel, by line. */
static const struct counted {
	const char *entry, *mark;
	enum trace_kind kind;
	uint64_t requests, lanes, width_bytes;
} counted[] = {
	{"ragged", "ragged-copy", TRACE_LOAD, 2, 34, 4},
	{"ragged", "ragged-copy", TRACE_COPY, 2, 34, 4},
	{"ragged", "ragged-load", TRACE_LOAD, 1, 32, 4},
	{"after_wait", "after-wait-sum", TRACE_STORE, 1, 32, 4},
	{"exchanges", "exchanges-load", TRACE_LOAD, 1, 32, 4},
	{"elements", "elements-three", TRACE_STORE, 1, 32, 12},
	{"elements", "elements-two", TRACE_STORE, 1, 16, 8},
	{"elements", "elements-two", TRACE_LOAD, 1, 16, 8},
	{"elements", "elements-one", TRACE_STORE, 1, 8, 4},
	{"elements", "elements-one", TRACE_LOAD, 1, 8, 4},
};

/* Addresses in shared memory begin at 0. The variables of all kernels of the file have less than
 * 16 KiB; an address of the host is larger. */
static void check_addresses(const struct access_record *access)
{
	const struct warp_access *example = &access->typical.example;

	for (unsigned lane = 0; lane < example->model->lanes && access->space == TRACE_SHARED;
		lane++)
		if (example->lanes >> lane & 1)
			assert_in_range(example->address[lane], 0, 16384);
}

TEST_ROWS(test_counts, counted, "counts of %s: %s, %s", row->entry, row->mark,
	row->kind == TRACE_LOAD ? "loads" : "stores")
{
	const struct gpu_watch watch = {.step_limit = 100000};
	FINISHED(trace_finish) struct trace trace = {0};
	int out[256] = {0}, in[128] = {0};
	struct counted found = *row;

	EMU emu = start(32, true);
	gpu_watch(emu.device, &watch, &trace);
	EMU_RUN(&emu, row->entry, 1, 32, WORDS(out), WORDS(in));
	gpu_watch(emu.device, NULL, NULL);
	found.requests = found.lanes = found.width_bytes = 0;
	for (size_t i = 0; i < trace.access_count; i++) {
		const struct access_record *access = &trace.accesses[i];
		if (access->line != emu_line(&emu, row->mark) || access->kind != (int)row->kind)
			continue;
		found.requests += access->requests;
		found.lanes += access->lanes;
		found.width_bytes = access->width_bytes;
		check_addresses(access);
	}
	CHECK(EQUAL(found.requests, row->requests), EQUAL(found.lanes, row->lanes),
		EQUAL(found.width_bytes, row->width_bytes));
}

/* A kernel with a defect ends with an error that has the marked line. */
static void defect(
	const char *entry, const char *mark, const char *words, bool two_arguments, bool traced)
{
	int out[256] = {0}, in[32] = {0};
	char place[32];

	EMU emu = start(32, traced);
	enum pmpp_status status = emu_run(
		&emu, &(struct emu_run){entry, .block = {32}, .args = {WORDS(out), WORDS(in)},
			      .arg_count = two_arguments ? 2 : 1});
	assert_int_not_equal(status, PMPP_OK);
	snprintf(place, sizeof place, ":%d", emu_line(&emu, mark));
	if (!strstr(test_error.message, words) || !strstr(test_error.message, place))
		test_fail("%s: \"%s\" does not have \"%s\" and \"%s\"", entry, test_error.message,
			words, place);
}

TEST(test_defects, "defects")
{
	defect("partial", "partial-reduce", "never meet", false, false);
	defect("partial", "partial-reduce", "never meet", false, true);
	defect("early", "early-read", "copy", true, true);
	defect("outside", "outside-load", "outside", true, true);
	for (int traced = 0; traced < 2; traced++) {
		defect("two_reductions", "two-reductions", "never meet", false, traced);
		defect("two_votes", "two-votes", "different barriers", false, traced);
		defect("one_line", "one-line", "different barriers", false, traced);
	}
	defect("other_event", "other-event", "before the wait", true, true);
	defect("wait_only", "wait-load", "race", true, true);
	defect("far", "far-store", "SIGSEGV", true, false);
	defect("both_sides", "both-sides", "out-of-bounds", true, true);
}

/* Builds a source as one of the two versions of the language, and returns the version. */
static int version_of(struct emu *emu, bool device_scope, enum gpu_cache_outcome *ret_cache)
{
	int version[1] = {0};

	test_ok(gpu_program_create(emu->device,
		&(struct gpu_program_desc){.name = "tests/version.cl",
			.source =
				"__kernel void version(__global int *out)\n"
				"{\n\tout[0] = __OPENCL_C_VERSION__ * 1000 + __OPENCL_VERSION__;\n}\n",
			.device_scope = device_scope},
		&emu->program, &test_error));
	*ret_cache = emu->program->cache;
	EMU_RUN(emu, "version", 1, 1, WORDS(version));
	gpu_program_destroy(&emu->program);
	return version[0];
}

/* The cache has an object for each version. */
TEST(test_versions, "versions of the language in the cache")
{
	enum gpu_cache_outcome cache;

	EMU emu = open_device();
	CHECK(EQUAL(version_of(&emu, false, &cache), 120120),
		EQUAL(version_of(&emu, true, &cache), 200200),
		EQUAL(version_of(&emu, false, &cache), 120120), EQUAL(cache, GPU_CACHE_HIT));
}

/* The function that clang calls to round a double to half is linked, although the kernel calls no
 * built-in function of builtins.cl. The function of libgcc with this name returns other bits. */
TEST(test_half, "rounding to half")
{
	static const char source[] =
		"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
		"__kernel void round_to_half(__global int *out, __global const double *in)\n"
		"{\n\tint i = get_global_id(0);\n\tout[i] = as_ushort((half)in[i]);\n}\n";
	static const unsigned bits[4] = {0x3e00, 0x4200, 0xfc00, 0x0001};
	double in[4] = {1.5, 3, -1e9, 0x1p-24};
	int out[4] = {0};

	EMU emu = open_device();
	for (int traced = 0; traced < 2; traced++) {
		test_ok(emu_build_text(&emu, source, traced));
		EMU_RUN(&emu, "round_to_half", 1, 4, WORDS(out), WORDS(in));
		for (int i = 0; i < 4; i++)
			EQUAL(out[i], bits[i]);
	}
}
