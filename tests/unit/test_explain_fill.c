/* An explanation made up, with every field filled or missing, as a record and as JSON. */
#include "host/explain/explain.c"
#include "host/record/document.h"
#include "tests/support/records.h"
#include "tests/support/test.h"

#include <jansson.h>

/* ---- Explanations -------------------------------------------------------------------------- */

static const char source[] = "// one\n"
			     "\tint x = a[i]; \t\r\n"
			     "\n"
			     "    atomicAdd(&h[x], 1);";

static const struct access_record accesses[] = {
	{.line = 2,
		.kind = TRACE_LOAD,
		.width_bytes = 4,
		.argument = 1,
		.requests = 8,
		.lanes = 250,
		.bytes_requested = 1000,
		.bytes_unique = 960,
		.sectors = 40,
		.lines = 16,
		.alignment_bytes = 64,
		.lane_pattern = {.kind = PATTERN_CONTIGUOUS, .run = 32},
		.typical = {.pattern = {.kind = PATTERN_SINGLE, .run = 32},
			.requests = 6,
			.example = {.address = {0x1084}, .lanes = 1, .width_bytes = 4},
			.place = {.block = 3, .warp = 2}}},
	{.line = 4,
		.space = TRACE_SHARED,
		.kind = TRACE_ATOMIC,
		.width_bytes = 4,
		.requests = 8,
		.lanes = 256,
		.bytes_requested = 1024,
		.bytes_unique = 512,
		.wavefronts = 20,
		.phases = 8,
		.ways = 4,
		.same_address = 12},
};
static const struct line_record lines[] = {{.line = 2, .warp_executions = 8, .lanes = 250},
	{.line = 99, .warp_executions = 8, .lanes = 256}};
static const struct branch_record branches[] = {{.line = 4,
	.executions = 8,
	.divergent = 2,
	.votes = {.executions = 2, .lanes = 50, .first_lanes = 20, .example = 7, .first = 2}}};

static void *copy_of(const void *array, size_t size)
{
	void *copy = malloc(size);

	SOME(copy);
	return memcpy(copy, array, size);
}

static void finish(struct explanation **explanation)
{
	explanation_finish(*explanation);
	free(*explanation);
}

static struct explanation *bare(const char *family, const char *variant)
{
	struct explanation *explanation = calloc(1, sizeof *explanation);

	SOME(explanation);
	record_init(&explanation_type, &explanation->record);
	explanation->model = access_model_default();
	explanation->problem = problem_default(family_find(family));
	explanation->config = config_default(variant_find(explanation->problem.family, variant));
	problem_default_size(&explanation->problem, DEVICE_CLASS_EMULATED);
	explanation->measured_problem = explanation->problem;
	config_plan(&explanation->config, &explanation->problem, &explanation->plan);
	for (size_t s = 0; s < explanation->plan.step_count; s++) {
		const struct plan_launch *planned = plan_step_launch(&explanation->plan.steps[s]);
		if (planned)
			explanation->launches[explanation->launch_count++] =
				(struct launch_explanation){.step = s,
					.planned = planned,
					.resources = {.registers = -1,
						.shared_bytes = -1,
						.spill_bytes = -1,
						.max_block_threads = -1}};
	}
	explanation->target = (struct explain_target){.unit = *occupancy_unit_find("sm_90"),
		.has_unit = true,
		.name = "a target",
		.hardware = roofline_reference};
	explanation->record.intensity =
		(struct intensity_record){{.present = true}, .compulsory = 0.5, .issued = 0.25,
			.requested = NAN, .loads = INFINITY, .moved = NAN};
	explanation->record.limited_by = LIMITED_BY_UNKNOWN;
	text_set(&explanation->record.no_trace, "no compiler");
	text_set(&explanation->record.no_resources, "no NVRTC");
	text_set(&explanation->record.no_measurement, "no device");
	for (int i = 0; i < CHECKLIST_COUNT; i++) {
		struct check_record *check =
			record_list_add(&check_item_type, &explanation->record.checklist);
		SOME(check);
		check->item = i;
		check->state = CHECK_UNKNOWN;
	}
	return explanation;
}

