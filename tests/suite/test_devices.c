/* What the suite makes of a device's description, and its words. */
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

/* ---- Names --------------------------------------------------------------------------------- */

static void names(const void *context)
{
	static const char *const flags[TIMING_FLAG_COUNT] = {
		"below_resolution", "throttled", "host_clock", "noisy", "unflushed"};

	(void)context;
	for (int i = 0; i < TIMING_FLAG_COUNT; i++)
		assert_string_equal(timing_flag_name((enum timing_flag)(1 << i)), flags[i]);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, budgets, NULL, "work budgets and device classes");
	test_add(&list, joined, NULL, "views of one device join");
	test_add(&list, names, NULL, "names");
	return test_run(&list, argc, argv);
}
