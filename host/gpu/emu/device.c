/* The device: its limits, its buffers, the settings of a launch, and the test of the counts. */
#include "host/gpu/emu/internal.h"
#include "host/io/host_memory.h"
#include "host/io/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_S 60.0

#if defined(__x86_64__)
#define EMU_ARCH "x86-64"
#elif defined(__aarch64__)
#define EMU_ARCH "aarch64"
#else
#define EMU_ARCH "host"
#endif

/* ---- Limits that the user sets ------------------------------------------------------------- */

enum limit_id {
	LIMIT_WORKERS,
	LIMIT_TIMEOUT_S,
	LIMIT_COUNT
};

static const struct limit {
	const char *name, *what;
	double min, max;
	bool whole;
} limits[LIMIT_COUNT] = {
	[LIMIT_WORKERS] = {"PMPP_EMU_WORKERS", "a whole number", 1, EMU_MAX_WORKERS, true},
	[LIMIT_TIMEOUT_S] = {"PMPP_EMU_TIMEOUT_S", "a number of seconds", 0.001, 86400, false},
};

/* The value of a variable must be one number in the range, without other text. */
static enum pmpp_status read_limit(
	const struct limit *limit, double *ret_value, struct pmpp_error *error)
{
	const char *text = getenv(limit->name);
	char *end;

	if (!text)
		return PMPP_OK;
	double value = strtod(text, &end);
	/* This form of the comparison also rejects NaN. */
	if (end == text || *end || !(value >= limit->min && value <= limit->max) ||
		(limit->whole && value != floor(value)))
		return PMPP_FAIL(error, PMPP_USAGE,
			"the environment variable %s is '%.40s': set it to %s from %g to %g, or "
			"unset it",
			limit->name, text, limit->what, limit->min, limit->max);
	*ret_value = value;
	return PMPP_OK;
}

static enum pmpp_status read_limits(double ret_values[LIMIT_COUNT], struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	ret_values[LIMIT_WORKERS] = fmin((double)sysconf(_SC_NPROCESSORS_ONLN), EMU_MAX_WORKERS);
	ret_values[LIMIT_TIMEOUT_S] = DEFAULT_TIMEOUT_S;
	for (size_t i = 0; status == PMPP_OK && i < LIMIT_COUNT; i++)
		status = read_limit(&limits[i], &ret_values[i], error);
	return status;
}

/* ---- Slots --------------------------------------------------------------------------------- */

static void cpu_name(char *ret_name, size_t size)
{
	os_processor_name(ret_name, size);
	if (!ret_name[0])
		snprintf(ret_name, size, "%s", EMU_ARCH);
}

