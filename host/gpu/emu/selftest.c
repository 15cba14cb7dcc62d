/*
 * Tests the counts of a watched launch with a known kernel. The counts depend on the code that the
 * C++ compiler generates. The kernel has one of each:
 *   - a strided load, and a 16-byte access
 *   - a bank conflict in shared memory
 *   - a branch in a loop that different lanes take each time
 *   - a barrier, and an atomic operation on one address
 */
#include "host/gpu/emu/internal.h"

#define THREADS 64

/* The expected counts of one block of two warps; fields that are 0 are not compared. */
static const struct expected_access {
	int line, kind, space;
	int64_t requests, lanes, sectors, ways, width_bytes, same_address;
} expected_accesses[] = {
	{7, TRACE_LOAD, TRACE_GLOBAL, 2, 64, 16, 0, 4, 0},
	{6, TRACE_STORE, TRACE_SHARED, 2, 64, 0, 32, 4, 0},
	{11, TRACE_LOAD, TRACE_GLOBAL, 18, 192, 72, 0, 4, 0},
	{13, TRACE_ATOMIC, TRACE_GLOBAL, 2, 40, 2, 0, 4, 40},
	{14, TRACE_LOAD, TRACE_SHARED, 2, 64, 0, 32, 4, 0},
	{15, TRACE_STORE, TRACE_GLOBAL, 2, 64, 32, 0, 16, 0},
};

static const struct expected_branch {
	int64_t line, executions, divergent;
} expected_branches[] = {{9, 18, 0}, {10, 18, 18}, {12, 2, 1}};

static const struct access_record *find_access(
	const struct trace *trace, const struct expected_access *expected)
{
	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		if (access->line == expected->line && access->kind == expected->kind &&
			access->space == expected->space)
			return access;
	}
	return NULL;
}

static bool access_holds(const struct trace *trace, const struct expected_access *expected)
{
	const struct access_record *access = find_access(trace, expected);

	return access && access->requests == expected->requests &&
	       access->lanes == expected->lanes && access->sectors == expected->sectors &&
	       access->ways == expected->ways && access->width_bytes == expected->width_bytes &&
	       access->same_address == expected->same_address;
}

static bool branch_holds(const struct trace *trace, const struct expected_branch *expected)
{
	for (size_t i = 0; i < trace->branch_count; i++) {
		const struct branch_record *branch = &trace->branches[i];
		if (branch->line == expected->line)
			return branch->executions == expected->executions &&
			       branch->divergent == expected->divergent;
	}
	return false;
}

/* Returns the first line with wrong counts; 0: all counts are right. */
static int first_wrong_line(const struct trace *trace)
{
	for (size_t i = 0; i < sizeof expected_accesses / sizeof *expected_accesses; i++)
		if (!access_holds(trace, &expected_accesses[i]))
			return expected_accesses[i].line;
	for (size_t i = 0; i < sizeof expected_branches / sizeof *expected_branches; i++)
		if (!branch_holds(trace, &expected_branches[i]))
			return expected_branches[i].line;
	return 0;
}

static enum pmpp_status watch_known_kernel(
	struct gpu_device *device, struct trace *ret_trace, struct pmpp_error *error)
{
	static const struct gpu_watch watch = {.step_limit = 1 << 16};
	static const uint64_t bytes[] = {4 * 9 * 32 * 4, THREADS * 16, 4};
	const struct emu_front *front = ((struct emu_device *)device)->front;
	const struct gpu_program_desc desc = {
		.name = front->test_name, .source = front->test_source, .traced = true};
	struct gpu_program *program = NULL;
	struct gpu_kernel *kernel = NULL;
	struct gpu_buffer *buffers[3] = {0};
	struct gpu_arg args[3];
	enum pmpp_status status = gpu_program_create(device, &desc, &program, error);

	if (status == PMPP_OK)
		status = gpu_kernel_create(program, "selftest", &kernel, error);
	for (size_t i = 0; i < 3 && status == PMPP_OK; i++) {
		status = gpu_buffer_create(device, bytes[i], 0, &buffers[i], error);
		if (status == PMPP_OK)
			status = gpu_buffer_fill(buffers[i], 0, bytes[i], 0, error);
		args[i] = (struct gpu_arg){.kind = GPU_ARG_BUFFER, .as.buffer = buffers[i]};
	}
	if (status == PMPP_OK) {
		emu_watch(device, &watch, ret_trace);
		status = gpu_launch(kernel,
			&(struct gpu_launch){.groups = {1, 1, 1},
				.block = {THREADS, 1, 1},
				.args = args,
				.arg_count = 3},
			error);
		emu_watch(device, NULL, NULL);
	}
	for (size_t i = 0; i < 3; i++)
		gpu_buffer_destroy(&buffers[i]);
	gpu_kernel_destroy(&kernel);
	gpu_program_destroy(&program);
	return status;
}

enum pmpp_status emu_watch_test(struct gpu_device *device, struct pmpp_error *error)
{
	struct emu_device *emulator = (struct emu_device *)device;
	struct trace trace = {0};
	enum pmpp_status status = PMPP_OK;

	if (!emulator->watch_tested) {
		const struct access_model *model = emulator->model;
		emulator->model = access_model_default(); /* which the expected counts are for */
		status = watch_known_kernel(device, &trace, error);
		emulator->model = model;
		emulator->watch_wrong_line = first_wrong_line(&trace);
		/* Nothing was counted: the trace is empty, so the first line is wrong. */
		if (status == PMPP_UNSUPPORTED) {
			pmpp_error_clear(error);
			status = PMPP_OK;
		}
		emulator->watch_tested = status == PMPP_OK;
		trace_finish(&trace);
	}
	if (status == PMPP_OK && emulator->watch_wrong_line)
		status = PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"kernels built by %s cannot be counted (the counts of line %d of a test "
			"kernel are wrong): set CXX to g++ 12 or later",
			device->info.compiler, emulator->watch_wrong_line);
	return status;
}
