/* A machine compared with itself: floors and verdicts of simulated runs, and the cache of floors.
 */
#include "host/compare/self.h"
#include "host/record/noise_cache.h"
#include "tests/support/result_files.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Simulated runs -------------------------------------------------------------------------- */

#define VARIANTS 20
#define MAX_RUNS 40

/* VARIANTS variants with medians around 1000 ns. */
static void simulate(struct test_files *files, const struct test_device *device, double sd,
	size_t runs, uint64_t seed)
{
	struct result_document *document = test_file(files, "x", "host", NULL);

	test_file_device(document, device);
	for (uint64_t v = 0; v < VARIANTS; v++) {
		double medians_ns[MAX_RUNS];
		char name[32];
		for (uint64_t i = 0; i < runs; i++)
			medians_ns[i] = 1000 * exp(sd * simulate_normal(seed, v, i));
		snprintf(name, sizeof name, "v%u", (unsigned)v);
		test_runs(document, device, name, medians_ns, runs);
	}
}

/* FAST and SLOW need an interval of 99 %, so that at most 1 % of the pairs are wrong for any noise.
 */
static const struct simulated_row {
	const char *name;
	const struct test_device *device;
	double sd;
	size_t runs, repetitions;
	size_t min_same, max_wrong; /* percent of the pairs; wrong: FAST or SLOW */
} simulated_rows[] = {
	{"a GPU, 10 runs", &test_gpu_a, 0.002, 10, 1, 90, 1},
	{"a quiet GPU, 10 runs", &test_gpu_a, 0.0005, 10, 1, 100, 1},
	{"a noisy GPU, 10 runs", &test_gpu_a, 0.01, 10, 1, 0, 1},
	{"a GPU, 8 runs of 3 processes", &test_gpu_a, 0.002, 8, 3, 95, 1},
	{"a CPU, 10 runs of 3 processes", &test_cpu, 0.05, 10, 3, 60, 1},
	{"a noisy CPU, 10 runs of 3 processes", &test_cpu, 0.2, 10, 3, 0, 1},
};

static void simulated(const void *context)
{
	const struct simulated_row *row = context;
	struct test_files files = {0};

	simulate(&files, row->device, row->sd, row->runs * row->repetitions, 7);
	struct self_families families =
		self_compare(&files.items[0].document, row->runs, row->repetitions, NAN);
	assert_int_equal(families.count, 1);
	const struct self_family *family = &families.items[0];
	size_t pairs = VARIANTS * row->runs * (row->runs - 1) / 2;
	size_t wrong = family->verdicts[VERDICT_FAST] + family->verdicts[VERDICT_SLOW];
	test_note("floor %.4f (true %.4f); SAME %zu, AMBG %zu, FAST or SLOW %zu of %zu",
		family->floor.sd, row->sd, family->verdicts[VERDICT_SAME],
		family->verdicts[VERDICT_AMBG], wrong, pairs);
	assert_string_equal(family->family, "matmul");
	assert_string_equal(family->backend, row->device->backend);
	assert_string_equal(family->device, row->device->key);
	assert_int_equal(family->pairs, pairs);
	assert_int_equal(
		family->verdicts[VERDICT_SAME] + family->verdicts[VERDICT_AMBG] + wrong, pairs);
	assert_true(family->floor.sd > 0.8 * row->sd && family->floor.sd < 1.25 * row->sd);
	assert_true(wrong * 100 <= row->max_wrong * pairs);
	assert_true(family->verdicts[VERDICT_SAME] * 100 >= row->min_same * pairs);
	assert_int_equal(family->variant_count, VARIANTS);
	for (size_t v = 0; v < VARIANTS; v++) {
		assert_true(family->variants[v].floor.sd > 0.5 * row->sd);
		assert_true(family->variants[v].floor.sd < 2 * row->sd);
	}
	self_families_finish(&families);
	test_files_finish(&files);
}

/* The noise is ten times the default. Fewer than 6 runs are compared with the default floor, 6 or
 * more with their own floors. */
