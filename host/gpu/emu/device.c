#include "host/gpu/emu/internal.h"
#include "host/io/host_memory.h"
#include "host/io/os_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	double values[LIMIT_COUNT] = {
		[LIMIT_WORKERS] = fmin((double)sysconf(_SC_NPROCESSORS_ONLN), EMU_MAX_WORKERS),
		[LIMIT_TIMEOUT_S] = DEFAULT_TIMEOUT_S,
	};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && i < LIMIT_COUNT; i++)
		status = read_limit(&limits[i], &values[i], error);
	if (status == PMPP_OK)
		memcpy(ret_values, values, sizeof values);
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

static const struct emu_front *front_of(enum gpu_backend_id id)
{
	const char *missing;

	return gpu_backend_of(id, &missing)->front;
}

enum pmpp_status emu_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	const struct emu_front *front = front_of(ret_state->id);
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
		.shared_bytes = front->static_shared_bytes,
		.shared_optin_bytes = front->shared_bytes,
		.compute_units = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.warp_size = access_model_default()->lanes,
		.buffer_align_bytes = 256,
		.timer_resolution_ns = 1,
	};
	memcpy(info->limits.max_groups, front->max_groups, sizeof front->max_groups);
	memcpy(info->limits.max_block, front->max_block, sizeof front->max_block);
	describe_shape(info);
	snprintf(ret_state->library, sizeof ret_state->library, "%s", front->compiler());
	ret_state->usable = true;
	*ret_infos = info;
	*ret_count = 1;
	return PMPP_OK;
}

enum pmpp_status emu_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error)
{
	double values[LIMIT_COUNT];
	enum pmpp_status status = read_limits(values, error);

	if (status != PMPP_OK)
		return status;
	struct emu_device *device = calloc(1, sizeof *device);
	if (!device)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the device");
	device->front = front_of(info->backend);
	device->model = access_model_default();
	device->worker_count = (size_t)values[LIMIT_WORKERS];
	device->timeout_s = values[LIMIT_TIMEOUT_S];
	*ret_device = &device->base;
	return PMPP_OK;
}

void emu_close(struct gpu_device *device)
{
	emu_stacks_free((struct emu_device *)device);
	free(device);
}

void emu_set_order(struct gpu_device *device, enum gpu_order order, uint64_t seed)
{
	struct emu_device *emulator = (struct emu_device *)device;

	emulator->order = order;
	emulator->order_seed = seed;
}

void emu_set_model(struct gpu_device *device, const struct access_model *model)
{
	((struct emu_device *)device)->model = model;
}

bool emu_can_fill(const struct gpu_device *device, enum gpu_fill fill)
{
	return ((const struct emu_device *)device)->front->fill_flags(fill, false) != NULL;
}

void emu_watch(struct gpu_device *device, const struct gpu_watch *watch, struct trace *ret_trace)
{
	struct emu_device *emulator = (struct emu_device *)device;

	emulator->watch = watch;
	emulator->trace = ret_trace;
}
