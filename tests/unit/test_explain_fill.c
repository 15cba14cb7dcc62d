/* An explanation made up, with every field filled or missing, as a record and as JSON. */
#include "host/explain/explain.c"
#include "host/record/document.h"
#include "tests/support/explanations.h"
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
	struct explanation *explanation = explanation_of(family, variant, 0);

	explanation->measured_problem = explanation->problem;
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

/* ---- Comparison ---------------------------------------------------------------------------- */

/* A value from JSON, in which single quotes stand for double ones. */
static json_t *json_of(const char *text)
{
	char *quoted = test_text("%s", text);

	for (char *c = quoted; *c; c++)
		if (*c == '\'')
			*c = '"';
	json_t *value = json_loads(quoted, JSON_DECODE_ANY, NULL);
	SOME(value);
	return value;
}

static const char *dump(const json_t *value)
{
	return value ? test_keep(json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)))
		     : "nothing";
}

/* A wanted object with the member "..." does not name all members. */
static void compare(const json_t *value, json_t *wanted, const char *path)
{
	bool all = !json_object_get(wanted, "...");
	const char *name;
	json_t *item;
	size_t index;

	if (all && json_object_size(value) != json_object_size(wanted))
		test_fail("%s has %zu members: %s", path, json_object_size(value), dump(value));
	json_object_foreach (wanted, name, item)
		if (strcmp(name, "...") != 0)
			compare(json_object_get(value, name), item, test_text("%s.%s", path, name));
	if (json_array_size(value) != json_array_size(wanted))
		test_fail("%s has %zu items: %s", path, json_array_size(value), dump(value));
	json_array_foreach (wanted, index, item)
		compare(json_array_get(value, index), item, test_text("%s.%zu", path, index));
	if (!json_is_object(wanted) && !json_is_array(wanted))
		if (strcmp(dump(value), dump(wanted)) != 0)
			test_fail("%s: %s, not %s", path, dump(value), dump(wanted));
}

/* The entries as a new array. */
static json_t *entries_of(struct explanation *explanation)
{
	json_t *array = json_array();

	TEST_RECORD(explain_document_type, struct explain_document, document);
	test_ok(explain_fill(explanation, &document.explanations, &test_error));
	for (size_t i = 0; i < document.explanations.count; i++) {
		const char *text = test_record_text(
			&explanation_type, &document.explanations.items[i], RECORD_ONE_LINE);
		json_array_append_new(array, json_loads(text, 0, NULL));
	}
	return array;
}

