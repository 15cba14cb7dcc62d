/* What `roofline` prints: each rate, or why it is unknown; the age and the flags. */

#include "host/gpu/gpu.h"
#include "host/report/console.c"
#include "tests/support/records.h"
#include "tests/support/test.h"

#define ALL_TYPES (PMPP_CAP_FP16 | PMPP_CAP_FP64 | PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR)

/* One device with two known roofs. */
static const struct text_row {
	const char *name;
	enum gpu_device_type type;
	unsigned capabilities;
	const char *arch;
	double age_s;
	unsigned flags;
	const char *line; /* the whole line */
} rows[] = {
	{"a rate", GPU_TYPE_GPU, ALL_TYPES, NULL, 0, 0,
		"  fma, f32                  1000  GFLOP/s"},
	{"a rate of integers", GPU_TYPE_GPU, ALL_TYPES, NULL, 0, 0,
		"  integers, 32 bits          500  GOP/s"},
	{"a CPU without a kernel", GPU_TYPE_CPU, PMPP_CAP_FP64, NULL, 0, 0,
		"  second-level cache           -  no kernel for OpenCL on a CPU"},
	{"a CPU, a type", GPU_TYPE_CPU, PMPP_CAP_FP16, NULL, 0, 0,
		"  fma, f16                     -  no kernel for OpenCL on a CPU"},
	{"a CPU, special functions", GPU_TYPE_CPU, 0, NULL, 0, 0,
		"  special functions            -  no kernel for OpenCL on a CPU"},
	{"a CPU without a type", GPU_TYPE_CPU, 0, NULL, 0, 0,
		"  fma, f64                     -  the device has no f64"},
	{"a GPU without a type", GPU_TYPE_GPU, PMPP_CAP_FP64, NULL, 0, 0,
		"  fma, f16                     -  the device has no f16"},
	{"another vendor's GPU", GPU_TYPE_GPU, PMPP_CAP_FP16 | PMPP_CAP_FP64, NULL, 0, 0,
		"  tensor cores, TF32           -  needs NVIDIA tensor cores, compute capability "
		"8.0 or more"},
	{"tensor cores without wgmma", GPU_TYPE_GPU, ALL_TYPES, "sm_90", 0, 0,
		"  tensor cores, f16            -  mma.sync does not reach this rate, and wgmma is "
		"not available"},
	{"f16 through NVIDIA's OpenCL", GPU_TYPE_GPU, ALL_TYPES, "opencl", 0, 0,
		"  fma, f16                     -  no kernel reaches this rate through NVIDIA's OpenCL"},
	{"a failure of mma.sync", GPU_TYPE_GPU, ALL_TYPES, "sm_86", 0, 0,
		"  tensor cores, f16            -  not measured: the kernel did not run or its "
		"result is wrong"},
	{"a failure", GPU_TYPE_GPU, ALL_TYPES, NULL, 0, 0,
		"  fma, f16                     -  not measured: the kernel did not run or its "
		"result is wrong"},
	{"a failure on a CPU", GPU_TYPE_CPU, PMPP_CAP_FP64, NULL, 0, 0,
		"  fma, f64                     -  not measured: the kernel did not run or its "
		"result is wrong"},
	{"the timer", GPU_TYPE_GPU, 0, NULL, 0, 0, "  measured resolution          -"},
	{"no age", GPU_TYPE_GPU, 0, NULL, 0, 0, "  age: measured in this run"},
	{"seconds, of an earlier run", GPU_TYPE_GPU, 0, NULL, 29.5, 0,
		"  age: the oldest roof was measured 30 s ago"},
	{"minutes", GPU_TYPE_GPU, 0, NULL, 601, 0,
		"  age: the oldest roof was measured 10 min ago"},
	{"days", GPU_TYPE_GPU, 0, NULL, 200000, 0,
		"  age: the oldest roof was measured 2 days ago"},
	{"a flag", GPU_TYPE_GPU, 0, NULL, 0, TIMING_NOISY, "  flag: noisy"},
};

TEST_ROWS(one_line, rows, "%s", row->name)
{
	TEST_RECORD(device_type, struct device_record, device);
	struct view_record *view = record_list_add(&view_type, &device.views);
	SOME(view);
	view->capabilities = row->capabilities;
	text_set(&view->arch, row->arch);
	text_set(&view->backend, row->arch && strcmp(row->arch, "opencl") == 0 ? "opencl" : "cuda");
	text_set(&device.name, "Device");
	text_set(&device.type, gpu_device_type_name(row->type));
	device.roofs.fma_gflops.f32 = 1000;
	device.roofs.integer_gops = row->type == GPU_TYPE_GPU ? 500 : NAN;
	device.roofs.age_s = row->age_s;
	device.roofs.flags = row->flags;
	const char *text =
		WRITTEN(out, put_roofs_of(out, "cuda:0", &device, &(struct page_style){0}));
	test_note("%s", text);
	HAS(text, test_text("\n%s\n", row->line));
	/* No other flag. */
	EQUAL(strstr(text, "\n  flag: ") != NULL, row->flags != 0);
}
