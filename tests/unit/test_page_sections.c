/* Sections of the page with rates: rooflines and sweeps. */
#include "host/page/chart_layout.h"
#include "host/page/roofline_chart.h"
#include "host/page/sweep_chart.h"
#include "tests/support/made_page.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

/* ---- Rows ------------------------------------------------------------------------------------ */

static void set_floor(struct result_row *row, enum floor_resource resource, double ns, double share)
{
	row->derived.record.present = row->derived.floor.record.present = true;
	row->derived.limited_by = share >= 0.5 ? LIMITED_BY_MEMORY : LIMITED_BY_LATENCY;
	row->derived.floor.resource = (int)resource;
	row->derived.floor.ns = ns;
	row->derived.floor.share = share;
}

static void set_roofs(struct result_document *document, double copy, double f32)
{
	struct roofs_record *roofs = &document->devices.items[0].roofs;

	roofs->record.present = true;
	roofs->copy_gbps = copy;
	roofs->fma_gflops.record.present = true;
	roofs->fma_gflops.f32 = f32;
}

/* A row of `count` operations per byte, which takes twice its floor. */
static struct result_row *add_variant(struct result_document *document,
	const struct test_device *device, const char *variant, double count, double ns)
{
	struct result_row *row = test_row(document, device, variant, ns);

	test_row_work(row, 1e6 * count, 1e6, OPERATIONS_F32);
	set_floor(row, FLOOR_MEMORY, ns / 2, 0.5);
	return row;
}

/* ---- Charts ---------------------------------------------------------------------------------- */

static const struct chart_series *find_series(const struct chart *chart, const char *name)
{
	for (size_t i = 0; i < chart->series_count; i++)
		if (text_equal(chart->series[i].name, name))
			return &chart->series[i];
	test_fail("the chart has no series '%s'", name);
}

static const struct chart_point *only_point(const struct chart *chart, const char *series)
{
	const struct chart_series *found = find_series(chart, series);

	assert_int_equal(found->count, 1);
	return &found->points[0];
}

static size_t count_points(const struct chart *chart)
{
	size_t count = 0;

	for (size_t i = 0; i < chart->series_count; i++)
		count += chart->series[i].count;
	return count;
}

/* ---- Rooflines ------------------------------------------------------------------------------- */

static void make_roofline(struct made_page *made, struct chart *ret_chart, struct chart *ret_shares)
{
	struct side_rows rows;

	made_page_join(made);
	assert_true(side_rows_make(&made->page, &rows));
	assert_true(roofline_chart(&made->page, &rows, 0, ret_chart));
	assert_true(roofline_chart_shares(&made->page, &rows, 0, ret_shares));
	side_rows_finish(&rows);
}

static void roofline_values(const void *context)
{
	struct made_page made = {0};
	struct chart chart, shares;
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	set_roofs(document, 1000, 8000);
	add_variant(document, &test_gpu_a, "tiled", 2, 4000);
	make_roofline(&made, &chart, &shares);

	/* 2e6 operations and 1e6 bytes in 4000 ns; the floor is 2000 ns. */
	const struct chart_point *point = only_point(&chart, "limited by memory");
	test_near(point->x, 2, 1e-12);
	test_near(point->y, 500, 1e-9);
	assert_string_equal(point->name, "matmul");
	const struct chart_point *floor = only_point(&chart, "rate that the floor allows");
	assert_true(find_series(&chart, "rate that the floor allows") <
		    find_series(&chart, "limited by memory"));
	test_near(floor->x, 2, 1e-12);
	test_near(floor->y, 1000, 1e-9);
	test_near(floor->low, 500, 1e-9);
	test_near(floor->high, 1000, 1e-9);
	const struct chart_series *slope =
		find_series(&chart, "memory bandwidth (copy): 1000 GB/s");
	for (size_t i = 0; i < 2; i++)
		test_near(slope->points[i].y, 1000 * slope->points[i].x, 1e-9);
	test_near(slope->points[1].x, 8, 1e-12);
	const struct chart_series *roof = &chart.series[1];
	test_near(roof->points[0].x, 8, 1e-12);
	test_near(roof->points[1].y, 8000, 1e-9);
	assert_string_equal(roof->points[1].name, "f32 8.00 TFLOP/s");
	test_near(only_point(&shares, "limited by memory")->x, 50, 1e-9);
	assert_int_equal(shares.row_count, 1);
	chart_finish(&chart);
	chart_finish(&shares);
	made_page_finish(&made);
}

/* Only the fastest variant has the name of its family. The slower variant is limited by
 * latency. */