/* The figures that a kernel finds on the emulator; the model has the others. */
static void describe_shape(struct gpu_device_info *info)
{
	static const char origin[] = "the emulator";
	const struct {
		enum shape_id id;
		int64_t value;
	} rows[] = {{SHAPE_BLOCK_THREADS, info->limits.max_block_threads},
		{SHAPE_BLOCK_SHARED, info->limits.shared_optin_bytes}, {SHAPE_SHARED_ON_CHIP, 0},
		{SHAPE_UNITS, info->limits.compute_units}, {SHAPE_UNIFIED, 1},
		{SHAPE_FP64, (info->capabilities & PMPP_CAP_FP64) != 0},
		{SHAPE_FP16, (info->capabilities & PMPP_CAP_FP16) != 0},
		{SHAPE_SHUFFLE, (info->capabilities & PMPP_CAP_SHUFFLE) != 0},
		{SHAPE_SUB_GROUP_REDUCE,
			gpu_backend_row(info->backend)->language == GPU_LANGUAGE_OPENCL_C},
		{SHAPE_TIMER, info->limits.timer_resolution_ns}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		shape_set(&info->shape, rows[i].id, rows[i].value, SHAPE_QUERY, origin);
	info->shape.unit = "processor of the host";
	shape_set_model(&info->shape, access_model_default());
}

enum pmpp_status emu_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	const char *missing;
	const struct emu_front *front = gpu_backend_of(ret_state->id, &missing)->front;
	char cpu[96];
	double values[LIMIT_COUNT];
	struct host_memory memory;
	struct gpu_device_info *info;
	enum pmpp_status status = read_limits(values, error);

	*ret_infos = NULL;
	*ret_count = 0;
	if (status != PMPP_OK)
		return status;
	info = calloc(1, sizeof *info);
	if (!info)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the list of devices");
	if (!front->find_version(info->compiler, sizeof info->compiler)) {
		free(info);
		snprintf(ret_state->reason, sizeof ret_state->reason, "%s (tried: %.60s)",
			front->compiler_missing, front->compiler());
		return PMPP_OK;
	}
	cpu_name(cpu, sizeof cpu);
	host_memory_read(&memory);
	info->backend = front->backend;
	info->type = GPU_TYPE_EMULATED;
	info->engine = GPU_ENGINE_EMULATOR;
	info->capabilities = front->capabilities;
	snprintf(info->index, sizeof info->index, "0");
	snprintf(info->name, sizeof info->name, "%s on %s", front->title, cpu);
	snprintf(info->vendor, sizeof info->vendor, "pmpp");
	snprintf(info->driver, sizeof info->driver, "pmpp");
	snprintf(info->arch, sizeof info->arch, "%s", EMU_ARCH);
	/* The emulator ignores --math. */
	for (int math = 0; math < GPU_MATH_COUNT; math++)
		info->arithmetic[math] = front->arithmetic;
	info->limits = (struct gpu_limits){
		.global_bytes = memory.total_bytes,
		.max_buffer_bytes = memory.total_bytes,
		.max_block_threads = PMPP_EMU_MAX_BLOCK,
		/* CUDA's, compute capability 9.0. Both kernels of a variant have the same launches. */
		.max_groups = {INT32_MAX, 65535, 65535},
		.max_block = {1024, 1024, 64},
		.shared_bytes = front->static_shared_bytes,
		.shared_optin_bytes = front->shared_bytes,
		.compute_units = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.warp_size = access_model_default()->lanes,
		.buffer_align_bytes = 256,
		.timer_resolution_ns = 1,
	};
	describe_shape(info);
	snprintf(ret_state->library, sizeof ret_state->library, "%s", front->compiler());
	ret_state->usable = true;
	*ret_infos = info;
	*ret_count = 1;
	return PMPP_OK;
}

const struct gpu_struct_bytes emu_struct_bytes = GPU_STRUCT_BYTES(emu);

enum pmpp_status emu_open(struct gpu_device *base, struct pmpp_error *error)
{
	struct emu_device *device = (struct emu_device *)base;
	double values[LIMIT_COUNT];
	enum pmpp_status status = read_limits(values, error);

	if (status != PMPP_OK)
		return status;
	base->model = access_model_default();
	device->front = base->backend->front;
	device->worker_count = (size_t)values[LIMIT_WORKERS];
	device->timeout_s = values[LIMIT_TIMEOUT_S];
	return PMPP_OK;
}

void emu_close(struct gpu_device *device)
{
	for (size_t i = 0; i < EMU_MAX_WORKERS; i++)
		fiber_destroy(((struct emu_device *)device)->stacks[i]);
}

bool emu_can_fill(const struct gpu_device *device, enum gpu_fill fill)
{
	return ((const struct emu_device *)device)->front->fill_flags(fill, false) != NULL;
}

/* ---- Buffers ------------------------------------------------------------------------------- */

enum pmpp_status emu_buffer_create(struct gpu_buffer *base, struct pmpp_error *error)
{
	struct emu_device *device = (struct emu_device *)base->device;
	struct emu_buffer *buffer = (struct emu_buffer *)base;
	uint64_t all = 2 * base->guard_bytes + base->bytes;

	buffer->next = device->buffers;
	device->buffers = buffer;
	if (!fenced_memory_create(&buffer->memory, all))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a buffer of %llu bytes",
			(unsigned long long)all);
	buffer->data = buffer->memory.bytes + base->guard_bytes;
	return PMPP_OK;
}

