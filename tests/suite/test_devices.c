/* Properties that the suite derives from a device's description; devices and rows as records. */
#include "host/suite/device.h"
#include "host/suite/outcome.h"
#include "host/suite/session.c"
#include "host/suite/suite.h"
#include "tests/support/test.h"

/* ---- Devices ------------------------------------------------------------------------------- */

TEST(budgets, "work budgets and device classes")
{
	struct gpu_device_info gpu = {.type = GPU_TYPE_GPU, .engine = GPU_ENGINE_GPU};
	struct gpu_device_info emulated = {
		.type = GPU_TYPE_EMULATED, .engine = GPU_ENGINE_EMULATOR};
	struct gpu_device_info pocl = {.type = GPU_TYPE_CPU, .engine = GPU_ENGINE_CPU};
	struct gpu_device_info rusticl = {.type = GPU_TYPE_CPU, .engine = GPU_ENGINE_SLOW_CPU};
	struct gpu_device_info oclgrind = {.type = GPU_TYPE_CPU, .engine = GPU_ENGINE_INTERPRETER};

	test_near(suite_work_budget(&gpu, false), 0x1p36, 0);
	test_near(suite_work_budget(&pocl, false), 0x1p26, 0);
	test_near(suite_work_budget(&emulated, false), 0x1p24, 0);
	test_near(suite_work_budget(&emulated, true), 0x1p21, 0);
	test_near(suite_work_budget(&rusticl, false), 0x1p21, 0);
	test_near(suite_work_budget(&oclgrind, false), 0x1p18, 0);
	test_near(suite_work_budget(&oclgrind, true), 0x1p18, 0);
	EQUAL(suite_device_class(&gpu), DEVICE_CLASS_GPU);
	EQUAL(suite_device_class(&pocl), DEVICE_CLASS_CPU);
	EQUAL(suite_device_class(&emulated), DEVICE_CLASS_EMULATED);
}

struct pair {
	struct gpu_device_info a, b;
	bool same;
};

static void check_pairs(const struct pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		EQUAL(suite_same_device(&pairs[i].a, &pairs[i].b), pairs[i].same);
		EQUAL(suite_same_device(&pairs[i].b, &pairs[i].a), pairs[i].same);
	}
}

TEST(joined, "views of one device join")
{
	static const struct pair pairs[] = {{{.uuid = "u1"}, {.uuid = "u1"}, true},
		{{.uuid = "u1", .pci = "p1"}, {.uuid = "u2", .pci = "p1"}, false},
		{{.pci = "p1"}, {.pci = "p1"}, true},
		{{.uuid = "u1", .pci = "p1"}, {.pci = "p1"}, true},
		{{.uuid = ""}, {.uuid = ""}, false},
		{{.uuid = "u1", .pci = "p1"}, {.pci = "p2"}, false},
		{{.uuid = "u1"}, {.pci = "p1"}, false}};

	check_pairs(pairs, sizeof pairs / sizeof *pairs);
}

#define OPENCL(number, id) .backend = GPU_BACKEND_OPENCL, .index = number, .uuid = id

/* One GPU through the drivers of two vendors: ROCm has no UUID, Mesa and Intel make their own. */
TEST(platforms, "one device of two OpenCL platforms")
{
	static const struct pair pairs[] = {
		{{OPENCL("0.0", ""), .pci = "p1"}, {OPENCL("1.0", "u2"), .pci = "p1"}, true},
		{{OPENCL("0.0", "u1"), .pci = "p1"}, {OPENCL("1.0", "u2"), .pci = "p1"}, true},
		{{OPENCL("0.0", "u1"), .pci = "p1"}, {OPENCL("1.0", "u2"), .pci = "p2"}, false},
		{{OPENCL("0.0", "u1"), .pci = "p1"}, {OPENCL("1.0", "u2")}, false},
		{{OPENCL("0.0", "u1"), .pci = "p1"}, {OPENCL("1.0", "u1"), .pci = "p2"}, true},
		/* Two parts of one GPU. */
		{{OPENCL("0.0", "u1"), .pci = "p1"}, {OPENCL("0.1", "u2"), .pci = "p1"}, false},
		{{OPENCL("0.0", "u1"), .pci = "p1"},
			{.backend = GPU_BACKEND_CUDA, .index = "1", .uuid = "u2", .pci = "p1"},
			false}};

	check_pairs(pairs, sizeof pairs / sizeof *pairs);
}

