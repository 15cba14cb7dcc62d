/*
 * The layer through the ICD loader. Usage: test_layer LAYER FOLDER PROFILE [PATTERN]. FOLDER has
 * the profiles. PROFILE is a name of one, or "none": the loader gets no layer. The rows of PROFILE
 * run.
 */
#include "tests/support/test.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#define WAVEFRONT_WIDTH_AMD 0x4043
#define BOARD_NAME_AMD 0x4038
#define UUID_KHR 0x106A

static struct fixture {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* without profiling */
	cl_mem buffer;
} fixture;

/* A kernel of the rows: SIZE is a macro of the options. */
static const char *const sources[] = {
	"__kernel void plain(__global int *data) { data[get_global_id(0)] = 1; }",
	"__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void required(__global int *data)"
	"{ data[get_global_id(0)] = 1; }",
	"__kernel void tile(__global int *data) { __local int tile[SIZE]; int t = get_local_id(0);"
	"tile[t] = t; barrier(CLK_LOCAL_MEM_FENCE); data[t] = tile[SIZE - 1 - t]; }",
	"__kernel void given(__global int *data, __local int *tile) { int t = get_local_id(0);"
	"tile[t] = t; barrier(CLK_LOCAL_MEM_FENCE); data[t] = tile[0]; }",
	"__kernel void wide(__global int *data) { double x = data[0]; data[0] = (int)(x * x); }",
};

enum source {
	ANY,
	REQUIRED,
	TILE,
	GIVEN,
	DOUBLE
};

static bool open_device(void)
{
	cl_platform_id platform;
	cl_int code;

	if (fixture.device)
		return true;
	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
		clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &fixture.device, NULL) !=
			CL_SUCCESS)
		return false;
	fixture.context = clCreateContext(NULL, 1, &fixture.device, NULL, NULL, &code);
	fixture.queue = clCreateCommandQueue(fixture.context, fixture.device, 0, &code);
	fixture.buffer = clCreateBuffer(fixture.context, CL_MEM_READ_WRITE, 1 << 16, NULL, &code);
	return code == CL_SUCCESS;
}

static void need_device(void)
{
	if (!open_device())
		test_skip_missing("pocl", "no device");
}

static cl_int build(enum source source, const char *options, cl_program *ret_program)
{
	cl_int code;

	need_device();
	*ret_program = clCreateProgramWithSource(
		fixture.context, 1, (const char **)&sources[source], NULL, &code);
	EQUAL(code, CL_SUCCESS);
	return clBuildProgram(*ret_program, 1, &fixture.device, options, NULL, NULL);
}

/* ---- Queries --------------------------------------------------------------------------------- */

struct query {
	cl_device_info what;
	const char *text; /* NULL: a number */
	size_t bytes;
	cl_ulong number;
	cl_int code;
};

static void answers(const void *context)
{
	const struct query *query = context;
	char text[4096] = "";
	cl_ulong number = 0;

	need_device();
	if (query->text) {
		CHECK(EQUAL(clGetDeviceInfo(fixture.device, query->what, sizeof text, text, NULL),
			      query->code),
			STRING(text, query->text));
		return;
	}
	EQUAL(clGetDeviceInfo(fixture.device, query->what, query->bytes, &number, NULL),
		query->code);
	EQUAL(number, query->number);
}

