/* Shapes of devices from the reports of their drivers. */
#include "common/model/access_model.h"
#include "common/model/opencl_report.h"
#include "tests/support/test.h"

#include <stdint.h>

#define KIB 1024
#define MIB (1024 * KIB)
#define NO NOT_REPORTED
#define UNKNOWN (-1)

/* A report and the values that follow. The numbers of a report that a row does not name are
 * NOT_REPORTED: fill() replaces 0 by it, and ZERO stands for 0. */
#define ZERO INT64_MIN
static const struct report_row {
	const char *name;
	struct opencl_report report;
	struct {
		enum shape_id id;
		int64_t value;
	} want[SHAPE_COUNT]; /* UNKNOWN; FALSE: 0; the others are not checked */
	const char *unit, *model;
	size_t widths;
} report_rows[] = {
#define FALSE (-2)
	{"RX 7900 XTX, ROCm",
		{"AMD Accelerated Parallel Processing", .vendor = "Advanced Micro Devices, Inc.",
			.name = "gfx1100", .board = "Radeon RX 7900 XTX", .is_gpu = true,
			.compute_units = 48, .clock_mhz = 2526, .block_threads = 256,
			.local_bytes = 64 * KIB, .local_type = 1, .line_bytes = 64,
			.cache_bytes = 32 * KIB, .memory_bytes = 25753026560, .unified = ZERO,
			.fp64_config = 63, .timer_ns = 1, .amd_wavefront = 32,
			.amd_block_threads = 1024, .amd_simds = 4, .amd_banks = 32,
			.extensions = "cl_khr_subgroups cl_khr_fp16"},
		{{SHAPE_LANES, 32}, {SHAPE_LINE, 128}, {SHAPE_SECTOR, 128}, {SHAPE_BANKS, 32},
			{SHAPE_BLOCK_THREADS, 1024}, {SHAPE_UNITS, 48}, {SHAPE_UNIT_THREADS, 2048},
			{SHAPE_L2, 6 * MIB}, {SHAPE_LAST_CACHE, 96 * MIB}, {SHAPE_UNIFIED, FALSE},
			{SHAPE_FP16, 1}, {SHAPE_SHUFFLE, FALSE}, {SHAPE_SUB_GROUP_REDUCE, 1},
			{SHAPE_TIMER, UNKNOWN}, {SHAPE_CLOCK, 2526}, {SHAPE_SHARED_ON_CHIP, 1}},
		"work-group processor", "gfx1100", 2},
	{"the same in CU mode",
		{NULL, .vendor = "Advanced Micro Devices, Inc.", .name = "gfx1100", .is_gpu = true,
			.compute_units = 96, .amd_wavefront = 32, .amd_simds = 2},
		{{SHAPE_UNITS, 48}, {SHAPE_BLOCK_THREADS, UNKNOWN}}, "work-group processor",
		"gfx1100", 2},
	{"MI250X, ROCm",
		{NULL, .vendor = "Advanced Micro Devices, Inc.", .name = "gfx90a:sramecc+:xnack-",
			.board = "", .is_gpu = true, .compute_units = 110, .clock_mhz = 1700,
			.cache_bytes = 16 * KIB, .memory_bytes = 68702699520, .timer_ns = 1},
		{{SHAPE_LANES, 64}, {SHAPE_LINE, 128}, {SHAPE_UNITS, 110}, {SHAPE_L2, 8 * MIB},
			{SHAPE_FP64, UNKNOWN}},
		"compute unit", "gfx90a", 1},
	{"RX 6700 XT, rusticl",
		{"rusticl", .vendor = "AMD",
			.name = "AMD Radeon RX 6700 XT (navi22, LLVM 15.0.7, DRM 3.54)",
			.is_gpu = true, .compute_units = 40, .clock_mhz = 2800,
			.block_threads = 1024, .local_bytes = 64 * KIB, .local_type = 2,
			.line_bytes = ZERO, .cache_bytes = ZERO, .memory_bytes = 12884901888,
			.unified = ZERO, .fp64_config = ZERO, .timer_ns = ZERO, .native_floats = 1},
		{{SHAPE_LANES, 32}, {SHAPE_LINE, 128}, {SHAPE_UNITS, 20}, {SHAPE_SHARED_ON_CHIP, 1},
			{SHAPE_FP64, FALSE}, {SHAPE_TIMER, UNKNOWN}, {SHAPE_LAST_CACHE, 96 * MIB},
			{SHAPE_CLOCK, 2800}},
		"work-group processor", "gfx1031", 2},
	{"Arc A770, NEO",
		{"Intel(R) OpenCL Graphics", .vendor = "Intel(R) Corporation",
			.name = "Intel(R) Arc(TM) A770 Graphics", .is_gpu = true,
			.compute_units = 512, .clock_mhz = 2400, .block_threads = 1024,
			.local_bytes = 64 * KIB, .local_type = 1, .line_bytes = 64,
			.cache_bytes = 16 * MIB, .memory_bytes = 16225243136, .unified = ZERO,
			.fp64_config = ZERO, .timer_ns = 52, .sub_groups = {8, 16, 32},
			.sub_group_count = 3,
			.extensions = "cl_khr_subgroup_shuffle_relative cl_intel_subgroups"},
		{{SHAPE_LANES, 16}, {SHAPE_UNITS, 32}, {SHAPE_UNIT_THREADS, 2048},
			{SHAPE_L2, 16 * MIB}, {SHAPE_SHUFFLE, 1}, {SHAPE_SUB_GROUP_REDUCE, 1},
			{SHAPE_FP64, FALSE}, {SHAPE_TIMER, 52}},
		"Xe core", "xe-hpg", 3},
	{"Iris Xe, old NEO",
		{NULL, .vendor = "Intel(R) Corporation", .name = "Intel(R) Graphics [0x46a6]",
			.is_gpu = true, .compute_units = 96, .clock_mhz = ZERO,
			.cache_bytes = 2949120, .unified = 1, .intel_eus = 16},
		{{SHAPE_LANES, 16}, {SHAPE_UNITS, 6}, {SHAPE_CLOCK, UNKNOWN}, {SHAPE_L2, 2949120},
			{SHAPE_UNIFIED, 1}},
		"dual sub-slice", "xe-lp", 3},
	{"PVC",
		{NULL, .vendor = "Intel(R) Corporation",
			.name = "Intel(R) Data Center GPU Max 1100", .is_gpu = true,
			.compute_units = 448, .sub_groups = {32, 16}, .sub_group_count = 2},
		{{SHAPE_LANES, 16}, {SHAPE_UNITS, 56}}, "Xe core", "xe-hpc", 2},
	{"Apple M1 Max",
		{"Apple", .vendor = "Apple", .name = "Apple M1 Max", .is_gpu = true,
			.compute_units = 32, .clock_mhz = 1000, .block_threads = 256,
			.local_bytes = 32 * KIB, .local_type = 1, .cache_bytes = ZERO,
			.memory_bytes = 51539607552, .unified = 1, .fp64_config = ZERO,
			.timer_ns = 1000},
		{{SHAPE_LANES, 32}, {SHAPE_LINE, 128}, {SHAPE_UNITS, 32},
			{SHAPE_BLOCK_THREADS, 256}, {SHAPE_CLOCK, UNKNOWN}, {SHAPE_TIMER, 1000},
			{SHAPE_LAST_CACHE, UNKNOWN}},
		"core", "apple-m1", 1},
	{"Mali-G610",
		{"ARM Platform", .vendor = "ARM", .name = "Mali-LODX r0p0", .is_gpu = true,
			.compute_units = 4, .clock_mhz = 1000, .local_type = 2, .line_bytes = 64,
			.cache_bytes = MIB, .unified = 1},
		{{SHAPE_LANES, 16}, {SHAPE_SHARED_ON_CHIP, FALSE}, {SHAPE_CLOCK, 1000},
			{SHAPE_L2, MIB}, {SHAPE_UNITS, 4}},
		"shader core", "mali-g77", 1},
	{"Adreno 650",
		{NULL, .vendor = "QUALCOMM", .name = "QUALCOMM Adreno(TM)",
			.version = "OpenCL 2.0 Adreno(TM) 650", .is_gpu = true, .compute_units = 3,
			.clock_mhz = 1, .local_type = 1, .cache_bytes = 128 * KIB},
		{{SHAPE_LANES, 128}, {SHAPE_CLOCK, UNKNOWN}, {SHAPE_L2, UNKNOWN}, {SHAPE_UNITS, 3}},
		"shader processor", "adreno", 2},
	{"GTX 1080",
		{NULL, .vendor = "NVIDIA Corporation", .name = "GeForce GTX 1080", .arch = "sm_61",
			.is_gpu = true, .compute_units = 20, .clock_mhz = 1733,
			.cache_bytes = 960 * KIB, .line_bytes = 128, .nv_warp = 32,
			.timer_ns = 1000},
		{{SHAPE_LANES, 32}, {SHAPE_SECTOR, 32}, {SHAPE_UNIT_THREADS, UNKNOWN},
			{SHAPE_L2, UNKNOWN}, {SHAPE_LAST_CACHE, UNKNOWN}, {SHAPE_SHUFFLE, 1},
			{SHAPE_SUB_GROUP_REDUCE, FALSE}},
		"multiprocessor", NULL, 1},
	{"B200, OpenCL",
		{NULL, .vendor = "NVIDIA Corporation", .name = "NVIDIA B200", .arch = "sm_100",
			.is_gpu = true, .compute_units = 148, .cache_bytes = 4736 * KIB,
			.nv_warp = 32},
		{{SHAPE_L2, 127 * MIB}, {SHAPE_UNIT_THREADS, 2048}}, "multiprocessor", "sm_100", 1},
	{"PoCL on a CPU of AMD",
		{"Portable Computing Language", .vendor = "AuthenticAMD",
			.name = "cpu-znver3-AMD Ryzen", .is_cpu = true, .compute_units = 64,
			.native_floats = 8, .local_type = 2, .line_bytes = 64,
			.cache_bytes = 16 * MIB, .host_cache_bytes = ZERO, .timer_ns = 1},
		{{SHAPE_LANES, 8}, {SHAPE_LINE, 64}, {SHAPE_SHARED_ON_CHIP, FALSE},
			{SHAPE_LAST_CACHE, 16 * MIB}, {SHAPE_TIMER, 1}, {SHAPE_L2, UNKNOWN}},
		NULL, NULL, 0},
	{"Intel's OpenCL on a CPU",
		{"Intel(R) OpenCL", .vendor = "Intel(R) Corporation",
			.name = "Intel(R) Arc(TM) A770 in the name of a CPU", .is_cpu = true,
			.native_floats = 16, .cache_bytes = MIB, .host_cache_bytes = 32 * MIB,
			.sub_groups = {4, 8, 16, 32, 64}, .sub_group_count = 5},
		{{SHAPE_LANES, 16}, {SHAPE_LAST_CACHE, 32 * MIB}}, NULL, NULL, 5},
	{"a driver that reports more cache than the system has",
		{"Portable Computing Language", .vendor = "AuthenticAMD", .name = "cpu-AMD EPYC",
			.is_cpu = true, .cache_bytes = 256 * MIB, .host_cache_bytes = 32 * MIB},
		{{SHAPE_LAST_CACHE, 32 * MIB}}, NULL, NULL, 0},
	{"llvmpipe",
		{"rusticl", .vendor = "Mesa", .name = "llvmpipe", .is_cpu = true,
			.native_floats = 1, .local_type = 2, .clock_mhz = 300},
		{{SHAPE_LANES, UNKNOWN}, {SHAPE_SHARED_ON_CHIP, FALSE}}, NULL, NULL, 0},
	{"an unknown GPU, one width",
		{NULL, .vendor = "Some Vendor", .name = "X1", .is_gpu = true, .compute_units = 7,
			.sub_groups = {16}, .sub_group_count = 1, .block_threads = 192},
		{{SHAPE_LANES, 16}, {SHAPE_UNITS, 7}, {SHAPE_BLOCK_THREADS, 192}}, NULL, NULL, 1},
	{"an unknown GPU, several widths",
		{NULL, .vendor = "Some Vendor", .name = "X2", .is_gpu = true,
			.sub_groups = {64, 32, 48, 0}, .sub_group_count = 4, .native_floats = 1},
		{{SHAPE_LANES, UNKNOWN}, {SHAPE_UNITS, UNKNOWN}}, NULL, NULL, 2},
	{"nothing reported", {.is_gpu = true}, {{SHAPE_LANES, UNKNOWN}, {SHAPE_SECTOR, UNKNOWN}},
		NULL, NULL, 0},
	{"nonsense",
		{"\xff", .vendor = "", .name = "", .is_gpu = true, .compute_units = ZERO,
			.clock_mhz = INT64_MAX, .line_bytes = -7, .local_type = 77,
			.cache_bytes = INT64_MAX, .memory_bytes = ZERO, .nv_warp = 33,
			.amd_wavefront = 1 << 20, .intel_eus = 1000000, .timer_ns = ZERO,
			.sub_groups = {SIZE_MAX, 0, 3}, .sub_group_count = 3},
		{{SHAPE_LANES, UNKNOWN}, {SHAPE_LINE, UNKNOWN}, {SHAPE_UNITS, UNKNOWN},
			{SHAPE_SHARED_ON_CHIP, UNKNOWN}, {SHAPE_TIMER, UNKNOWN}},
		NULL, NULL, 0},
};

