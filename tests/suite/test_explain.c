/* explain_variant() without an emulator, with and without a device: target, resources, occupancy,
 * limit, and the reasons for what is missing. */
#include "host/explain/explain.h"
#include "host/gpu/cuda/nvrtc.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

/* ---- Helpers ------------------------------------------------------------------------------- */

static enum pmpp_status run(const char *family, const char *variant, struct suite *device,
	const struct explain_options *options, struct explanation *ret_explanation)
{
	struct problem problem = problem_default(family_find(family));
	struct config config = config_default(variant_find(problem.family, variant));

	struct explain_options of_cuda = *options;

	of_cuda.traced = GPU_BACKEND_CUDA_EMU;
	problem_default_size(&problem, DEVICE_CLASS_EMULATED);
	return explain_variant(
		NULL, device, &config, &problem, &problem, &of_cuda, ret_explanation, &test_error);
}

/* ---- Without a device ---------------------------------------------------------------------- */

TEST(models_alone, "models alone")
{
	struct explain_options options = {.no_emulator = "no C++ compiler", .no_device = "no GPU"};
	FINISHED(explanation_finish) struct explanation got;

	test_ok(run("matmul", "tiled32", NULL, &options, &got));
	CHECK(STRING(got.record.no_trace, "no C++ compiler"),
		STRING(got.record.no_measurement, "no GPU"), NOT(got.measured),
		STRING(got.record.file, "cuda_kernels/matmul/tiled.cu"), SOME(got.source));
	HAS(got.source, "__shared__");
	CHECK(EQUAL(got.launch_count, 1), STRING(got.target.name, "compute capability 9.0"),
		STRING(got.target.hardware.name, "NVIDIA H200"), NOT(got.target.roofs_measured),
		IS(got.launches[0].occupancy_known), EQUAL(got.launches[0].occupancy.blocks, 2),
		EQUAL(got.record.limited_by, LIMITED_BY_SHARED));
	/* 8 FLOP a byte of A and B; the bytes of C reduce it. */
	CHECK(NEAR(got.record.intensity.issued, 7.1, 0.1), IS(isnan(got.record.intensity.moved)),
		EQUAL(got.record.checklist.items[CHECK_OCCUPANCY].state, CHECK_DONE),
		EQUAL(got.record.checklist.items[CHECK_TILING].state, CHECK_UNKNOWN));
	HAS(got.record.checklist.items[CHECK_TILING].text, "no C++ compiler");
}

TEST(resources_of_nvrtc, "resources of NVRTC")
{
	struct explain_options options = {0};
	struct explanation got;

	if (nvrtc_library()->path[0] == '\0')
		test_skip("no NVRTC");
	test_ok(run("matmul", "tiled32", NULL, &options, &got));
	CHECK(NIL(got.record.no_resources), STRING(got.record.resources.source, "NVRTC sm_90"),
		EQUAL(got.launches[0].resources.shared_bytes, 2 * 32 * 32 * 4));
	assert_in_range(got.launches[0].resources.registers, 16, 64);
	explanation_finish(&got);

	/* Each launch has its own resources. Here all launches use one kernel. */
	options.sm = occupancy_unit_of_cc("7.5");
	test_ok(run("reduce", "interleaved", NULL, &options, &got));
	CHECK(STRING(got.record.resources.source, "NVRTC sm_75"),
		STRING(got.target.name, "compute capability 7.5"), EQUAL(got.launch_count, 2));
	for (int i = 0; i < 2; i++)
		EQUAL(got.launches[i].resources.shared_bytes, 1024);
	explanation_finish(&got);
}

static const struct reason_row {
	const char *family, *variant, *cc, *part;
	bool occupancy;
	const char *occupancy_part;
	enum limited_by limited_by;
} reason_rows[] = {
	{"matmul", "tf32-tensor", "7.5", "sm_80 or newer", true, "registers not known",
		LIMITED_BY_UNKNOWN}, /* no roofs of this GPU are known */
	{"matmul", "cpu-packed", "9.0", "there is no CUDA file: needs ", false, "a kernel for CPUs",
		LIMITED_BY_UNKNOWN}, /* no rate of CPUs is known without a device */
};