TEST(keys, "keys")
{
	static const struct {
		struct gpu_device_info info;
		const char *key;
	} rows[] = {{{.name = "A", .uuid = "u1", .pci = "p1"}, "uuid:u1"},
		{{.name = "A", .uuid = "u1"}, "uuid:u1"}, {{.name = "A", .pci = "p1"}, "pci:p1"},
		{{.name = "A", .driver = "1.0"}, "name:A"}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		STRING(device_key(&rows[i].info).text, rows[i].key);
	}
}

TEST(filled, "a device as a record")
{
	struct gpu_device_info info = {.backend = GPU_BACKEND_CUDA,
		.index = "1",
		.name = "A",
		.vendor = "V",
		.driver = "1.0",
		.compiler = "C",
		.uuid = "u1",
		.type = GPU_TYPE_GPU,
		.capabilities = PMPP_CAP_FP16,
		.limits = {.global_bytes = 1ull << 40,
			.max_groups = {UINT32_MAX, 2, 3},
			.max_block = {4, 5, 6},
			.cache_bytes = 7,
			.warp_size = 32},
		.shape = {
			.of = {[SHAPE_LANES] = {.value = 64, .source = SHAPE_TABLE, .origin = "T"},
				[SHAPE_CLOCK] = {.origin = "why"}},
			.widths = {32, 64},
			.width_count = 2,
			.unit = "U"}};
	struct device_record device;

	test_ok(device_record_fill(&info, NULL, NULL, &device, &test_error));
	CHECK(STRING(device.key, "uuid:u1"), NIL(device.pci), STRING(device.type, "gpu"),
		IS(device.limits.record.present), EQUAL(device.limits.global_bytes, 1ll << 40),
		EQUAL(device.limits.max_groups[0], UINT32_MAX),
		EQUAL(device.limits.max_block[2], 6),
		NOT(device.roofs.record.present || device.timer.record.present),
		EQUAL(device.views.count, 1), STRING(device.views.items[0].backend, "cuda"),
		STRING(device.views.items[0].index, "1"), NIL(device.views.items[0].arch),
		EQUAL(device.views.items[0].capabilities, PMPP_CAP_FP16),
		EQUAL(device.views.items[0].limits.warp_size, 32),
		EQUAL(device.views.items[0].limits.cache_bytes, 7));
	const struct shape_record *shape = &device.views.items[0].shape;
	CHECK(EQUAL(shape->values.count, SHAPE_COUNT),
		STRING(shape->values.items[SHAPE_LANES].name, "lanes"),
		EQUAL(shape->values.items[SHAPE_LANES].value, 64),
		EQUAL(shape->values.items[SHAPE_LANES].source, SHAPE_TABLE),
		EQUAL(shape->values.items[SHAPE_CLOCK].value, -1),
		STRING(shape->values.items[SHAPE_CLOCK].origin, "why"),
		EQUAL(shape->widths.count, 2), STRING(shape->unit, "U"), NIL(shape->model));
	record_finish(&device_type, &device);
}