static struct explanation *full(void)
{
	struct explanation *explanation = bare("histogram", "private");
	struct launch_explanation *launch = &explanation->launches[0];

	struct check_record *tiling = &explanation->record.checklist.items[CHECK_TILING];

	explanation->source = copy_of(source, sizeof source);
	text_set(&explanation->record.file, "cuda_kernels/histogram/private.cu");
	explanation->traced = GPU_BACKEND_CUDA_EMU;
	text_set(&explanation->record.no_trace, NULL);
	text_set(&explanation->record.no_resources, NULL);
	text_set(&explanation->record.no_measurement, NULL);
	launch->trace = (struct trace){.model = access_model_default(),
		.sampled_blocks = 2,
		.total_blocks = 6,
		.estimated = true,
		.accesses = copy_of(accesses, sizeof accesses),
		.access_count = 2,
		.lines = copy_of(lines, sizeof lines),
		.line_count = 2,
		.branches = copy_of(branches, sizeof branches),
		.branch_count = 1,
		.warps = 64,
		.divergent_warps = 3};
	launch->trace.accesses[0].typical.example.model = access_model_default();
	launch->resources = (struct gpu_kernel_resources){
		.registers = 24, .shared_bytes = 4096, .spill_bytes = 8, .max_block_threads = -1};
	launch->occupancy = (struct occupancy){.blocks = 2,
		.threads = 2048,
		.warps = 64,
		.occupancy = 1,
		.limited_by = 1 << OCCUPANCY_THREADS | 1 << OCCUPANCY_SHARED};
	launch->occupancy_known = true;
	text_set(&explanation->record.resources.source, "cuda:0");
	explanation->record.limited_by = LIMITED_BY_MEMORY;
	explanation->record.limit_predicted = true;
	text_set(&explanation->record.limit_text, "by its bytes");
	tiling->state = CHECK_OPEN;
	text_set(&tiling->text, "16 times");
	explanation->measured = true;
	explanation->device = (struct gpu_device_info){
		.backend = GPU_BACKEND_CUDA, .name = "A GPU", .uuid = "1234"};
	explanation->device_rates =
		(struct floor_rates){.copy_gbps = 100, .gops[OPERATIONS_F32] = 1000};
	explanation->outcome.row = (struct result_row){.status = OUTCOME_OK,
		.derived = {.limited_by = LIMITED_BY_LATENCY,
			.gflops = 7,
			.gbps = 14,
			.intensity = 0.5,
			.pct_roof = 14},
		.timing = {.record.present = true,
			.primary = TIMING_COLD,
			.cold = {.record.present = true, .n = 3, .median = 2500}}};
	return explanation;
}

/* ---- Lookup -------------------------------------------------------------------------------- */

/* The value at a path, for example "accesses.0.line". */
static const json_t *look(const json_t *value, const char *path)
{
	char text[128], *rest = text;

	snprintf(text, sizeof text, "%s", path);
	for (const char *part; value && (part = strsep(&rest, "."));)
		value = json_is_array(value) ? json_array_get(value, (size_t)atoi(part))
					     : json_object_get(value, part);
	if (!value)
		test_fail("no %s", path);
	return value;
}

static void expect(const json_t *value, const char *path, const char *wanted)
{
	FREED char *got = json_dumps(
		look(value, path), JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));

	SOME(got);
	if (strcmp(got, wanted) != 0)
		test_fail("%s: %s, not %s", path, got, wanted);
}

struct field_row {
	const char *path, *value;
};

/* The entries as a new array. */
static json_t *entries_of(struct explanation *explanation)
{
	json_t *array = json_array();

	TEST_RECORD(explain_document_type, struct explain_document, document);
	test_ok(explain_fill(explanation, &document.explanations, &test_error));
	for (size_t i = 0; i < document.explanations.count; i++) {
		FREED char *text = NULL;
		test_ok(record_write(&explanation_type, &document.explanations.items[i],
			RECORD_ONE_LINE, &text, &test_error));
		json_array_append_new(array, json_loads(text, 0, NULL));
	}
	return array;
}

