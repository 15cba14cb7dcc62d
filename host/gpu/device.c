/* Devices: enumeration, opening, timing, tracing. */
#include "host/gpu/gpu.h"

#include "common/clean_text.h"
#include "common/model/access_model.h"
#include "common/model/occupancy.h"
#include "host/gpu/backend.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024
#define NVIDIA_STATIC_BYTES (48 * KIB)

/* ---- Names --------------------------------------------------------------------------------- */

const char *gpu_device_type_name(enum gpu_device_type type)
{
	static const char *const names[] = {
		[GPU_TYPE_GPU] = "gpu",
		[GPU_TYPE_CPU] = "cpu",
		[GPU_TYPE_EMULATED] = "emulated",
		[GPU_TYPE_OTHER] = "other",
	};
	return (size_t)type < sizeof names / sizeof *names ? names[type] : "unknown";
}

const char *gpu_device_text(const struct gpu_device_info *info, char text[GPU_TEXT_BYTES])
{
	snprintf(text, GPU_TEXT_BYTES, "%s:%s", gpu_backend_name(info->backend), info->index);
	return text;
}

/* ---- Devices ------------------------------------------------------------------------------- */

/* Limits the grid to the size that every CUDA device allows. OpenCL has no such limit, but a launch
 * that works on one backend should work on all backends. */
static void clamp_groups(struct gpu_limits *limits)
{
	static const uint64_t max[3] = {INT32_MAX, 65535, 65535};

	for (int i = 0; i < 3; i++)
		if (limits->max_groups[i] > max[i])
			limits->max_groups[i] = max[i];
}

/* Texts of drivers may contain any bytes. */
static void clean(char *text, size_t size)
{
	char raw[sizeof((struct gpu_backend_state *)NULL)->reason];

	snprintf(raw, sizeof raw, "%s", text);
	clean_text(raw, strlen(raw), CLEAN_LINE, text, size);
}

static void clean_info(struct gpu_device_info *info)
{
	clean(info->name, sizeof info->name);
	clean(info->vendor, sizeof info->vendor);
	clean(info->platform, sizeof info->platform);
	clean(info->driver, sizeof info->driver);
	clean(info->compiler, sizeof info->compiler);
	clean(info->arch, sizeof info->arch);
}

enum pmpp_status gpu_enumerate(enum gpu_backend_id id, struct gpu_device_info **ret_infos,
	size_t *ret_count, struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(id, &missing);
	struct gpu_backend_state state = {.id = id};
	struct gpu_device_info *infos = NULL;
	size_t count = 0;
	enum pmpp_status status = PMPP_OK;

	if (backend)
		status = backend->enumerate(&infos, &count, &state, error);
	else
		snprintf(state.reason, sizeof state.reason, "%s", missing);
	if (status != PMPP_OK)
		return status;

	state.usable = count > 0;
	if (state.usable)
		state.reason[0] = '\0';
	clean(state.reason, sizeof state.reason);
	clean(state.library, sizeof state.library);
	clean(state.detail, sizeof state.detail);
	clean(state.advice, sizeof state.advice);
	for (size_t i = 0; i < count; i++) {
		clamp_groups(&infos[i].limits);
		clean_info(&infos[i]);
	}
	*ret_infos = infos;
	*ret_count = count;
	*ret_state = state;
	return PMPP_OK;
}

enum pmpp_status gpu_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(info->backend, &missing);
	char name[GPU_TEXT_BYTES];

	if (!backend)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "cannot open %s: %s",
			gpu_device_text(info, name), missing);
	struct gpu_device *device = calloc(1, backend->bytes->device);
	if (!device)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	device->info = *info;
	device->backend = backend;
	enum pmpp_status status = backend->open(device, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(error, "cannot open %s", gpu_device_text(info, name));
		gpu_close(&device);
		return status;
	}
	*ret_device = device;
	return PMPP_OK;
}

void gpu_close(struct gpu_device **device)
{
	if (!device || !*device)
		return;
	(*device)->backend->close(*device);
	free(*device);
	*device = NULL;
}

bool gpu_fence_buffers(struct gpu_device *device)
{
	const struct gpu_backend *backend = device->backend;

	device->fenced = backend->fence_buffers && backend->fence_buffers(device);
	return device->fenced;
}

/* ---- Queue and device timer ---------------------------------------------------------------- */