/* Numbers of the row: 0 becomes NOT_REPORTED, ZERO becomes 0. */
static struct opencl_report fill(const struct opencl_report *row)
{
	struct opencl_report report = *row;
	int64_t *numbers[] = {&report.compute_units, &report.clock_mhz, &report.block_threads,
		&report.local_bytes, &report.local_type, &report.line_bytes, &report.cache_bytes,
		&report.memory_bytes, &report.unified, &report.fp64_config, &report.native_floats,
		&report.timer_ns, &report.host_cache_bytes, &report.amd_wavefront,
		&report.amd_block_threads, &report.amd_simds, &report.amd_banks, &report.nv_warp,
		&report.intel_eus, &report.intel_device_id};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		*numbers[i] = *numbers[i] == ZERO ? 0 : *numbers[i] ? *numbers[i] : NO;
	return report;
}

static void same_text(const char *got, const char *want)
{
	IS(got && want ? strcmp(got, want) == 0 : got == want);
}

TEST_ROWS(reported, report_rows, "report: %s", row->name)
{
	const struct opencl_report report = fill(&row->report);
	const struct device_shape shape = opencl_report_shape(&report);

	for (size_t i = 0; i < SHAPE_COUNT; i++)
		if (shape.of[i].source != SHAPE_UNKNOWN ? shape.of[i].origin == NULL
							: shape.of[i].value != 0)
			test_fail("%s has no origin, or an unknown value", shape_rows[i].key);
	for (size_t i = 0; i < SHAPE_COUNT && row->want[i].value; i++) {
		const struct shape_value *got = &shape.of[row->want[i].id];
		int64_t want = row->want[i].value;

		if (want == UNKNOWN ? got->source != SHAPE_UNKNOWN
				    : shape_value_or(&shape, row->want[i].id, UNKNOWN) !=
					      (want == FALSE ? 0 : want))
			test_fail("%s is %lld, expected %lld", shape_rows[row->want[i].id].key,
				(long long)got->value, (long long)want);
	}
	same_text(shape.unit, row->unit);
	same_text(shape.model, row->model);
	EQUAL(shape.width_count, row->widths);
	for (size_t i = 1; i < shape.width_count; i++)
		IS(shape.widths[i] > shape.widths[i - 1]);
}

