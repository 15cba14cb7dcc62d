/* Certain floors: the judgement, the certain work, and the committed rows. No committed row is
 * suspect. */
#include "common/model/floor.h"
#include "host/record/document.h"
#include "host/suite/roofs.c"
#include "host/suite/suite.c"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

#include <glob.h>

/* ---- Judgement ------------------------------------------------------------------------------- */

#define MB 1e6

/* A device of 100 GB/s, 10 MB of cache, 1000 f32 operations per ns, launches of 1000 ns. */
static const struct floor_rates device_rates = {.launch_ns = 1000,
	.next_launch_ns = 500,
	.copy_gbps = 100,
	.read_gbps = 100,
	.l2_gbps = 1,
	.shared_gbps = 1,
	.gops = {[OPERATIONS_F32] = 1000, [OPERATIONS_INTEGER] = NAN},
	.cache_bytes = 10 * MB};

static const struct judge_row {
	const char *name;
	double read, written, f32, integer, ns;
	bool is_gpu, doubtful;
	int want;
} judge_rows[] = {
	{"an empty launch", .ns = 700, .is_gpu = true, .want = -1},
	{"half a launch", .ns = 500, .is_gpu = true, .want = FLOOR_LAUNCH},
	{"half a launch on a CPU", .ns = 500, .want = -1},
	{"data in the cache", .read = 10 * MB, .written = 10 * MB, .ns = 1000, .want = -1},
	/* 10 MB of 20 MB at 100 GB/s: 100 us */
	{"read from memory", .read = 20 * MB, .ns = 67e3, .is_gpu = true, .want = -1},
	{"read too fast", .read = 20 * MB, .ns = 66e3, .is_gpu = true, .want = FLOOR_MEMORY},
	{"the same with doubtful roofs", .read = 20 * MB, .ns = 66e3, .is_gpu = true,
		.doubtful = true, .want = -1},
	{"written too fast", .written = 20 * MB, .ns = 24e3, .want = FLOOR_MEMORY},
	{"the same on a doubtful CPU", .written = 20 * MB, .ns = 24e3, .doubtful = true,
		.want = -1},
	{"as fast as the roof", .f32 = 1e8, .ns = 1e5, .is_gpu = true, .want = -1},
	{"a closed form", .f32 = 1e8, .ns = 2000, .is_gpu = true, .want = FLOOR_COMPUTE},
	{"an unknown roof", .integer = 1e8, .ns = 2000, .is_gpu = true, .want = -1},
};

TEST_ROWS(judge, judge_rows, "time: %s", row->name)
{
	struct floor_work work = floor_work_unknown();

	work.bytes_read = row->read;
	work.bytes_written = row->written;
	work.operations[OPERATIONS_F32] = row->f32;
	work.operations[OPERATIONS_INTEGER] = row->integer;
	double margin = suspect_margin(row->is_gpu, row->doubtful), floor_ns = 0;
	EQUAL(suspect_floor(&work, &device_rates, row->ns, margin, &floor_ns), row->want);
	EQUAL(floor_ns > margin * row->ns, row->want >= 0);
}

/* ---- Work ------------------------------------------------------------------------------------ */