static void roofline_names(const void *context)
{
	struct made_page made = {0};
	struct chart chart, shares;
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	set_roofs(document, 1000, 8000);
	set_floor(add_variant(document, &test_gpu_a, "slow", 2, 9000), FLOOR_MEMORY, 900, 0.1);
	add_variant(document, &test_gpu_a, "tiled", 2, 4000);
	/* Faster, but it rounds its inputs to f16. */
	add_variant(document, &test_gpu_a, "f16-mma", 2, 3000)->derived.limited_by =
		LIMITED_BY_COMPUTE;
	make_roofline(&made, &chart, &shares);
	assert_null(only_point(&chart, "limited by latency or launch")->name);
	assert_null(only_point(&chart, "limited by arithmetic")->name);
	assert_string_equal(only_point(&chart, "limited by memory")->name, "matmul");
	assert_string_equal(only_point(&shares, "limited by memory")->name, "tiled");
	chart_finish(&chart);
	chart_finish(&shares);
	made_page_finish(&made);
}

/* Two roofs that are near share one name. */
static void roofline_near_roofs(const void *context)
{
	struct made_page made = {0};
	struct chart chart, shares;
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	set_roofs(document, 1000, 8000);
	document->devices.items[0].roofs.integer_gops = 7000;
	add_variant(document, &test_gpu_a, "tiled", 2, 4000)->work.operations = OPERATIONS_INTEGER;
	make_roofline(&made, &chart, &shares);
	assert_string_equal(chart.series[1].points[1].name, "f32 8.00, int 7.00 TFLOP/s");
	assert_null(chart.series[2].points[1].name);
	chart_finish(&chart);
	chart_finish(&shares);
	made_page_finish(&made);
}

/* The longest usual name of two roofs has space. */
static void roofline_all_named(const void *context)
{
	struct made_page made = {0};
	struct chart chart, shares;
	struct chart_layout layout;
	struct result_document *document = made_page_file(&made, &test_gpu_a);
	bool found = false;

	(void)context;
	set_roofs(document, 4321, 65542);
	struct roofs_record *roofs = &document->devices.items[0].roofs;
	roofs->fma_gflops.f64 = 32806;
	roofs->integer_gops = 24601;
	add_variant(document, &test_gpu_a, "a", 0.1, 4000);
	add_variant(document, &test_gpu_a, "b", 16, 4000)->work.operations = OPERATIONS_INTEGER;
	add_variant(document, &test_gpu_a, "c", 500, 4000)->work.operations = OPERATIONS_F64;
	make_roofline(&made, &chart, &shares);
	assert_true(chart_layout_make(&chart, &layout));
	for (size_t i = 0; i < layout.label_count; i++)
		found |= text_equal(layout.labels[i].text, "f64 32.8, int 24.6 TFLOP/s");
	assert_true(found);
	chart_layout_finish(&layout);
	chart_finish(&chart);
	chart_finish(&shares);
	made_page_finish(&made);
}

typedef void spoil_fn(struct result_document *document);

static void no_roofs(struct result_document *document)
{
	document->devices.items[0].roofs.record.present = false;
}

static void wrong_roofs(struct result_document *document)
{
	set_roofs(document, 0, -1);
}

static void no_memory_roof(struct result_document *document)
{
	set_roofs(document, NAN, 8000);
}

static void no_rate_roof(struct result_document *document)
{
	set_roofs(document, 1000, NAN);
}

static void no_flops(struct result_document *document)
{
	document->results.items[0].work.flops = 0;
}

static void unknown_flops(struct result_document *document)
{
	document->results.items[0].work.flops = NAN;
}

static void no_bytes(struct result_document *document)
{
	document->results.items[0].work.bytes_compulsory = 0;
}

static void no_floor(struct result_document *document)
{
	document->results.items[0].derived.floor.record.present = false;
}

static void zero_floor(struct result_document *document)
{
	document->results.items[0].derived.floor.ns = 0;
}

static void not_passed(struct result_document *document)
{
	document->results.items[0].status = OUTCOME_FAILED;
}

static void newer_limit(struct result_document *document)
{
	document->results.items[0].derived.limited_by = WORD_UNKNOWN;
}

static const struct spoiled_row {
	const char *name;
	spoil_fn *spoil;
	size_t points, shares; /* of the charts, those of roofs included */
} spoiled_rows[] = {
	{"nothing", NULL, 6, 1},
	{"roofs unknown", no_roofs, 0, 1},
	{"roofs not above 0", wrong_roofs, 0, 1},
	{"memory bandwidth unknown", no_memory_roof, 4, 1},
	{"rates of arithmetic unknown", no_rate_roof, 4, 1},
	{"no operations", no_flops, 0, 1},
	{"operations unknown", unknown_flops, 0, 1},
	{"no bytes", no_bytes, 0, 1},
	{"no floor", no_floor, 5, 0},
	{"a floor of 0 ns", zero_floor, 5, 0},
	{"wrong result", not_passed, 0, 0},
	{"a limit of a newer version", newer_limit, 6, 1},
};