TEST(set_once, "the first source of a value stays")
{
	struct device_shape shape = {0};

	shape_set(&shape, SHAPE_LANES, -1, SHAPE_QUERY, "A");
	EQUAL(shape.of[SHAPE_LANES].source, SHAPE_UNKNOWN);
	shape_refuse(&shape, SHAPE_LANES, "why");
	STRING(shape.of[SHAPE_LANES].origin, "why");
	EQUAL(shape_value_or(&shape, SHAPE_LANES, 5), 5);
	shape_set(&shape, SHAPE_LANES, 64, SHAPE_TABLE, "B");
	shape_set(&shape, SHAPE_LANES, 32, SHAPE_QUERY, "C");
	shape_refuse(&shape, SHAPE_LANES, "why");
	CHECK(EQUAL(shape.of[SHAPE_LANES].value, 64), STRING(shape.of[SHAPE_LANES].origin, "B"));
}

TEST(widths, "sets of widths")
{
	static const size_t list[] = {512, 1, 64, 0, 7, 2, 4, 8, 256, 16, 32, 128};
	struct device_shape shape = {0};

	shape_set_width_list(&shape, list, 0);
	EQUAL(shape.width_count, 0);
	shape_set_width_list(&shape, list, sizeof list / sizeof *list);
	CHECK(EQUAL(shape.width_count, SHAPE_MAX_WIDTHS), EQUAL(shape.widths[0], 1),
		EQUAL(shape.widths[7], 128));
	shape_set_widths(&shape, 32);
	EQUAL(shape.width_count, SHAPE_MAX_WIDTHS);
}