/* Without registers, the other limits give the occupancy of a variant for GPUs. */
TEST_ROWS(no_resources, reason_rows, "no resources: %s", row->variant)
{
	struct explain_options options = {.sm = occupancy_unit_of_cc(row->cc)};
	FINISHED(explanation_finish) struct explanation got;

	test_ok(run(row->family, row->variant, NULL, &options, &got));
	HAS(got.record.no_resources, row->part);
	EQUAL(got.launches[0].resources.registers, -1);
	EQUAL(got.launches[0].occupancy_known, row->occupancy);
	HAS(got.record.checklist.items[CHECK_OCCUPANCY].text, row->occupancy_part);
	EQUAL(got.record.limited_by, row->limited_by);
	HAS(got.record.no_trace, "no emulator");
	HAS(got.record.no_measurement, "not requested");
}

/* A block that exceeds the limits of a multiprocessor of the target. */
TEST(no_occupancy, "no occupancy")
{
	struct explain_options options = {.sm = occupancy_unit_of_cc("7.5")};
	FINISHED(explanation_finish) struct explanation got;

	/* 120 KiB of shared memory a block. */
	test_ok(run("occupancy", "resident1", NULL, &options, &got));
	NOT(got.launches[0].occupancy_known);
	HAS(got.launches[0].no_occupancy, "65536 bytes");
	EQUAL(got.record.checklist.items[CHECK_OCCUPANCY].state, CHECK_UNKNOWN);
	HAS(got.record.checklist.items[CHECK_OCCUPANCY].text, "65536 bytes");
}

TEST(refused, "refused")
{
	struct problem problem = problem_default(family_find("matmul"));
	struct config config = config_default(variant_find(problem.family, "registers"));
	struct explain_options options = {0};
	struct explanation got;

	problem_default_size(&problem, DEVICE_CLASS_EMULATED);
	config.value[0] = 1024;
	test_refused(explain_variant(
			     NULL, NULL, &config, &problem, &problem, &options, &got, &test_error),
		PMPP_USAGE, "matmul/registers: ");
	explanation_finish(&got);
	options.kernel_dir = "/nowhere";
	test_refused(run("matmul", "naive", NULL, &options, &got), PMPP_USAGE, "/nowhere");
	explanation_finish(&got);
}

/* ---- With a device ------------------------------------------------------------------------- */

static const struct device_row {
	const char *name, *arch;
	enum gpu_device_type type;
	const char *cc; /* of --cc; NULL: none */
	const char *target, *target_arch;
	const char *roofs; /* the device of the roofs; NULL: no roofs of the target are known */
	bool roofs_measured, in_table;
} device_rows[] = {
	{"a GPU of the table", "sm_90", GPU_TYPE_GPU, NULL, "Fake device", "sm_90", "Fake device",
		true, true},
	{"the same one by --cc", "sm_90", GPU_TYPE_GPU, "9.0", "Fake device", "sm_90",
		"Fake device", true, true},
	{"another by --cc", "sm_90", GPU_TYPE_GPU, "8.0", "compute capability 8.0", "sm_80", NULL,
		false, true},
	{"two digits before the point", "sm_120", GPU_TYPE_GPU, NULL, "Fake device", "sm_120",
		"Fake device", true, true},
	{"a GPU of AMD", "gfx90a", GPU_TYPE_GPU, NULL, "Fake device", "gfx90a", "Fake device", true,
		true},
	{"a GPU that is in no table", "gfx803", GPU_TYPE_GPU, NULL, "Fake device", "",
		"Fake device", true, false},
	{"an NVIDIA GPU that is in no table", "sm_61", GPU_TYPE_GPU, NULL, "Fake device", "",
		"Fake device", true, false},
	{"a CPU", "znver4", GPU_TYPE_CPU, NULL, "compute capability 9.0", "sm_90", "NVIDIA H200",
		false, true},
};

static struct suite *open_fake(const struct device_row *row)
{
	struct suite_options options = runs_quick();