static void few_runs(const void *context)
{
	static const size_t counts[] = {2, 5, 6};

	(void)context;
	for (size_t i = 0; i < 3; i++) {
		struct test_files files = {0};
		simulate(&files, &test_gpu_a, 0.02, counts[i], 3);
		struct self_families families =
			self_compare(&files.items[0].document, counts[i], 1, NAN);
		const struct self_family *family = &families.items[0];
		size_t wrong = family->verdicts[VERDICT_FAST] + family->verdicts[VERDICT_SLOW];
		test_note("%zu runs: FAST or SLOW %zu of %zu", counts[i], wrong, family->pairs);
		assert_int_equal(wrong * 10 > family->pairs, counts[i] < SELF_MIN_RUNS);
		test_near(family->used_default.sd, 0.002, 0);
		assert_true(family->floor.sd > 0.01);
		self_families_finish(&families);
		test_files_finish(&files);
	}
}

/* In run 1 the processes differ by far more than in the other runs, and are 4 % slower on average.
 * One variant has equal times there by chance. The spread within the run raises its floor too,
 * so that no pair is FAST or SLOW. */
static void spread_of_run(const void *context)
{
	struct test_files files = {0};
	const size_t runs = 8, repetitions = 3;

	(void)context;
	simulate(&files, &test_gpu_a, 0.0005, runs * repetitions, 11);
	for (size_t v = 0; v < VARIANTS; v++)
		for (size_t i = 0; i < repetitions; i++)
			files.items[0]
				.document.results.items[v]
				.repetitions.runs.items[repetitions + i]
				.cold.median *= v ? (const double[]){0.94, 1.04, 1.14}[i] : 1.04;
	struct self_families families =
		self_compare(&files.items[0].document, runs, repetitions, NAN);
	const struct self_family *family = &families.items[0];
	test_note("FAST %zu, SLOW %zu of %zu", family->verdicts[VERDICT_FAST],
		family->verdicts[VERDICT_SLOW], family->pairs);
	assert_int_equal(family->verdicts[VERDICT_FAST] + family->verdicts[VERDICT_SLOW], 0);
	assert_true(family->verdicts[VERDICT_AMBG] > 0);
	self_families_finish(&families);
	test_files_finish(&files);
}

/* One run of ten is 5 % slower, in all variants. The floor for a pair with this run is measured
 * without the run, so the pair is SLOW or FAST. */
static void leave_pair_out(const void *context)
{
	struct test_files files = {0};

	(void)context;
	simulate(&files, &test_gpu_a, 0.0005, 10, 5);
	for (size_t v = 0; v < VARIANTS; v++)
		files.items[0].document.results.items[v].repetitions.runs.items[4].cold.median *=
			1.05;
	struct self_families families = self_compare(&files.items[0].document, 10, 1, NAN);
	const struct self_family *family = &families.items[0];
	assert_int_equal(family->verdicts[VERDICT_FAST], VARIANTS * 5);
	assert_int_equal(family->verdicts[VERDICT_SLOW], VARIANTS * 4);
	self_families_finish(&families);
	test_files_finish(&files);
}

/* A variant that lacks a run and a variant that failed are left out. A tolerance sets the
 * limits. */
static void incomplete(const void *context)
{
	struct test_files files = {0};

	(void)context;
	simulate(&files, &test_gpu_a, 0.002, 10, 1);
	struct result_row_list *results = &files.items[0].document.results;
	results->items[0].repetitions.runs.items[9].primary = TIMING_HOT;
	test_row_end(&results->items[1], OUTCOME_FAILED, "wrong");
	struct self_families families = self_compare(&files.items[0].document, 10, 1, 1);
	assert_int_equal(families.items[0].variant_count, VARIANTS - 2);
	assert_int_equal(families.items[0].pairs, (VARIANTS - 2) * 45);
	assert_int_equal(families.items[0].verdicts[VERDICT_SAME], (VARIANTS - 2) * 45);
	self_families_finish(&families);
	for (size_t v = 0; v < VARIANTS; v++)
		results->items[v].status = OUTCOME_FAILED;
	families = self_compare(&files.items[0].document, 10, 1, NAN);
	assert_int_equal(families.count, 1);
	assert_int_equal(families.items[0].variant_count, 0);
	assert_int_equal(families.items[0].pairs, 0);
	self_families_finish(&families);
	test_files_finish(&files);
}