TEST(measured, "roofs and timer of a device as records")
{
	const struct gpu_device_info info = {.name = "A", .type = GPU_TYPE_GPU};
	struct device_record device;
	struct roofs_record roofs;
	struct timer_record timer;

	record_init(&roofs_type, &roofs);
	record_init(&timer_type, &timer);
	roofs.copy_gbps = 100;
	roofs.fma_gflops = (struct rates_record){.record.present = true, .f32 = 1000};
	timer.empty_launch_ns = 2000;
	text_set(&timer.reason, "it lies");
	test_ok(device_record_fill(&info, &roofs, NULL, &device, &test_error));
	IS(device.roofs.record.present && !device.timer.record.present);
	record_finish(&device_type, &device);
	test_ok(device_record_fill(&info, &roofs, &timer, &device, &test_error));
	record_finish(&timer_type, &timer);
	const struct view_record *view = &device.views.items[0];
	CHECK(NEAR(view->roofs.copy_gbps, 100, 0), NEAR(device.roofs.fma_gflops.f32, 1000, 0),
		NEAR(view->timer.empty_launch_ns, 2000, 0), STRING(view->timer.reason, "it lies"),
		STRING(device.timer.reason, "it lies"));
	record_finish(&device_type, &device);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

TEST(row_head, "a row before it ran")
{
	const struct gpu_device_info info = {
		.backend = GPU_BACKEND_OPENCL, .pci = "0000:01:00.0", .type = GPU_TYPE_GPU};
	const struct family *family = family_find("matmul");
	const struct config config = config_default(variant_find(family, "tiled16"));
	struct problem problem = problem_default(family);
	struct result_row row;

	memcpy(problem.dim, (const int64_t[]){5, 7, 3}, 3 * sizeof *problem.dim);
	problem.seed = 9;
	fill_row_head(&config, &problem, &info, NULL, &row);
	CHECK(STRING(row.family, "matmul"), STRING(row.variant, "tiled16"),
		STRING(row.backend, "opencl"), STRING(row.device, "pci:0000:01:00.0"),
		STRING(row.dtype, "f32"), NIL(row.op), STRING(row.data, "random"),
		EQUAL(row.seed, 9), EQUAL(row.problem.count, 3),
		EQUAL(named_list_get(&row.problem, "n", -1), 7), IS(row.macros.count > 0),
		STRING(row.macros.items[0].name, config.variant->macros[0].name),
		EQUAL(row.macros.items[0].value, config.value[0]), EQUAL(row.status, WORD_NULL));
	record_finish(&result_row_type, &row);
	problem.source = INPUT_USER;
	fill_row_head(&config, &problem, &info, NULL, &row);
	STRING(row.data, "user");
	record_finish(&result_row_type, &row);
}

static bool is_absent(const struct step_record *step, const char *name)
{
	return step->record.absent >> record_field_index(&step_type, name) & 1;
}

TEST(row_steps, "a row's launches and fills")
{
	static const char *const of_launches[] = {"kernel", "grid", "block", "shared_bytes"};
	struct plan plan = {.step_count = 0};
	struct step_list list = {NULL, 0};

	plan_add_fill(&plan, (struct plan_arg){.kind = PLAN_ARG_OPERAND, .value = 1}, 0xfffffff0u);
	*plan_add_kernel(&plan, "k", 1, 1, NULL, 0) = (struct plan_launch){
		.entry = "k", .groups = {1ull << 31, 2, 3}, .block = {4, 5, 6}, .shared_bytes = 7};
	fill_steps(&plan, &list);
	CHECK(EQUAL(list.count, 2), EQUAL(list.items[0].fill, 0xfffffff0ll),
		STRING(list.items[1].kernel, "k"), EQUAL(list.items[1].grid[0], 1ll << 31),
		EQUAL(list.items[1].block[2], 6), EQUAL(list.items[1].shared_bytes, 7),
		IS(is_absent(&list.items[1], "fill") && !is_absent(&list.items[0], "fill")));
	for (size_t i = 0; i < sizeof of_launches / sizeof *of_launches; i++) {
		IS(is_absent(&list.items[0], of_launches[i]));
		NOT(is_absent(&list.items[1], of_launches[i]));
	}
	for (size_t i = 0; i < list.count; i++)
		record_finish(&step_type, &list.items[i]);
	free(list.items);
}

/* ---- Names --------------------------------------------------------------------------------- */

/* Word i of the list stands for bit i of the flags in files. */
TEST(names, "names")
{
	static const char *const flags[] = {
		"below_resolution", "throttled", "host_clock", "noisy", "unflushed"};
	static const unsigned bits[] = {TIMING_BELOW_RESOLUTION, TIMING_THROTTLED,
		TIMING_HOST_CLOCK, TIMING_NOISY, TIMING_UNFLUSHED};
	const struct record_field *field =
		&timing_type.fields()[record_field_index(&timing_type, "flags")];

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		CHECK(EQUAL(bits[i], 1u << i), STRING(field->words[i], flags[i]));
	}
	NIL(field->words[sizeof flags / sizeof *flags]);
}