	fake_suite_new_cache();
	fake_suite_setup();
	fake_control.info.limits.global_bytes = 64 << 20; /* short streams */
	fake_control.info.limits.max_buffer_bytes = 32 << 20;
	fake_control.info.type = row->type;
	snprintf(fake_control.info.arch, sizeof fake_control.info.arch, "%s", row->arch);
	options.min_samples = 3;
	options.max_samples = 4;
	return runs_open(&options);
}

TEST_ROWS(on_device, device_rows, "on %s", row->name)
{
	struct suite *device = open_fake(row);
	struct explain_options options = {.sm = row->cc ? occupancy_unit_of_cc(row->cc) : NULL};
	FINISHED(explanation_finish) struct explanation got;

	test_ok(run("matmul", "naive", device, &options, &got));
	suite_close(&device);
	CHECK(IS(got.measured), EQUAL(got.outcome.row.status, OUTCOME_OK),
		IS(got.outcome.row.timing.record.present), NIL(got.record.no_measurement),
		STRING(got.device.name, "Fake device"), IS(got.device_rates.copy_gbps > 0),
		STRING(got.target.name, row->target),
		STRING(got.target.has_unit ? got.target.unit.name : "", row->target_arch),
		EQUAL(got.target.roofs_measured, row->roofs_measured),
		IS(got.launches[0].occupancy_known));
	if (row->roofs_measured) {
		test_near(got.target.hardware.rates.copy_gbps, got.device_rates.copy_gbps, 0);
		EQUAL(got.target.hardware.multiprocessors, 1);
		EQUAL(got.record.limited_by, got.outcome.row.derived.limited_by);
		HAS(got.record.limit_text, "; measured ", " on Fake device: ");
		NOT(got.record.limit_predicted);
	} else if (row->roofs) {
		test_near(got.target.hardware.rates.copy_gbps, 4323.47, 1e-9);
		HAS(got.record.limit_text, "floors at ");
		IS(got.record.limit_predicted);
	} else {
		CHECK(NIL(got.record.limit_text), EQUAL(got.record.limited_by, LIMITED_BY_UNKNOWN));
	}
	if (row->roofs)
		STRING(got.target.hardware.name, row->roofs);
	if (!row->in_table) {
		/* The device reports its largest block: one block of this size is resident. */
		HAS(got.record.no_resources, "does not report the registers of a kernel");
		EQUAL(got.launches[0].occupancy.threads, got.device.limits.max_block_threads);
		EQUAL(got.launches[0].occupancy.limited_by, 1u << OCCUPANCY_THREADS);
	}
	EQUAL(fake_live_count(), 0);
}

/* Resources from the device replace those of NVRTC, but not for another target. */
TEST(resources_of_device, "resources of the device")
{
	FINISHED(suite_close) struct suite *device = open_fake(&device_rows[0]);
	struct explain_options options = {0};
	struct explanation got;

	fake_control.registers = 200;
	test_ok(run("matmul", "naive", device, &options, &got));
	CHECK(STRING(got.record.resources.source, "fake:0"), NIL(got.record.no_resources),
		EQUAL(got.launches[0].resources.registers, 200));
	/* 200 of 65536 registers a thread: one block of 256 threads fits. */
	EQUAL(got.launches[0].occupancy.blocks, 1);
	EQUAL(got.record.checklist.items[CHECK_OCCUPANCY].state, CHECK_OPEN);
	explanation_finish(&got);
	options.sm = occupancy_unit_of_cc("8.0");
	test_ok(run("matmul", "naive", device, &options, &got));
	CHECK(IS(got.launches[0].resources.registers < 200), IS(got.measured));
	explanation_finish(&got);
}

/* A wrong row is not timed, the reason is reported, and the models are still evaluated. */
TEST(not_right, "on a device that gives a wrong answer")
{
	struct suite *device = open_fake(&device_rows[0]);
	struct explain_options options = {0};
	FINISHED(explanation_finish) struct explanation got;

	fake_suite_control.wrong_from = 1;
	test_ok(run("vecadd", "fine", device, &options, &got));
	suite_close(&device);
	CHECK(IS(got.measured), EQUAL(got.outcome.row.status, OUTCOME_FAILED),
		SOME(got.record.no_measurement), EQUAL(got.record.limited_by, LIMITED_BY_MEMORY));
	HAS(got.record.limit_text, "floors at ");
}