/* Families, backends and devices are kept apart. */
static void several_families(const void *context)
{
	static const double runs[] = {1000, 1001};
	struct test_files files = {0};

	(void)context;
	struct result_document *document = test_file(&files, "x", "host", NULL);
	test_file_device(document, &test_gpu_a);
	test_file_device(document, &test_cpu);
	test_runs(document, &test_gpu_a, "a", runs, 2);
	test_runs(document, &test_cpu, "a", runs, 2);
	text_set(&test_runs(document, &test_gpu_a, "b", runs, 2)->family, "reduce");
	test_runs(document, &test_gpu_a, "b", runs, 2);
	struct self_families families = self_compare(document, 2, 1, NAN);
	assert_int_equal(families.count, 3);
	assert_int_equal(families.items[0].variant_count, 2);
	assert_int_equal(families.items[1].variant_count, 1);
	test_near(families.items[1].used_default.sd, 0.05, 0);
	assert_string_equal(families.items[2].family, "reduce");
	self_families_finish(&families);
	test_files_finish(&files);
}

/* ---- The cache of floors --------------------------------------------------------------------- */

#define KEY "uuid:aaaaaaaa-0000"

static const char *fresh_cache(void)
{
	const char *folder = test_folder();

	setenv("XDG_CACHE_HOME", folder, 1);
	unsetenv("PMPP_NO_CACHE");
	return folder;
}

static void add_floor(struct noise_list *list, const char *family, const char *variant, double sd)
{
	struct noise_record *noise = record_list_add(&noise_type, list);

	assert_non_null(noise);
	text_set(&noise->backend, "cuda");
	text_set(&noise->family, family);
	text_set(&noise->variant, variant);
	text_set(&noise->measured_utc, "2026-11-22T10:00:00Z");
	text_set(&noise->dtype, "f32");
	text_set(&noise->data, "random");
	named_list_add(&noise->problem, "n", 64);
	noise->runs = 10;
	noise->sd = sd;
	noise->dof = 9;
}

static void finish_floors(struct noise_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		record_finish(&noise_type, &list->items[i]);
	free(list->items);
	*list = (struct noise_list){0};
}

/* The floor of a variant with n = 64. */
static double floor_of(
	const struct device_record *device, const char *family, const char *variant, int64_t n)
{
	struct result_row row;
	bool measured;

	record_init(&result_row_type, &row);
	text_set(&row.backend, "cuda");
	text_set(&row.family, family);
	text_set(&row.variant, variant);
	text_set(&row.dtype, "f32");
	text_set(&row.data, "random");
	named_list_add(&row.problem, "n", n);
	double sd = result_row_noise(&row, device, &measured).sd;
	record_finish(&result_row_type, &row);
	return sd;
}

/* The floor of a variant in the cache; the default if there is none. */
static double loaded(const char *key, const char *family, const char *variant)
{
	struct device_record device;

	record_init(&device_type, &device);
	text_set(&device.key, key);
	text_set(&device.type, "gpu");
	noise_cache_load(&device);
	double sd = floor_of(&device, family, variant, 64);
	record_finish(&device_type, &device);
	return sd;
}

static void store_and_load(const void *context)
{
	struct noise_list list = {0};

	(void)context;
	fresh_cache();
	test_near(loaded(KEY, "matmul", "tiled"), 0.002, 0);
	add_floor(&list, "matmul", NULL, 0.01);
	add_floor(&list, "matmul", "tiled", 0.02);
	noise_cache_store(KEY, &list);
	finish_floors(&list);
	test_near(loaded(KEY, "matmul", "tiled"), 0.02, 0);
	test_near(loaded(KEY, "matmul", "naive"), 0.01, 0);
	test_near(loaded(KEY, "reduce", "tiled"), 0.002, 0);
	test_near(loaded("uuid:other", "matmul", "tiled"), 0.002, 0);
	add_floor(&list, "matmul", "tiled", 0.03);
	add_floor(&list, "reduce", NULL, 0.04);
	noise_cache_store(KEY, &list);
	finish_floors(&list);
	test_near(loaded(KEY, "matmul", "tiled"), 0.03, 0);
	test_near(loaded(KEY, "matmul", "naive"), 0.01, 0);
	test_near(loaded(KEY, "reduce", "any"), 0.04, 0);
}

/* Floors that a device already has are not replaced. */
static void own_floors(const void *context)
{
	struct noise_list list = {0};
	struct device_record device;

	(void)context;
	fresh_cache();
	add_floor(&list, "matmul", NULL, 0.01);
	noise_cache_store(KEY, &list);
	finish_floors(&list);
	record_init(&device_type, &device);
	text_set(&device.key, KEY);
	add_floor(&device.noise, "matmul", NULL, 0.5);
	noise_cache_load(&device);
	test_near(floor_of(&device, "matmul", "x", 64), 0.5, 0);
	/* Another size has another floor. */
	test_near(floor_of(&device, "matmul", "x", 128), noise_floor_default(NULL).sd, 0);
	assert_int_equal(device.noise.count, 1);
	record_finish(&device_type, &device);
}