void emu_buffer_destroy(struct gpu_buffer *base)
{
	struct emu_buffer *buffer = (struct emu_buffer *)base;
	struct emu_buffer **link = &((struct emu_device *)base->device)->buffers;

	while (*link != buffer)
		link = &(*link)->next;
	*link = buffer->next;
	fenced_memory_destroy(&buffer->memory);
}

enum pmpp_status emu_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	(void)error;
	memcpy(((struct emu_buffer *)buffer)->memory.bytes + start, source, bytes);
	return PMPP_OK;
}

enum pmpp_status emu_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	(void)error;
	memcpy(target, ((struct emu_buffer *)buffer)->memory.bytes + start, bytes);
	return PMPP_OK;
}

enum pmpp_status emu_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	char *target = ((struct emu_buffer *)buffer)->memory.bytes + start;

	(void)error;
	for (uint64_t i = 0; i < bytes; i += sizeof pattern)
		memcpy(target + i, &pattern, sizeof pattern);
	return PMPP_OK;
}

enum pmpp_status emu_buffer_copy(
	struct gpu_buffer *target, const struct gpu_buffer *source, struct pmpp_error *error)
{
	(void)error;
	memcpy(((struct emu_buffer *)target)->data, ((const struct emu_buffer *)source)->data,
		target->bytes);
	return PMPP_OK;
}

/* The copies are mappings of one file. Byte 0 of the buffer is at any place of a page, so the file begins with
 * the end of the source. */
enum pmpp_status emu_buffer_repeat(
	struct gpu_buffer *base, const void *source, uint64_t bytes, struct pmpp_error *error)
{
	const struct emu_buffer *buffer = (const struct emu_buffer *)base;
	const struct fenced_memory *memory = &buffer->memory;
	char *first = memory->map + memory->gap;
	uint64_t all = memory->map_bytes - 2 * memory->gap;
	uint64_t shift = (uint64_t)(buffer->data - first) % bytes, rest = bytes - shift;
	int file = memfd_create("pmpp-repeat", MFD_CLOEXEC);
	bool done = file >= 0 && pwrite(file, source, rest, (off_t)shift) == (ssize_t)rest &&
		    pwrite(file, (const char *)source + rest, shift, 0) == (ssize_t)shift;

	for (uint64_t at = 0; at < all && done; at += bytes)
		done = mmap(first + at, bytes < all - at ? bytes : all - at, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
	if (file >= 0)
		close(file);
	return done ? PMPP_OK
		    : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			      "no memory for a repeated buffer of %llu bytes",
			      (unsigned long long)base->bytes);
}

/* ---- Test of the counts -------------------------------------------------------------------- */

/* Tests the counts of a watched launch with a known kernel. The counts depend on the code that the
 * C++ compiler generates. The kernel has one of each:
 *   - a strided load, and a 16-byte access
 *   - a bank conflict in shared memory
 *   - a branch in a loop that different lanes take each time
 *   - a barrier, and an atomic operation on one address
 */
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

static bool access_holds(const struct trace *trace, const struct expected_access *expected)
{
	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		if (access->line == expected->line && access->kind == expected->kind &&
			access->space == expected->space)
			return access->requests == expected->requests &&
			       access->lanes == expected->lanes &&
			       access->sectors == expected->sectors &&
			       access->ways == expected->ways &&
			       access->width_bytes == expected->width_bytes &&
			       access->same_address == expected->same_address;
	}
	return false;
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
		gpu_watch(device, &watch, ret_trace);
		status = gpu_launch(kernel,
			&(struct gpu_launch){.groups = {1, 1, 1},
				.block = {THREADS, 1, 1},
				.args = args,
				.arg_count = 3},
			error);
		gpu_watch(device, NULL, NULL);
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
		const struct access_model *model = device->model;
		device->model = access_model_default(); /* which the expected counts are for */
		status = watch_known_kernel(device, &trace, error);
		device->model = model;
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
