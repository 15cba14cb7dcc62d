/* What the suite makes of a device's description, and its words. */
#include "host/suite/fill_device.h"
#include "host/suite/parity.h"
#include "tests/support/test.h"

#include <string.h>

/* ---- Devices ------------------------------------------------------------------------------- */

static void budgets(const void *context)
{
	struct gpu_device_info gpu = {.type = GPU_TYPE_GPU, .engine = GPU_ENGINE_GPU};
	struct gpu_device_info emulated = {
		.type = GPU_TYPE_EMULATED, .engine = GPU_ENGINE_EMULATOR};
	struct gpu_device_info pocl = {.type = GPU_TYPE_CPU, .engine = GPU_ENGINE_CPU};
	struct gpu_device_info rusticl = {.type = GPU_TYPE_CPU, .engine = GPU_ENGINE_SLOW_CPU};
	struct gpu_device_info oclgrind = {.type = GPU_TYPE_CPU, .engine = GPU_ENGINE_INTERPRETER};

	(void)context;
	test_near(suite_work_budget(&gpu, false), 0x1p36, 0);
	test_near(suite_work_budget(&pocl, false), 0x1p26, 0);
	test_near(suite_work_budget(&emulated, false), 0x1p24, 0);
	test_near(suite_work_budget(&emulated, true), 0x1p21, 0);
	test_near(suite_work_budget(&rusticl, false), 0x1p21, 0);
	test_near(suite_work_budget(&oclgrind, false), 0x1p18, 0);
	test_near(suite_work_budget(&oclgrind, true), 0x1p18, 0);
	assert_int_equal(suite_device_class(&gpu), DEVICE_CLASS_GPU);
	assert_int_equal(suite_device_class(&pocl), DEVICE_CLASS_CPU);
	assert_int_equal(suite_device_class(&emulated), DEVICE_CLASS_EMULATED);
}

static void joined(const void *context)
{
	static const struct {
		const char *uuid_a, *pci_a, *uuid_b, *pci_b;
		bool same;
	} rows[] = {{"u1", "", "u1", "", true}, {"u1", "p1", "u2", "p1", false},
		{"", "p1", "", "p1", true}, {"u1", "p1", "", "p1", true}, {"", "", "", "", false},
		{"u1", "p1", "", "p2", false}, {"u1", "", "", "p1", false}};

	(void)context;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gpu_device_info a = {0}, b = {0};

		strcpy(a.uuid, rows[i].uuid_a);
		strcpy(a.pci, rows[i].pci_a);
		strcpy(b.uuid, rows[i].uuid_b);
		strcpy(b.pci, rows[i].pci_b);
		assert_int_equal(suite_same_device(&a, &b), rows[i].same);
		assert_int_equal(suite_same_device(&b, &a), rows[i].same);
	}
}

static void keys(const void *context)
{
	static const struct {
		const char *uuid, *pci, *key;
	} rows[] = {{"u1", "p1", "uuid:u1"}, {"u1", "", "uuid:u1"}, {"", "p1", "pci:p1"},
		{"", "", "name:A, 1.0"}};

	(void)context;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gpu_device_info info = {.name = "A", .driver = "1.0"};
		char key[320];

		strcpy(info.uuid, rows[i].uuid);
		strcpy(info.pci, rows[i].pci);
		device_key(&info, key, sizeof key);
		assert_string_equal(key, rows[i].key);
	}
}

static void filled(const void *context)
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
			.warp_size = 32}};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct device_record device;

	(void)context;
	test_ok(device_record_fill(&info, &device, &error), &error);
	assert_string_equal(device.key, "uuid:u1");
	assert_null(device.pci);
	assert_string_equal(device.type, "gpu");
	assert_true(device.limits.record.present);
	assert_int_equal(device.limits.global_bytes, 1ll << 40);
	assert_int_equal(device.limits.max_groups[0], UINT32_MAX);
	assert_int_equal(device.limits.max_block[2], 6);
	assert_false(device.roofs.record.present || device.timer.record.present);
	assert_int_equal(device.views.count, 1);
	assert_string_equal(device.views.items[0].backend, "cuda");
	assert_string_equal(device.views.items[0].index, "1");
	assert_null(device.views.items[0].arch);
	assert_int_equal(device.views.items[0].capabilities, PMPP_CAP_FP16);
	assert_int_equal(device.views.items[0].limits.warp_size, 32);
	assert_int_equal(device.views.items[0].limits.cache_bytes, 7);
	record_finish(&device_type, &device);
}

/* ---- Names --------------------------------------------------------------------------------- */

/* Bit i of the flags has word i in files. */
static void names(const void *context)
{
	static const char *const flags[] = {
		"below_resolution", "throttled", "host_clock", "noisy", "unflushed"};
	static const unsigned bits[] = {TIMING_BELOW_RESOLUTION, TIMING_THROTTLED,
		TIMING_HOST_CLOCK, TIMING_NOISY, TIMING_UNFLUSHED};
	const struct record_field *field =
		&timing_type.fields[record_field_index(&timing_type, "flags")];

	(void)context;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		assert_int_equal(bits[i], 1u << i);
		assert_string_equal(field->words[i], flags[i]);
	}
	assert_null(field->words[sizeof flags / sizeof *flags]);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, budgets, NULL, "work budgets and device classes");
	test_add(&list, joined, NULL, "views of one device join");
	test_add(&list, keys, NULL, "keys");
	test_add(&list, filled, NULL, "a device as a record");
	test_add(&list, names, NULL, "names");
	return test_run(&list, argc, argv);
}