static const struct work_row {
	const char *family, *variant;
	int64_t dim[PMPP_MAX_DIMS];
	enum arithmetic_rules rules;
	double launches, read, written;
	enum operations operations;
	double count; /* NAN: not certain */
} work_rows[] = {
	{"vecadd", "fine", {1000}, 0, 1, 8000, 4000, OPERATIONS_F32, NAN},
	{"matmul", "naive", {10, 10, 10}, 0, 1, 800, 400, OPERATIONS_F32, NAN},
	{"matmul", "f16-tensor", {10, 10, 10}, 0, 1, 400, 400, OPERATIONS_TENSOR_F16, NAN},
	{"reduce", "sequential", {1000000}, 0, 3, 4e6, 4, OPERATIONS_F32, NAN},
	{"instructions", "add", {1000, 8}, 0, 1, 4000, 4000, OPERATIONS_F32, 32000},
	/* a compiler may combine the sums */
	{"instructions", "add", {1000, 8}, ARITHMETIC_OPENCL_RELAXED, 1, 4000, 4000, OPERATIONS_F32,
		NAN},
	{"instructions", "int-mul", {1000, 8}, 0, 1, 4000, 4000, OPERATIONS_INTEGER, 8000},
	/* without the test of CUDA's own division */
	{"instructions", "divide", {1000, 8}, ARITHMETIC_CUDA, 1, 4000, 4000, OPERATIONS_SPECIAL,
		16000},
	{"instructions", "global-table", {1000, 8}, 0, 1, 4000, 4000, OPERATIONS_INTEGER, NAN},
	{"divergence", "branchy", {1000}, 0, 1, 4000, 4000, OPERATIONS_INTEGER, 2 * 7 * 16000},
	{"occupancy", "warps128", {1000}, 0, 1, 4000, 4000, OPERATIONS_F32, 2 * 256 * 1000},
	{"occupancy", "coarse4", {1000}, 0, 1, 4000, 4000, OPERATIONS_F32, NAN},
	{"prefetch", "plain", {1000, 64}, 0, 1, 4000, 4000, OPERATIONS_F32, 128000},
};

TEST_ROWS(certain_work, work_rows, "certain work: %s/%s", row->family, row->variant)
{
	const struct family *family = family_find(row->family);
	const struct variant *variant = variant_find(family, row->variant);

	SOME(variant);
	const struct config config = config_default(variant);
	struct problem problem = problem_default(family);

	memcpy(problem.dim, row->dim, sizeof problem.dim);
	problem.rounding = variant->rounding;
	problem.arithmetic.rules = row->rules;
	struct floor_work work = config_certain(&config, &problem);
	CHECK(NEAR(work.launches, row->launches, 0), NEAR(work.bytes_read, row->read, 0),
		NEAR(work.bytes_written, row->written, 0));
	if (isnan(row->count))
		IS(isnan(work.operations[row->operations]));
	else
		test_near(work.operations[row->operations], row->count, 0);
}

/* ---- Launches --------------------------------------------------------------------------------- */

/* The time that each further launch adds is a slope. On a busy machine it can be far too large. */
TEST(busy_launches, "launches of a busy machine")
{
	static const struct timer_record timer = {
		.least_launch_ns = 1000, .next_launch_ns = 100000};
	const struct roofs_record roofs = roofs_unknown();
	const struct gpu_device_info info = {.type = GPU_TYPE_GPU};
	const struct family *family = family_find("vecadd");
	struct outcome outcome = {.config = config_default(variant_find(family, "fine")),
		.problem = problem_default(family)};

	outcome.row.timing.record.present = outcome.row.timing.hot.record.present = true;
	outcome.row.timing.primary = TIMING_HOT;
	outcome.row.timing.hot.median = 5000;
	NOT(derive_suspect(&outcome, &info, &roofs, &timer));
	outcome.row.timing.hot.median = 100;
	IS(derive_suspect(&outcome, &info, &roofs, &timer));
	/* Several launches. */
	family = family_find("reduce");
	outcome.config = config_default(variant_find(family, "sequential"));
	outcome.problem = problem_default(family);
	outcome.problem.dim[0] = 1000000;
	outcome.row.timing.hot.median = 5000;
	NOT(derive_suspect(&outcome, &info, &roofs, &timer));
	text_set(&outcome.row.reason, NULL);
}

/* ---- Committed rows -------------------------------------------------------------------------- */

static size_t choice_of(const char *word, const char *const *choices)
{
	size_t i = 0;

	while (choices[i] && strcmp(choices[i], text_or_empty(word)) != 0)
		i++;
	return choices[i] ? i : 0;
}

static struct problem problem_of(const struct family *family, const struct result_row *row)
{
	struct problem problem = problem_default(family);