static void roofline_spoiled(const void *context)
{
	const struct spoiled_row *row = context;
	struct made_page made = {0};
	struct chart chart, shares;
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	set_roofs(document, 1000, 8000);
	add_variant(document, &test_gpu_a, "tiled", 2, 4000);
	if (row->spoil)
		row->spoil(document);
	make_roofline(&made, &chart, &shares);
	assert_int_equal(count_points(&chart), row->points);
	assert_int_equal(count_points(&shares), row->shares);
	const char *text = made_page_write(&made, section_rooflines);
	assert_int_equal(made.parts.chart_count, (row->points > 0) + (row->shares > 0));
	assert_int_equal(*text != '\0', made.parts.chart_count > 0);
	chart_finish(&chart);
	chart_finish(&shares);
	made_page_finish(&made);
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

static void add_size(struct result_document *document, const char *variant, int64_t n)
{
	struct result_row *row = test_row(document, &test_gpu_a, variant, 1000);

	test_row_size(row, n);
	test_row_work(row, 10e6 * (double)n, 1e6 * (double)n, OPERATIONS_F32);
}

static void sweep_values(const void *context)
{
	struct made_page made = {0};
	struct side_rows rows;
	struct sweeps sweeps;
	struct chart chart;
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	document->devices.items[0].limits.record.present = true;
	document->devices.items[0].limits.cache_bytes = 2000000;
	/* The sizes are not in order, and "two" has only two sizes. */
	add_size(document, "tiled", 4);
	add_size(document, "tiled", 1);
	add_size(document, "tiled", 2);
	add_size(document, "two", 1);
	add_size(document, "two", 4);
	made_page_join(&made);
	assert_true(side_rows_make(&made.page, &rows));
	assert_true(sweeps_make(&rows, &sweeps));
	assert_int_equal(sweeps.count, 1);
	assert_true(sweep_chart(&made.page, &sweeps, 0, &chart));
	const struct chart_series *line = find_series(&chart, "tiled");
	assert_int_equal(line->count, 3);
	for (size_t i = 0; i < 3; i++) {
		test_near(line->points[i].x, 1 << i, 1e-12);
		test_near(line->points[i].y, 10000 << i, 1e-6);
		assert_true(line->points[i].low < line->points[i].y);
		assert_true(line->points[i].high > line->points[i].y);
	}
	assert_string_equal(chart.y.label, "GFLOP/s");
	assert_int_equal(chart.rule_count, 1);
	test_near(chart.rules[0].at, 2, 1e-12);
	assert_string_equal(chart.rules[0].name, "cache: 2.00 MB");
	chart_finish(&chart);
	sweeps_finish(&sweeps);
	side_rows_finish(&rows);
	test_text_has(made_page_write(&made, section_sweeps), "Rate by problem size");
	made_page_finish(&made);
}

static void sweep_odd(const void *context)
{
	struct made_page made = {0};
	struct result_document *document = made_page_file(&made, &test_gpu_a);

	(void)context;
	for (int i = 1; i <= 3; i++) {
		add_size(document, "unknown bytes", i);
		document->results.items[document->results.count - 1].work.bytes_compulsory = NAN;
		add_size(document, "equal bytes", i);
		document->results.items[document->results.count - 1].work.bytes_compulsory = 1e6;
		test_row_size(test_row(document, &test_gpu_a, "untimed", 0), i);
	}
	made_page_join(&made);
	assert_string_equal(made_page_write(&made, section_sweeps), "");
	made_page_finish(&made);
}

/* ---- All sections ---------------------------------------------------------------------------- */

static section_fn *const all_sections[] = {
	section_rooflines, section_parity, section_sweeps, section_claims, section_skipped};

/* A real file of one CPU, with a time for each row. */
static void real_file(const void *context)
{
	static const bool writes[] = {true, false, false, false, false};

	(void)context;
	for (size_t i = 0; i < sizeof all_sections / sizeof *all_sections; i++) {
		struct made_page made = {.files.count = 1};
		made.files.items[0].path = "matmul.json";
		result_example(&made.files.items[0].document);
		made_page_join(&made);
		assert_int_equal(*made_page_write(&made, all_sections[i]) != '\0', writes[i]);
		made_page_finish(&made);
	}
}

/* A side with another size has its size beside the name of its variant. */
static void against_sizes(const void *context)
{
	static const struct test_device *const devices[] = {
		&test_gpu_a, &test_gpu_b, &test_gpu_a_opencl};
	struct made_page made = {0};

	(void)context;
	for (size_t i = 0; i < 3; i++) {
		struct result_document *document = made_page_file(&made, devices[i]);
		struct result_row *row = add_variant(document, devices[i], "tiled", 10, 1000);
		row->derived.gflops = 10;
		test_row_size(row, i == 2 ? 4096 : 64);
	}
	made_page_join(&made);
	made_page_write(&made, section_against);
	assert_int_equal(made.parts.chart_count, 1);
	const struct chart *chart = &made.parts.charts[0];
	assert_int_equal(chart->series_count, 3);
	assert_string_equal(chart->series[0].points[0].name, "tiled");
	assert_string_equal(chart->series[1].points[0].name, "tiled");
	assert_string_equal(chart->series[2].points[0].name, "tiled, n=4096");
	assert_string_equal(chart->rows[0], "A");
	assert_string_equal(chart->rows[2], "C*");
	made_page_finish(&made);
}

static struct result_row *add_timed(struct result_document *document,
	const struct test_device *device, const char *variant, double rate)
{
	struct result_row *row = add_variant(document, device, variant, 10, 1e6 / rate);

	row->derived.gflops = row->derived.gbps = rate;
	return row;
}

/* A row that does not solve the problem of its family at full precision is not its fastest. */
static void against_solutions(const void *context)
{
	static const struct test_device *const devices[] = {&test_gpu_a, &test_gpu_b};
	struct made_page made = {0};

	(void)context;
	for (size_t i = 0; i < 2; i++) {
		struct result_document *document = made_page_file(&made, devices[i]);
		add_timed(document, devices[i], "best", 10);
		add_timed(document, devices[i], "f16-mma", 40);
		text_set(&add_timed(document, devices[i], "copy", 40)->family, "transpose");
		text_set(&add_timed(document, devices[i], "vector", 30)->family, "transpose");
		text_set(&add_timed(document, devices[i], "add", 40)->family, "instructions");
		text_set(&add_timed(document, devices[i], "fma", 30)->family, "instructions");
		struct result_row *untimed = test_row(document, devices[i], "fine", 0);
		text_set(&untimed->family, "vecadd");
		test_row_end(untimed, OUTCOME_SKIPPED, NULL);
	}
	made_page_join(&made);
	made_page_write(&made, section_against);
	assert_int_equal(made.parts.chart_count, 2);
	for (size_t side = 0; side < 2; side++) {
		assert_string_equal(made.parts.charts[0].series[side].points[0].name, "best");
		assert_string_equal(made.parts.charts[1].series[side].points[0].name, "vector");
	}
	made_page_finish(&made);
}

/* Each device has a row in f16, only the second one has a row in f32. */
static void against_types(const void *context)
{
	struct made_page made = {0};

	(void)context;
	for (size_t i = 0; i < 3; i++) {
		static const struct test_device *const devices[] = {
			&test_gpu_a, &test_gpu_b, &test_gpu_a_opencl};
		struct result_document *document = made_page_file(&made, devices[i]);
		struct result_row *row = add_timed(document, devices[i], "fine", 40);
		text_set(&row->family, "vecadd");
		text_set(&row->dtype, "f16");
		if (i > 0)
			text_set(&add_timed(document, devices[i], "fine", 20)->family, "vecadd");
	}
	made_page_join(&made);
	made_page_write(&made, section_against);
	assert_int_equal(made.parts.chart_count, 1);
	const struct chart *chart = &made.parts.charts[0];
	assert_int_equal(chart->series_count, 2);
	assert_string_equal(chart->rows[0], "B");
	test_near(chart->series[0].points[0].x, 20, 1e-9);
	made_page_finish(&made);
}

static void only_untimed(const void *context)
{
	(void)context;
	for (size_t i = 0; i + 1 < sizeof all_sections / sizeof *all_sections; i++) {
		struct made_page made = {0};
		struct result_document *document = made_page_file(&made, &test_gpu_a);
		test_row_end(test_row(document, &test_gpu_a, "a", 0), OUTCOME_SKIPPED, NULL);
		made_page_join(&made);
		assert_string_equal(made_page_write(&made, all_sections[i]), "");
		made_page_finish(&made);
	}
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, roofline_values, NULL, "roofline: values");
	test_add(&list, roofline_names, NULL, "roofline: names");
	test_add(&list, roofline_all_named, NULL, "roofline: all roofs are named");
	test_add(&list, roofline_near_roofs, NULL, "roofline: roofs that are near");
	for (size_t i = 0; i < sizeof spoiled_rows / sizeof *spoiled_rows; i++)
		test_add(&list, roofline_spoiled, &spoiled_rows[i], "roofline: %s",
			spoiled_rows[i].name);
	test_add(&list, sweep_values, NULL, "sweep: values");
	test_add(&list, sweep_odd, NULL, "sweep: fewer than three sizes");
	test_add(&list, real_file, NULL, "all: a real file");
	test_add(&list, against_sizes, NULL, "against: another size");
	test_add(&list, against_solutions, NULL, "against: solutions at full precision");
	test_add(&list, against_types, NULL, "against: f32, not f16");
	test_add(&list, only_untimed, NULL, "all: nothing is timed");
	return test_run(&list, argc, argv);
}