TEST(kernel_shapes, "what kernels get")
{
	struct device_shape shape = {0};
	struct kernel_shape kernels = kernel_shape_of(&shape);

	CHECK(EQUAL(kernels.lanes, kernel_shape_reference.lanes),
		EQUAL(kernels.assumed, KERNEL_SHAPE_LANES | KERNEL_SHAPE_UNITS |
					       KERNEL_SHAPE_UNIT_THREADS |
					       KERNEL_SHAPE_UNIT_SHARED | KERNEL_SHAPE_SECTOR));
	shape_set(&shape, SHAPE_LANES, 64, SHAPE_QUERY, "A");
	shape_set(&shape, SHAPE_UNITS, 0, SHAPE_QUERY, "A");
	shape_set(&shape, SHAPE_SECTOR, 128, SHAPE_TABLE, "A");
	kernels = kernel_shape_of(&shape);
	CHECK(EQUAL(kernels.lanes, 64), EQUAL(kernels.sector_bytes, 128),
		EQUAL(kernels.units, kernel_shape_reference.units),
		EQUAL(kernels.assumed,
			KERNEL_SHAPE_UNITS | KERNEL_SHAPE_UNIT_THREADS | KERNEL_SHAPE_UNIT_SHARED));
}

TEST(models, "the shape of an emulator follows its model")
{
	struct device_shape shape = {0};

	for (size_t i = 0; access_model_words[i]; i++) {
		const struct access_model *model = access_model_find(access_model_words[i]);

		shape_set_model(&shape, model);
		CHECK(STRING(shape.model, model->name),
			EQUAL(shape_value_or(&shape, SHAPE_LANES, 0), model->lanes),
			EQUAL(shape_value_or(&shape, SHAPE_SECTOR, 0), model->sector_bytes),
			EQUAL(shape_value_or(&shape, SHAPE_LINE, 0), model->line_bytes),
			EQUAL(shape_value_or(&shape, SHAPE_BANKS, 0), model->banks),
			EQUAL(shape.width_count, 1), EQUAL(shape.widths[0], model->lanes));
	}
}