#define FLOOR(sd, dof)                                                              \
	"{\"backend\":\"cuda\",\"family\":\"matmul\",\"sd\":" sd ",\"dof\":" dof    \
	",\"dtype\":\"f32\",\"op\":null,\"data\":\"random\",\"problem\":{\"n\":64}" \
	",\"runs\":10,\"measured_utc\":\"\"}"
#define NOISE_FILE(schema, key, floors) \
	"{\"schema\":\"" schema "\",\"device\":\"" key "\",\"noise\":[" floors "]}"

static const struct hostile_row {
	const char *name, *text;
	double sd;
} hostile_rows[] = {
	{"a good file", NOISE_FILE("pmpp-noise/1", KEY, FLOOR("0.5", "9")), 0.5},
	{"empty", "", 0.002},
	{"no JSON",
		"\x7f"
		"ELF",
		0.002},
	{"cut off", "{\"schema\":\"pmpp-noise/1\",\"device\":", 0.002},
	{"another schema", NOISE_FILE("pmpp-result/1", KEY, FLOOR("0.5", "9")), 0.002},
	{"a newer schema", NOISE_FILE("pmpp-noise/2", KEY, FLOOR("0.5", "9")), 0.002},
	{"another device", NOISE_FILE("pmpp-noise/1", "uuid:x", FLOOR("0.5", "9")), 0.002},
	{"negative noise", NOISE_FILE("pmpp-noise/1", KEY, FLOOR("-1", "9")), 0.002},
	{"no noise at all", NOISE_FILE("pmpp-noise/1", KEY, FLOOR("0", "9")), 0.002},
	{"unknown noise", NOISE_FILE("pmpp-noise/1", KEY, FLOOR("null", "9")), 0.002},
	{"infinite noise", NOISE_FILE("pmpp-noise/1", KEY, FLOOR("1e999", "9")), 0.002},
	{"too few degrees of freedom", NOISE_FILE("pmpp-noise/1", KEY, FLOOR("0.5", "0.5")), 0.002},
	{"a text for a number", NOISE_FILE("pmpp-noise/1", KEY, FLOOR("\"a\"", "9")), 0.002},
	{"floors that are not a list",
		"{\"schema\":\"pmpp-noise/1\",\"device\":\"" KEY "\",\"noise\":{}}", 0.002},
};

/* Writes a file in place of the one that a store made. */
static void hostile(const void *context)
{
	const struct hostile_row *row = context;
	char path[700] = "", folder[400];
	struct noise_list list = {0};

	snprintf(folder, sizeof folder, "%s/pmpp/noise", fresh_cache());
	add_floor(&list, "matmul", NULL, 0.01);
	noise_cache_store(KEY, &list);
	DIR *directory = opendir(folder);
	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory));)
		if (entry->d_name[0] != '.')
			snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
	closedir(directory);
	FILE *file = fopen(path, "w"); /* keeps the mode, which is trusted */
	assert_non_null(file);
	fputs(row->text, file);
	fclose(file);
	test_near(loaded(KEY, "matmul", "tiled"), row->sd, 0);
	noise_cache_store(KEY, &list); /* a damaged file is replaced */
	test_near(loaded(KEY, "matmul", "tiled"), 0.01, 0);
	finish_floors(&list);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof simulated_rows / sizeof *simulated_rows; i++)
		test_add(&list, simulated, &simulated_rows[i], "simulated: %s",
			simulated_rows[i].name);
	test_add(&list, few_runs, NULL, "few runs use the default");
	test_add(&list, spread_of_run, NULL, "the spread within a run raises its floors");
	test_add(&list, leave_pair_out, NULL, "the floor of a pair is measured without the pair");
	test_add(&list, incomplete, NULL, "incomplete variants; a tolerance");
	test_add(&list, several_families, NULL, "families, backends and devices");
	test_add(&list, store_and_load, NULL, "cache: stored and loaded");
	test_add(&list, own_floors, NULL, "cache: a device with floors");
	for (size_t i = 0; i < sizeof hostile_rows / sizeof *hostile_rows; i++)
		test_add(&list, hostile, &hostile_rows[i], "cache: %s", hostile_rows[i].name);
	return test_run(&list, argc, argv);
}