	for (size_t i = 0; i < family->dim_count; i++)
		problem.dim[i] = named_list_get(&row->problem, family->dim_names[i], 1);
	for (size_t i = 0; i < family->dtype_count; i++)
		if (text_equal(row->dtype, dtype_info(family->dtypes[i])->name))
			problem.dtype = family->dtypes[i];
	problem.op = choice_of(row->op, family->ops);
	problem.data = choice_of(row->data, family->data);
	if (text_equal(row->backend, "cuda"))
		problem.arithmetic.rules = ARITHMETIC_CUDA;
	return problem;
}

static struct gpu_device_info info_of(
	const struct device_record *device, const struct view_record *view)
{
	struct gpu_device_info info = {
		.type = text_equal(device->type, "gpu") ? GPU_TYPE_GPU : GPU_TYPE_CPU,
		.limits = {.cache_bytes = (uint64_t)view->limits.cache_bytes,
			.global_bytes = (uint64_t)view->limits.global_bytes}};

	snprintf(info.name, sizeof info.name, "%s", text_or_empty(device->name));
	snprintf(info.vendor, sizeof info.vendor, "%s", text_or_empty(device->vendor));
	return info;
}

static const struct view_record *view_of(const struct result_document *document,
	const struct result_row *row, const struct device_record **ret_device)
{
	for (size_t d = 0; d < document->devices.count; d++) {
		const struct device_record *device = &document->devices.items[d];
		for (size_t v = 0; v < device->views.count && text_equal(device->key, row->device);
			v++)
			if (text_equal(device->views.items[v].backend, row->backend)) {
				*ret_device = device;
				return &device->views.items[v];
			}
	}
	return NULL;
}

/* Returns whether the row was judged. */
static bool judge_committed(const struct result_document *document, struct result_row *row)
{
	const struct family *family = family_find(text_or_empty(row->family));
	const struct variant *variant =
		family ? variant_find(family, text_or_empty(row->variant)) : NULL;
	const struct device_record *device = NULL;
	const struct view_record *view = view_of(document, row, &device);

	if (!variant || !view || !row->timing.record.present || row->status != OUTCOME_OK)
		return false;
	struct outcome outcome = {
		.row = *row, .config = config_default(variant), .problem = problem_of(family, row)};
	outcome.problem.rounding = variant->rounding;
	for (size_t i = 0; variant->macros[i].name; i++)
		outcome.config.value[i] = (int)named_list_get(
			&row->macros, variant->macros[i].name, outcome.config.value[i]);
	const struct roofs_record *roofs =
		view->roofs.record.present ? &view->roofs : &device->roofs;
	const struct timer_record *timer =
		view->timer.record.present ? &view->timer : &device->timer;
	const struct gpu_device_info info = info_of(device, view);
	bool suspect = derive_suspect(&outcome, &info, roofs, timer);
	*row = outcome.row; /* the reason is the row's */
	if (suspect)
		test_fail("%s/%s: %s", row->family, row->variant, row->reason);
	return true;
}

static size_t judge_file(const char *path)
{
	struct result_document document;
	size_t judged = 0;

	if (result_example_load(path, &document, &test_error) != PMPP_OK) {
		pmpp_error_clear(&test_error);
		return 0;
	}
	for (size_t i = 0; i < document.results.count; i++)
		judged += judge_committed(&document, &document.results.items[i]);
	record_finish(&result_document_type, &document);
	return judged;
}

#define FOLDERS 3 /* below docs/results */
#define JUDGED 3000

TEST(committed, "no committed row is suspect")
{
	static const char *const patterns[FOLDERS] = {"/*.json", "/*/*.json", "/*/*/*.json"};
	size_t judged = 0;

	for (size_t p = 0; p < FOLDERS; p++) {
		char pattern[512];
		glob_t found;

		snprintf(pattern, sizeof pattern, PMPP_SOURCE_ROOT "/docs/results%s", patterns[p]);
		if (glob(pattern, 0, NULL, &found) != 0)
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++)
			judged += judge_file(found.gl_pathv[i]);
		globfree(&found);
	}
	test_note("%zu rows", judged);
	IS(judged > JUDGED);
}