enum pmpp_status gpu_finish(struct gpu_device *device, struct pmpp_error *error)
{
	return device->backend->finish(device, error);
}

enum pmpp_status gpu_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	enum pmpp_status status = device->backend->timer_begin(device, error);

	device->timer = status == PMPP_OK ? GPU_TIMER_OPEN : GPU_TIMER_IDLE;
	device->timed_commands = 0;
	return status;
}

enum pmpp_status gpu_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	if (device->timer != GPU_TIMER_OPEN || device->timed_commands == 0)
		return PMPP_FAIL(error, PMPP_INTERNAL, "nothing was queued in the timed interval");
	enum pmpp_status status = device->backend->timer_end(device, error);
	device->timer = status == PMPP_OK ? GPU_TIMER_ENDED : GPU_TIMER_IDLE;
	return status;
}

enum pmpp_status gpu_timer_read(struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	if (device->timer != GPU_TIMER_ENDED)
		return PMPP_FAIL(error, PMPP_INTERNAL, "no timed interval has ended");
	return device->backend->timer_read(device, ret_ns, error);
}

/* ---- Optional operations ------------------------------------------------------------------- */

bool gpu_is_emulator(const struct gpu_device *device)
{
	return device->backend->front != NULL;
}

void gpu_set_order(struct gpu_device *device, enum gpu_order order, uint64_t seed)
{
	assert(gpu_is_emulator(device));
	device->order = order;
	device->order_seed = seed;
}

bool gpu_can_map_tiles(const struct gpu_device *device)
{
	return device->backend->tile_map && device->info.capabilities & PMPP_CAP_WGMMA;
}

/* GPUs without a model of their occupancy, and shared memory of a block (docs/vendors.md, "All devices"). */
static const char *const small_gpus[] = {"apple-m1", "mali-g77", "adreno"};
#define SMALL_SHARED_BYTES (32 * KIB)

static void lower(uint32_t *limit, int64_t value)
{
	if (value < (int64_t)*limit)
		*limit = (uint32_t)value;
}

static void limit_to_model(struct gpu_device *device, const struct access_model *model)
{
	const struct occupancy_unit *unit = occupancy_unit_find(model->name);
	struct gpu_limits *limits = &device->info.limits;
	int64_t shared = unit ? unit->block_shared_bytes : limits->shared_optin_bytes;

	for (size_t i = 0; i < sizeof small_gpus / sizeof *small_gpus; i++)
		if (strcmp(small_gpus[i], model->name) == 0)
			shared = SMALL_SHARED_BYTES;
	int64_t fixed =
		unit && unit->cc && shared > NVIDIA_STATIC_BYTES ? NVIDIA_STATIC_BYTES : shared;
	bool cuda = gpu_backend_row(device->info.backend)->language == GPU_LANGUAGE_CUDA_C;
	lower(&limits->shared_bytes, fixed);
	lower(&limits->shared_optin_bytes, cuda ? shared : fixed);
	if (!unit)
		return;
	lower(&limits->max_block_threads, unit->block_threads);
	for (size_t i = 0; i < 3; i++)
		lower(&limits->max_block[i], unit->block_threads);
}

void gpu_set_model(struct gpu_device *device, const struct access_model *model, bool limits)
{
	assert(gpu_is_emulator(device));
	device->model = model;
	device->info.limits.warp_size = model->lanes;
	shape_set_model(&device->info.shape, model);
	if (limits)
		limit_to_model(device, model);
}

bool gpu_can_fill(const struct gpu_device *device, enum gpu_fill fill)
{
	return device->backend->can_fill && device->backend->can_fill(device, fill);
}

bool gpu_builds_in_threads(const struct gpu_device *device)
{
	return device->backend->builds_in_threads;
}

bool gpu_can_evict(const struct gpu_device *device)
{
	return device->backend->can_evict && device->backend->can_evict(device);
}

void gpu_watch(struct gpu_device *device, const struct gpu_watch *watch, struct trace *ret_trace)
{
	assert(gpu_is_emulator(device));
	device->watch = watch;
	device->trace = ret_trace;
}

enum pmpp_status gpu_watch_test(struct gpu_device *device, struct pmpp_error *error)
{
	char name[GPU_TEXT_BYTES];

	if (!gpu_is_emulator(device))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s cannot trace launches",
			gpu_device_text(&device->info, name));
	return device->backend->watch_test(device, error);
}