static void expect_all(struct explanation *explanation, const struct field_row *rows)
{
	json_t *array = entries_of(explanation);

	CHECK(SOME(array), EQUAL(json_array_size(array), explanation->launch_count));
	for (; rows->path; rows++)
		expect(json_array_get(array, 0), rows->path, rows->value);
	json_decref(array);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

#define INACTIVE_4 ",-1,-1,-1,-1"
#define INACTIVE_8 INACTIVE_4 INACTIVE_4
#define INACTIVE_16 INACTIVE_8 INACTIVE_8

static const struct field_row full_rows[] = {
	{"family", "\"histogram\""},
	{"variant", "\"private\""},
	{"technique", "\"privatization\""},
	{"base", "\"global-atomic\""},
	{"title", "\"H[b] = values of A that are b\""},
	{"next.variant", "\"coarse-contiguous\""},
	{"next.claim", "null"},
	{"problem", "{\"n\":65536,\"bins\":256}"},
	{"problem_text", "\"n=65536 bins=256\""},
	{"choices", "\"u8 uniform\""},
	{"macros", "{\"BLOCK\":1024}"},
	{"launch.kernel", "\"histogram_private\""},
	{"launch.grid", "[64,1,1]"},
	{"launch.block", "[1024,1,1]"},
	{"launch.shared_bytes", "1024"},
	{"launch.index", "1"},
	{"launch.count", "1"},
	{"file", "\"cuda_kernels/histogram/private.cu\""},
	{"source_sha256", "\"cafbb0e69017d8c3c00ec4ec0d2160296b6f6fa47b783556986f8e1be49197c3\""},
	{"no_trace", "null"},
	{"traced", "\"cuda-emu\""},
	{"sampled", "{\"blocks\":2,\"total\":6,\"in_part\":false}"},
	{"estimated", "true"},
	{"accesses.0.file", "\"cuda_kernels/histogram/private.cu\""},
	{"accesses.0.line", "2"},
	{"accesses.0.text", "\"int x = a[i];\""},
	{"accesses.0.space", "\"global\""},
	{"accesses.0.kind", "\"load\""},
	{"accesses.0.width_bytes", "4"},
	{"accesses.0.operand", "\"A\""},
	{"accesses.0.requests", "8"},
	{"accesses.0.sectors_per_request", "5.0"},
	{"accesses.0.lines128_per_request", "2.0"},
	{"accesses.0.bytes_requested", "1000"},
	{"accesses.0.bytes_unique", "960"},
	{"accesses.0.bytes_moved", "1280"},
	{"accesses.0.efficiency", "0.75"},
	{"accesses.0.pattern", "\"contiguous\""},
	{"accesses.0.alignment_bytes", "64"},
	{"accesses.0.ways", "null"},
	{"accesses.0.wavefronts_per_request", "null"},
	{"accesses.0.multiplicity", "null"},
	{"accesses.0.active_lanes", "31.25"},
	{"accesses.0.coalescing", "\"coalesced\""},
	{"accesses.0.request", "{\"block\":3,\"warp\":2,\"pattern\":\"one lane\",\"requests\":6,"
			       "\"offsets\":[4" INACTIVE_16 INACTIVE_8 INACTIVE_4 ",-1,-1,-1]}"},
	{"accesses.1.text", "\"atomicAdd(&h[x], 1);\""},
	{"accesses.1.space", "\"shared\""},
	{"accesses.1.kind", "\"atomic\""},
	{"accesses.1.operand", "null"},
	{"accesses.1.sectors_per_request", "null"},
	{"accesses.1.lines128_per_request", "null"},
	{"accesses.1.bytes_moved", "null"},
	{"accesses.1.efficiency", "null"},
	{"accesses.1.alignment_bytes", "null"},
	{"accesses.1.ways", "4"},
	{"accesses.1.coalescing", "\"n/a (shared)\""},
	{"accesses.1.wavefronts_per_request", "2.5"},
	{"accesses.1.multiplicity", "1.5"},
	{"lines.0.text", "\"int x = a[i];\""},
	{"lines.0.warp_executions", "8"},
	{"lines.0.lanes", "250"},
	{"lines.0.simt", "0.976562"},
	{"lines.1.text", "null"},
	{"branches.0.line", "4"},
	{"branches.0.text", "\"atomicAdd(&h[x], 1);\""},
	{"branches.0.executions", "8"},
	{"branches.0.divergent", "2"},
	{"branches.0.split",
		"{\"block\":0,\"warp\":0,\"ways\":[1,0,1" INACTIVE_16 INACTIVE_8 INACTIVE_4
		",-1],\"lanes\":50,\"first_lanes\":20}"},
	{"simt_efficiency", "0.988281"},
	{"warps", "64"},
	{"divergent_warps", "3"},
	{"totals.estimated", "true"},
	{"totals.bytes_compulsory", "66560.0"},
	{"totals.bytes_loaded_requested", "3000.0"},
	{"totals.bytes_loaded_moved", "3840.0"},
	{"totals.bytes_stored_requested", "0.0"},
	{"totals.bytes_stored_moved", "0.0"},
	{"totals.bytes_atomic_requested", "0.0"},
	{"totals.bytes_atomic_moved", "0.0"},
	{"defects", "[]"},
	{"resources.registers", "24"},
	{"resources.shared_bytes", "4096"},
	{"resources.spill_bytes", "8"},
	{"resources.max_block", "null"},
	{"resources.source", "\"cuda:0\""},
	{"no_resources", "null"},
	{"occupancy.ratio", "1.0"},
	{"occupancy.blocks", "2"},
	{"occupancy.threads", "2048"},
	{"occupancy.warps", "64"},
	{"occupancy.limited_by", "[\"threads\",\"shared memory\"]"},
	{"occupancy.target", "\"a target\""},
	{"intensity", "{\"compulsory\":0.5,\"issued\":0.25,\"requested\":null,\"loads\":null,"
		      "\"moved\":null}"},
	{"roofs.name", "\"NVIDIA H200\""},
	{"roofs.measured", "false"},
	{"roofs.copy_gbps", "4323.47"},
	{"roofs.fma_gflops", "65485.6"},
	{"roofs.ridge", "15.1465"},
	{"limited_by", "\"memory\""},
	{"limit_predicted", "true"},
	{"limit_text", "\"by its bytes\""},
	{"checklist.3", "{\"item\":\"tiling\",\"state\":\"open\",\"text\":\"16 times\"}"},
	{"checklist.5.item", "\"coarsening\""},
	{"measured.backend", "\"cuda\""},
	{"measured.device", "\"uuid:1234\""},
	{"measured.device_name", "\"A GPU\""},
	{"measured.problem", "{\"n\":65536,\"bins\":256}"},
	{"measured.problem_text", "\"n=65536 bins=256\""},
	{"measured.ns", "2500.0"},
	{"measured.gflops", "7.0"},
	{"measured.gbps", "14.0"},
	{"measured.fraction_of_roof", "0.14"},
	{"measured.limited_by", "\"latency\""},
	{"measured.attainable_gflops", "50.0"},
	{"measured.attainable_gbps", "100.0"},
	{"measured.status", "\"ok\""},
	{"no_measurement", "null"},
	{0},
};

TEST(all_fields, "every field")
{
	FINISHED(finish) struct explanation *explanation = full();

	expect_all(explanation, full_rows);
}

static const struct field_row bare_rows[] = {
	{"base", "null"},
	{"next.variant", "\"naive\""},
	{"next.claim", "\"coalesced >= 2 x uncoalesced\""},
	{"file", "null"},
	{"source_sha256", "null"},
	{"no_trace", "\"no compiler\""},
	{"sampled", "null"},
	{"accesses", "[]"},
	{"lines", "[]"},
	{"branches", "[]"},
	{"simt_efficiency", "null"},
	{"warps", "null"},
	{"divergent_warps", "null"},
	{"totals", "null"},
	{"defects", "[]"},
	{"resources", "null"},
	{"no_resources", "\"no NVRTC\""},
	{"occupancy", "null"},
	{"limited_by", "null"},
	{"measured", "null"},
	{"no_measurement", "\"no device\""},
	{0},
};

TEST(nothing_known, "nothing is known")
{
	FINISHED(finish) struct explanation *explanation = bare("matmul", "naive-uncoalesced");

	expect_all(explanation, bare_rows);
}

static const struct field_row own_rows[] = {
	{"technique", "\"your kernel\""},
	{"own_kernel", "true"},
	{"base", "null"},
	{"next", "null"},
	{"accesses.0.line", "2"},
	{0},
};

TEST(own_kernel, "a kernel of the user")
{
	FINISHED(finish) struct explanation *explanation = full();

	explanation->own_kernel = true;
	expect_all(explanation, own_rows);
}

static const struct field_row defect_rows[] = {
	{"totals", "null"},
	{"sampled.blocks", "2"},
	{"estimated", "false"},
	{"simt_efficiency", "null"},
	{"warps", "null"},
	{"divergent_warps", "null"},
	{"defects", "[{\"kind\":\"race\",\"line\":4,\"other_line\":null,\"text\":\"both\"}]"},
	{0},
};

TEST(defect, "a defect")
{
	FINISHED(finish) struct explanation *explanation = full();
	struct trace_defect *found = &explanation->launches[0].trace.defect;

	*found = (struct trace_defect){.kind = TRACE_RACE, .line = 4, .text = "both"};
	expect_all(explanation, defect_rows);
}

static const struct field_row in_part_rows[] = {
	{"totals", "null"},
	{"sampled.in_part", "true"},
	{"defects", "[]"},
	{"intensity.moved", "null"},
	{0},
};

/* The first part of a block may have no store. */
TEST(in_part, "a block that was watched in part")
{
	FINISHED(finish) struct explanation *explanation = full();

	explanation->launches[0].trace.unwatched_steps = 1;
	set_intensities(explanation);
	expect_all(explanation, in_part_rows);
}

static const struct field_row unmeasured_rows[] = {
	{"measured.ns", "null"},
	{"measured.gflops", "null"},
	{"measured.limited_by", "null"},
	{"measured.attainable_gflops", "null"},
	{"measured.status", "\"failed\""},
	{"no_measurement", "\"wrong answer\""},
	{0},
};

/* The variant failed on the device, and the roofs are unknown. */
TEST(failed, "a variant that failed")
{
	FINISHED(finish) struct explanation *explanation = full();

	explanation->device_rates.copy_gbps = NAN;
	explanation->outcome.row = (struct result_row){.status = OUTCOME_FAILED,
		.derived = {.limited_by = LIMITED_BY_UNKNOWN, .gflops = NAN, .gbps = NAN}};
	text_set(&explanation->record.no_measurement, "wrong answer");
	expect_all(explanation, unmeasured_rows);
}

/* One entry for each launch of the same variant. */
TEST(launches, "a plan of two launches")
{
	FINISHED(finish) struct explanation *explanation = bare("reduce", "interleaved");
	json_t *array = entries_of(explanation);

	EQUAL(json_array_size(array), 2);
	expect(array, "1.variant", "\"interleaved\"");
	expect(array, "1.launch.index", "2");
	expect(array, "1.launch.count", "2");
	expect(array, "0.launch.grid", "[256,1,1]");
	expect(array, "1.launch.grid", "[1,1,1]");
	json_decref(array);
}

/* A buffer that is not an operand. */
TEST(scratch, "scratch buffers")
{
	FINISHED(finish) struct explanation *explanation = bare("reduce", "interleaved");
	struct trace *trace = &explanation->launches[0].trace;

	*trace = (struct trace){.model = access_model_default(),
		.accesses = copy_of(accesses, sizeof accesses),
		.access_count = 2,
		.sampled_blocks = 1};
	for (int i = 0; i < 2; i++) {
		trace->accesses[i] = accesses[0];
		trace->accesses[i].argument = i + 1;
		trace->accesses[i].typical.example.model = access_model_default();
	}
	json_t *array = entries_of(explanation);
	expect(array, "0.accesses.0.operand", "\"A\"");
	expect(array, "0.accesses.1.operand", "\"scratch 1\"");
	json_decref(array);
}