static void has_type(const void *context)
{
	cl_device_type other = *(const cl_device_type *)context;
	cl_platform_id platform;
	cl_device_id device;

	need_device();
	EQUAL(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	EQUAL(clGetDeviceIDs(platform, other, 1, &device, NULL), CL_DEVICE_NOT_FOUND);
}

/* ---- Programs -------------------------------------------------------------------------------- */

#define STD "-cl-std=CL1.2 "

/* Skips rows about too much local memory: PoCL 5 and 6 report 0 bytes for every kernel. */
static void need_local_bytes(void)
{
	cl_program program;
	cl_kernel kernel;
	cl_ulong bytes = 0;

	EQUAL(build(TILE, STD "-DSIZE=64", &program), CL_SUCCESS);
	EQUAL(clCreateKernelsInProgram(program, 1, &kernel, NULL), CL_SUCCESS);
	clGetKernelWorkGroupInfo(
		kernel, fixture.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	if (bytes == 0)
		test_skip("this OpenCL reports 0 bytes of local memory for every kernel");
}

struct a_build {
	enum source source;
	const char *options;
	cl_int code;
	size_t block; /* CL_KERNEL_WORK_GROUP_SIZE; 0: not asked for */
};

static void builds(const void *context)
{
	const struct a_build *a = context;
	char log[4096] = "";
	cl_program program;
	size_t block = 0;

	if (a->source == TILE && a->code != CL_SUCCESS)
		need_local_bytes();
	EQUAL(build(a->source, a->options, &program), a->code);
	clGetProgramBuildInfo(program, fixture.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
	if (a->code != CL_SUCCESS)
		HAS(log, "error");
	if (a->block > 0) {
		cl_kernel kernel;

		EQUAL(clCreateKernelsInProgram(program, 1, &kernel, NULL), CL_SUCCESS);
		clGetKernelWorkGroupInfo(kernel, fixture.device, CL_KERNEL_WORK_GROUP_SIZE,
			sizeof block, &block, NULL);
		EQUAL(block, a->block);
		clReleaseKernel(kernel);
	}
	clReleaseProgram(program);
}

/* ---- Launches and buffers -------------------------------------------------------------------- */

struct a_launch {
	enum source source;
	const char *options;
	size_t global, local;
	size_t dynamic; /* bytes of the __local argument */
	cl_int code;
};

static void launches(const void *context)
{
	const struct a_launch *a = context;
	cl_program program;
	cl_kernel kernel;

	if (a->code == CL_OUT_OF_RESOURCES)
		need_local_bytes();
	EQUAL(build(a->source, a->options, &program), CL_SUCCESS);
	EQUAL(clCreateKernelsInProgram(program, 1, &kernel, NULL), CL_SUCCESS);
	EQUAL(clSetKernelArg(kernel, 0, sizeof fixture.buffer, &fixture.buffer), CL_SUCCESS);
	if (a->dynamic > 0)
		EQUAL(clSetKernelArg(kernel, 1, a->dynamic, NULL), CL_SUCCESS);
	EQUAL(clEnqueueNDRangeKernel(
		      fixture.queue, kernel, 1, NULL, &a->global, &a->local, 0, NULL, NULL),
		a->code);
	clFinish(fixture.queue);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

static void refuses_buffers(const void *context)
{
	const cl_buffer_region inside = {1024, 64}, odd = {512, 64};
	cl_int code = CL_SUCCESS;

	(void)context;
	need_device();
	clCreateBuffer(fixture.context, CL_MEM_READ_WRITE, 1073741825, NULL, &code);
	EQUAL(code, CL_INVALID_BUFFER_SIZE);
	clCreateSubBuffer(
		fixture.buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &odd, &code);
	EQUAL(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
	clReleaseMemObject(clCreateSubBuffer(
		fixture.buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &inside, &code));
	EQUAL(code, CL_SUCCESS);
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Writes the START and the END of a launch. Returns an error code of the queue. */
static cl_int time_launch(cl_ulong ret_ns[2])
{
	const size_t one = 64;
	cl_program program;
	cl_kernel kernel;
	cl_event event;
	cl_int code;
	cl_command_queue queue;

	need_device();
	queue = clCreateCommandQueue(
		fixture.context, fixture.device, CL_QUEUE_PROFILING_ENABLE, &code);
	if (!queue)
		return code;
	EQUAL(build(ANY, "-cl-std=CL1.2", &program), CL_SUCCESS);
	kernel = clCreateKernel(program, "plain", &code);
	clSetKernelArg(kernel, 0, sizeof fixture.buffer, &fixture.buffer);
	EQUAL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &event),
		CL_SUCCESS);
	clWaitForEvents(1, &event);
	code = clGetEventProfilingInfo(
		event, CL_PROFILING_COMMAND_START, sizeof *ret_ns, &ret_ns[0], NULL);
	if (code == CL_SUCCESS)
		code = clGetEventProfilingInfo(
			event, CL_PROFILING_COMMAND_END, sizeof *ret_ns, &ret_ns[1], NULL);
	clReleaseEvent(event);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	return code;
}

static void refuses_profiling(const void *context)
{
	cl_ulong ns[2];

	(void)context;
	EQUAL(time_launch(ns), CL_INVALID_QUEUE_PROPERTIES);
}

/* context: the step of the times in ns; 0: each launch lasts 1 ns. */
static void has_times(const void *context)
{
	cl_ulong step = *(const cl_ulong *)context;
	cl_ulong ns[2];

	EQUAL(time_launch(ns), CL_SUCCESS);
	if (step == 0)
		EQUAL(ns[1] - ns[0], 1);
	else
		IS(ns[0] > 0 && ns[0] % step == 0 && ns[1] % step == 0 && ns[0] <= ns[1]);
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const struct query unknown_queries[] = {
	{CL_DEVICE_NAME, "EX-16", 0, 0, CL_SUCCESS},
	{CL_DEVICE_VENDOR, "Example Semiconductor", 0, 0, CL_SUCCESS},
	{CL_DEVICE_TYPE, NULL, 8, CL_DEVICE_TYPE_GPU, CL_SUCCESS},
	{CL_DEVICE_MAX_COMPUTE_UNITS, NULL, 4, 6, CL_SUCCESS},
	{CL_DEVICE_LOCAL_MEM_SIZE, NULL, 8, 24576, CL_SUCCESS},
	{CL_DEVICE_NUMERIC_VERSION, NULL, 4, CL_MAKE_VERSION(3, 0, 0), CL_SUCCESS},
	{CL_DEVICE_LOCAL_MEM_SIZE, NULL, 4, 0, CL_INVALID_VALUE}, /* too little room */
	{WAVEFRONT_WIDTH_AMD, NULL, 4, 0, CL_INVALID_VALUE},
	{UUID_KHR, NULL, 8, 0, CL_INVALID_VALUE},
	{0x5555, NULL, 4, 0, CL_INVALID_VALUE},
};
static const struct a_build unknown_builds[] = {
	{ANY, STD, CL_SUCCESS, 192},
	{REQUIRED, STD "-DSIZE=192", CL_SUCCESS, 192},
	{REQUIRED, STD "-DSIZE=193", CL_BUILD_PROGRAM_FAILURE, 0},
	{TILE, STD "-DSIZE=6145", CL_SUCCESS, 192}, /* rejected at its launch */
	{DOUBLE, STD, CL_BUILD_PROGRAM_FAILURE, 0},
	{ANY, "-cl-std=CL2.0", CL_INVALID_BUILD_OPTIONS, 0},
	{ANY, STD "-cl-nv-verbose", CL_INVALID_BUILD_OPTIONS, 0},
	{ANY, STD "-cl-fp32-correctly-rounded-divide-sqrt", CL_INVALID_BUILD_OPTIONS, 0},
};
static const struct a_launch unknown_launches[] = {
	{ANY, STD, 384, 192, 0, CL_SUCCESS},
	{ANY, STD, 193, 193, 0, CL_INVALID_WORK_ITEM_SIZE},
	{ANY, STD, 100, 64, 0, CL_INVALID_WORK_GROUP_SIZE},
	{REQUIRED, STD "-DSIZE=64", 64, 32, 0, CL_INVALID_WORK_GROUP_SIZE},
	{TILE, STD "-DSIZE=6144", 64, 64, 0, CL_SUCCESS},
	{TILE, STD "-DSIZE=6145", 64, 64, 0, CL_OUT_OF_RESOURCES},
	{GIVEN, STD, 64, 64, 24576, CL_SUCCESS},
	{GIVEN, STD, 64, 64, 24580, CL_OUT_OF_RESOURCES},
};
static const struct query amd_queries[] = {
	{BOARD_NAME_AMD, "Radeon RX 7900 XTX", 0, 0, CL_SUCCESS},
	{WAVEFRONT_WIDTH_AMD, NULL, 4, 32, CL_SUCCESS},
	{CL_DEVICE_NUMERIC_VERSION, NULL, 4, 0, CL_INVALID_VALUE}, /* of 3.0 */
};
static const struct a_build amd_builds[] = {
	{ANY, STD, CL_SUCCESS, 256},
	{ANY, "-cl-std=CL2.0", CL_SUCCESS, 256},
	{ANY, "-cl-std=CL3.0", CL_INVALID_BUILD_OPTIONS, 0},
	{REQUIRED, STD "-DSIZE=1024", CL_SUCCESS, 1024},
	{REQUIRED, STD "-DSIZE=1025", CL_BUILD_PROGRAM_FAILURE, 0},
	{TILE, STD "-DSIZE=16385", CL_BUILD_PROGRAM_FAILURE, 0},
	{DOUBLE, STD, CL_SUCCESS, 256},
};
static const struct a_launch amd_launches[] = {
	{REQUIRED, STD "-DSIZE=1024", 1024, 1024, 0, CL_SUCCESS},
	{ANY, STD, 512, 512, 0, CL_INVALID_WORK_GROUP_SIZE},
};
static const struct a_build none_builds[] = {
	{ANY, STD, CL_SUCCESS, 4096},
	{DOUBLE, STD, CL_SUCCESS, 4096},
};
static const cl_ulong steps[] = {1, 1000, 0};
static const cl_device_type gpu = CL_DEVICE_TYPE_GPU, cpu = CL_DEVICE_TYPE_CPU;

#define ADD_ALL(run, table, format, member)                          \
	for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++) \
	test_add(run, &(table)[i], "%zu: " #table format, i + 1, (table)[i].member)

static void add_rows(const char *profile)
{
	if (strcmp(profile, "unknown-16") == 0) {
		ADD_ALL(answers, unknown_queries, " 0x%x", what);
		ADD_ALL(builds, unknown_builds, " %s", options);
		ADD_ALL(launches, unknown_launches, " %s", options);
		test_add(has_type, &cpu, "there is no CPU");
		test_add(refuses_buffers, NULL, "buffers");
		test_add(refuses_profiling, NULL, "queues without profiling");
	} else if (strcmp(profile, "rx-7900-xtx") == 0) {
		ADD_ALL(answers, amd_queries, " 0x%x", what);
		ADD_ALL(builds, amd_builds, " %s", options);
		ADD_ALL(launches, amd_launches, " %s", options);
		test_add(has_times, &steps[0], "times of the device");
	} else if (strcmp(profile, "apple-m1-max") == 0) {
		test_add(has_times, &steps[1], "times in steps of 1000 ns");
	} else if (strcmp(profile, "rusticl-rx-6700-xt") == 0) {
		test_add(has_times, &steps[2], "each launch lasts 1 ns");
	} else {
		ADD_ALL(builds, none_builds, " %s", options);
		test_add(has_type, &gpu, "there is no GPU");
	}
}

int main(int argc, char **argv)
{
	char path[4096];

	if (argc < 4) {
		fprintf(stderr, "usage: %s LAYER FOLDER PROFILE [PATTERN]\n", argv[0]);
		return 1;
	}
	/* The loader reads the variables at the first call of OpenCL. */
	if (strcmp(argv[3], "none") != 0) {
		snprintf(path, sizeof path, "%s/%s.profile", argv[2], argv[3]);
		setenv("OPENCL_LAYERS", argv[1], 1);
		setenv("PMPP_PROFILE", path, 1);
	}
	add_rows(argv[3]);
	argv[3] = argv[0];
	return test_run(argc - 3, argv + 3);
}