/* Compares the entries, an array. */
static void expect(struct explanation *explanation, const char *wanted)
{
	json_t *array = entries_of(explanation), *value = json_of(wanted);

	EQUAL(json_array_size(array), explanation->launch_count);
	compare(array, value, "entries");
	json_decref(array);
	json_decref(value);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

#define INACTIVE_4 ",-1,-1,-1,-1"
#define INACTIVE_8 INACTIVE_4 INACTIVE_4
#define INACTIVE_16 INACTIVE_8 INACTIVE_8

TEST(all_fields, "every field")
{
	FINISHED(finish) struct explanation *explanation = full();

	expect(explanation,
		"[{'...': 0, 'family': 'histogram', 'variant': 'private', 'technique': 'privatization',"
		"  'base': 'global-atomic', 'title': 'H[b] = values of A that are b',"
		"  'next': {'...': 0, 'variant': 'coarse-contiguous', 'claim': null},"
		"  'problem': {'n': 65536, 'bins': 256}, 'problem_text': 'n=65536 bins=256',"
		"  'choices': 'u8 uniform', 'macros': {'BLOCK': 1024},"
		"  'launch': {'kernel': 'histogram_private', 'grid': [64, 1, 1], 'block': [1024, 1, 1],"
		"   'shared_bytes': 1024, 'index': 1, 'count': 1},"
		"  'file': 'cuda_kernels/histogram/private.cu', 'source_sha256':"
		"  'cafbb0e69017d8c3c00ec4ec0d2160296b6f6fa47b783556986f8e1be49197c3',"
		"  'no_trace': null, 'traced': 'cuda-emu', 'estimated': true,"
		"  'sampled': {'blocks': 2, 'total': 6, 'in_part': false},"
		"  'accesses': ["
		"   {'file': 'cuda_kernels/histogram/private.cu', 'line': 2, 'text': 'int x = a[i];',"
		"    'space': 'global', 'kind': 'load', 'width_bytes': 4, 'operand': 'A', 'requests': 8,"
		"    'bytes_requested': 1000, 'bytes_unique': 960, 'bytes_moved': 1280,"
		"    'sectors_per_request': 5.0, 'lines128_per_request': 2.0, 'efficiency': 0.75,"
		"    'pattern': 'contiguous', 'active_lanes': 31.25, 'alignment_bytes': 64, 'ways': null,"
		"    'wavefronts_per_request': null, 'multiplicity': null, 'coalescing': 'coalesced',"
		"    'request': {'block': 3, 'warp': 2, 'pattern': 'one lane', 'requests': 6,"
		"     'offsets': [4" INACTIVE_16 INACTIVE_8 INACTIVE_4 ",-1,-1,-1]}},"
		"   {'...': 0, 'text': 'atomicAdd(&h[x], 1);', 'space': 'shared', 'kind': 'atomic',"
		"    'operand': null, 'sectors_per_request': null, 'lines128_per_request': null,"
		"    'bytes_moved': null, 'efficiency': null, 'alignment_bytes': null, 'ways': 4,"
		"    'coalescing': 'n/a (shared)', 'wavefronts_per_request': 2.5, 'multiplicity': 1.5}],"
		"  'lines': [{'line': 2, 'text': 'int x = a[i];', 'warp_executions': 8, 'lanes': 250,"
		"    'simt': 0.976562}, {'...': 0, 'text': null}],"
		"  'branches': [{'line': 4, 'text': 'atomicAdd(&h[x], 1);', 'executions': 8,"
		"    'divergent': 2, 'split': {'block': 0, 'warp': 0, 'ways': [1,0,1" INACTIVE_16
			INACTIVE_8 INACTIVE_4 ",-1], 'lanes': 50, 'first_lanes': 20}}],"
		"  'simt_efficiency': 0.988281, 'warps': 64, 'divergent_warps': 3,"
		"  'totals': {'estimated': true, 'bytes_compulsory': 66560.0,"
		"   'bytes_loaded_requested': 3000.0, 'bytes_loaded_moved': 3840.0,"
		"   'bytes_stored_requested': 0.0, 'bytes_stored_moved': 0.0,"
		"   'bytes_atomic_requested': 0.0, 'bytes_atomic_moved': 0.0},"
		"  'defects': [], 'no_resources': null,"
		"  'resources': {'registers': 24, 'shared_bytes': 4096, 'spill_bytes': 8,"
		"   'max_block': null, 'source': 'cuda:0'},"
		"  'occupancy': {'ratio': 1.0, 'blocks': 2, 'threads': 2048, 'warps': 64,"
		"   'limited_by': ['threads', 'shared memory'], 'target': 'compute capability 9.0'},"
		"  'intensity': {'compulsory': 0.5, 'issued': 0.25, 'requested': null, 'loads': null,"
		"   'moved': null},"
		"  'roofs': {'name': 'NVIDIA H200', 'measured': false, 'copy_gbps': 4323.47,"
		"   'fma_gflops': 65485.6, 'ridge': 15.1465},"
		"  'limited_by': 'memory', 'limit_predicted': true, 'limit_text': 'by its bytes',"
		"  'checklist': [{'...': 0}, {'...': 0}, {'...': 0},"
		"   {'item': 'tiling', 'state': 'open', 'text': '16 times'}, {'...': 0},"
		"   {'...': 0, 'item': 'coarsening'}, {'...': 0}],"
		"  'measured': {'...': 0, 'backend': 'cuda', 'device': 'uuid:1234',"
		"   'device_name': 'A GPU', 'problem': {'n': 65536, 'bins': 256},"
		"   'problem_text': 'n=65536 bins=256', 'ns': 2500.0, 'gflops': 7.0, 'gbps': 14.0,"
		"   'fraction_of_roof': 0.14, 'limited_by': 'latency', 'attainable_gflops': 50.0,"
		"   'attainable_gbps': 100.0, 'status': 'ok'},"
		"  'no_measurement': null}]");
}

TEST(nothing_known, "nothing is known")
{
	FINISHED(finish) struct explanation *explanation = bare("matmul", "naive-uncoalesced");

	expect(explanation,
		"[{'...': 0, 'base': null, 'file': null, 'source_sha256': null, 'sampled': null,"
		"  'next': {'...': 0, 'variant': 'naive', 'claim': 'coalesced >= 2 x uncoalesced'},"
		"  'no_trace': 'no compiler', 'accesses': [], 'lines': [], 'branches': [],"
		"  'simt_efficiency': null, 'warps': null, 'divergent_warps': null, 'totals': null,"
		"  'defects': [], 'resources': null, 'no_resources': 'no NVRTC', 'occupancy': null,"
		"  'limited_by': null, 'measured': null, 'no_measurement': 'no device'}]");
}

TEST(own_kernel, "a kernel of the user")
{
	FINISHED(finish) struct explanation *explanation = full();

	explanation->own_kernel = true;
	expect(explanation,
		"[{'...': 0, 'technique': 'your kernel', 'own_kernel': true, 'base': null, 'next': null,"
		"  'accesses': [{'...': 0, 'line': 2}, {'...': 0}]}]");
}

TEST(defect, "a defect")
{
	FINISHED(finish) struct explanation *explanation = full();
	struct trace_defect *found = &explanation->launches[0].trace.defect;

	*found = (struct trace_defect){.kind = TRACE_RACE, .line = 4, .text = "both"};
	expect(explanation,
		"[{'...': 0, 'totals': null, 'sampled': {'...': 0, 'blocks': 2}, 'estimated': false,"
		"  'simt_efficiency': null, 'warps': null, 'divergent_warps': null, 'defects':"
		"  [{'kind': 'race', 'line': 4, 'other_line': null, 'text': 'both'}]}]");
}

/* The first part of a block may have no store. */
TEST(in_part, "a block that was watched in part")
{
	FINISHED(finish) struct explanation *explanation = full();

	explanation->launches[0].trace.unwatched_steps = 1;
	set_intensities(explanation);
	expect(explanation,
		"[{'...': 0, 'totals': null, 'sampled': {'...': 0, 'in_part': true}, 'defects': [],"
		"  'intensity': {'...': 0, 'moved': null}}]");
}

/* The variant failed on the device, and the roofs are unknown. */
TEST(failed, "a variant that failed")
{
	FINISHED(finish) struct explanation *explanation = full();

	explanation->device_rates.copy_gbps = NAN;
	explanation->outcome.row = (struct result_row){.status = OUTCOME_FAILED,
		.derived = {.limited_by = LIMITED_BY_UNKNOWN, .gflops = NAN, .gbps = NAN}};
	text_set(&explanation->record.no_measurement, "wrong answer");
	expect(explanation,
		"[{'...': 0, 'no_measurement': 'wrong answer', 'measured': {'...': 0, 'ns': null,"
		"   'gflops': null, 'limited_by': null, 'attainable_gflops': null,"
		"   'status': 'failed'}}]");
}

/* One entry for each launch of the same variant. */
TEST(launches, "a plan of two launches")
{
	FINISHED(finish) struct explanation *explanation = bare("reduce", "interleaved");

	expect(explanation, "[{'...': 0, 'launch': {'...': 0, 'grid': [256, 1, 1]}},"
			    " {'...': 0, 'variant': 'interleaved',"
			    "  'launch': {'...': 0, 'grid': [1, 1, 1], 'index': 2, 'count': 2}}]");
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
	expect(explanation, "[{'...': 0, 'accesses': [{'...': 0, 'operand': 'A'},"
			    "  {'...': 0, 'operand': 'scratch 1'}]}, {'...': 0}]");
}
