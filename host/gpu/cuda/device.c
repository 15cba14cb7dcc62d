#include "common/model/chip.h"
#include "common/model/last_level_cache.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_ALIGN 256        /* bytes: alignment of byte 0 of a buffer (gpu.h) */
#define EVENT_RESOLUTION_NS 500 /* cuEventElapsedTime: "around 0.5 microseconds" */

/* ---- Queries: 0 if a query fails ----------------------------------------------------------- */

static uint32_t query(CUdevice id, CUdevice_attribute what)
{
	int value = 0;

	if (cuda.cuDeviceGetAttribute(&value, what, id) != CUDA_SUCCESS || value < 0)
		return 0;
	return (uint32_t)value;
}

/* The version of the kernel module, "580.95.05", which OpenCL reports too. cuDriverGetVersion
 * returns only the CUDA version of the driver. */
static void module_version(char *target, size_t size)
{
	FILE *file = fopen("/sys/module/nvidia/version", "r");

	target[0] = '\0';
	if (!file)
		return;
	if (fgets(target, (int)size, file))
		target[strcspn(target, "\n")] = '\0';
	fclose(file);
}

/* ---- One device ---------------------------------------------------------------------------- */

static void describe_identity(CUdevice id, struct gpu_device_info *info)
{
	CUuuid uuid;

	if (cuda.cuDeviceGetUuid(&uuid, id) == CUDA_SUCCESS) {
		unsigned char bytes[16];

		memcpy(bytes, uuid.bytes, sizeof bytes);
		gpu_uuid_text(bytes, info->uuid);
	}
	/* A GPU is function 0 of its PCI device. */
	gpu_pci_text(query(id, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
		query(id, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
		query(id, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID), 0, info->pci);
	snprintf(info->arch, sizeof info->arch, "sm_%u%u",
		query(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
		query(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

static void describe_limits(CUdevice id, struct gpu_device_info *info)
{
	struct gpu_limits *limits = &info->limits;
	size_t global_bytes = 0;

	if (cuda.cuDeviceTotalMem(&global_bytes, id) != CUDA_SUCCESS)
		global_bytes = 0;
	limits->max_groups[0] = query(id, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
	limits->max_groups[1] = query(id, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
	limits->max_groups[2] = query(id, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
	limits->max_block[0] = query(id, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
	limits->max_block[1] = query(id, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
	limits->max_block[2] = query(id, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
	limits->global_bytes = global_bytes;
	limits->max_buffer_bytes = global_bytes;
	limits->max_block_threads = query(id, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	limits->shared_bytes = query(id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
	limits->shared_optin_bytes =
		query(id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
	limits->cache_bytes = query(id, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
	limits->compute_units = query(id, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	limits->warp_size = query(id, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
	limits->clock_mhz = query(id, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
	limits->buffer_align_bytes = KERNEL_ALIGN;
	limits->timer_resolution_ns = EVENT_RESOLUTION_NS;
}

/* A query that fails gives 0: the figure stays unknown. */
static void describe_shape(CUdevice id, struct gpu_device_info *info)
{
	static const struct {
		enum shape_id id;
		CUdevice_attribute what;
		const char *name;
	} rows[] = {
#define XX(shape, attribute) {SHAPE_##shape, CU_DEVICE_ATTRIBUTE_##attribute, #attribute},
		XX(LANES, WARP_SIZE) XX(BLOCK_THREADS, MAX_THREADS_PER_BLOCK) XX(BLOCK_SHARED,
			MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) XX(UNITS, MULTIPROCESSOR_COUNT)
			XX(UNIT_THREADS, MAX_THREADS_PER_MULTIPROCESSOR)
				XX(UNIT_SHARED, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
#undef XX
	};
	const struct chip_facts facts = {.arch = info->arch};
	struct chip chip;
	const struct cache_facts caches = {.vendor = info->vendor,
		.name = info->name,
		.is_gpu = true,
		.reported_bytes = info->limits.cache_bytes,
		.memory_bytes = info->limits.global_bytes};
	struct device_shape *shape = &info->shape;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t value = query(id, rows[i].what);

		if (value > 0)
			shape_set(shape, rows[i].id, value, SHAPE_QUERY, rows[i].name);
	}
	shape_set_widths(shape, info->limits.warp_size);
	shape_set(shape, SHAPE_UNIFIED, query(id, CU_DEVICE_ATTRIBUTE_INTEGRATED), SHAPE_QUERY,
		"INTEGRATED");
	if (info->limits.clock_mhz > 0)
		shape_set(shape, SHAPE_CLOCK, info->limits.clock_mhz, SHAPE_QUERY, "CLOCK_RATE");
	last_level_cache_fill(&caches, "L2_CACHE_SIZE", shape);
	for (enum shape_id arithmetic = SHAPE_FP64; arithmetic <= SHAPE_SHUFFLE; arithmetic++)
		shape_set(shape, arithmetic, 1, SHAPE_TABLE, "compute capability 7.5");
	shape_set(shape, SHAPE_TIMER, EVENT_RESOLUTION_NS, SHAPE_TABLE, "cuEventElapsedTime");
	if (chip_find(&facts, &chip))
		chip_fill(&chip, shape);
}

static void describe_device(CUdevice id, int index, struct gpu_device_info *info)
{
	const struct nvrtc_library *compiler = nvrtc_library();
	char module[64];
	int version = 0;

	*info = (struct gpu_device_info){.backend = GPU_BACKEND_CUDA,
		.vendor = "NVIDIA Corporation",
		.type = GPU_TYPE_GPU,
		.capabilities = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_FP64 | PMPP_CAP_FP16 |
				PMPP_CAP_SHUFFLE | PMPP_CAP_WARP_REDUCE,
		.arithmetic = {
			[GPU_MATH_DEFAULT] = {.rules = ARITHMETIC_CUDA, .exact_divide = true},
			[GPU_MATH_STRICT] = {.rules = ARITHMETIC_CUDA, .exact_divide = true},
			/* -use_fast_math includes -ftz=true, which affects f32 only. */
			[GPU_MATH_FAST] = {.rules = ARITHMETIC_CUDA_FAST, .flushes_f32 = true},
		}};
	snprintf(info->index, sizeof info->index, "%d", index);
	if (cuda.cuDeviceGetName(info->name, (int)sizeof info->name, id) != CUDA_SUCCESS)
		info->name[0] = '\0';
	if (cuda.cuDriverGetVersion(&version) != CUDA_SUCCESS)
		version = 0;
	module_version(module, sizeof module);
	snprintf(info->driver, sizeof info->driver, "%s%sCUDA %d.%d", module, module[0] ? ", " : "",
		version / 1000, version % 1000 / 10);
	snprintf(info->compiler, sizeof info->compiler, "NVRTC %d.%d", compiler->major,
		compiler->minor);
	describe_identity(id, info);
	describe_limits(id, info);
	describe_shape(id, info);
	info->capabilities |= gpu_nvidia_capabilities(
		query(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), compiler->major);
	/* Later architectures lack these instructions. Older compilers do not support sm_90a. */
	if (strcmp(info->arch, "sm_90") == 0 && compiler->major >= 12 &&
		cuda.cuTensorMapEncodeTiled)
		info->capabilities |= PMPP_CAP_WGMMA;
}

/* ---- Enumeration --------------------------------------------------------------------------- */

static void describe_compiler(const struct nvrtc_library *compiler, struct gpu_backend_state *state)
{
	if (compiler->path[0] == '\0')
		return;
	snprintf(state->detail, sizeof state->detail, "NVRTC %d.%d: found through %s%s%.400s",
		compiler->major, compiler->minor, compiler->origin,
		compiler->headers[0] ? "; headers in " : "", compiler->headers);
	snprintf(state->advice, sizeof state->advice, "%s", compiler->advice);
}

/* Returns the number of CUDA devices. If it is 0, state->reason is set. */
static int count_devices(struct gpu_backend_state *state)
{
	const struct nvrtc_library *compiler = nvrtc_library();
	const char *reason;
	int count = 0;
	CUresult code;

	describe_compiler(compiler, state);
	if (!cuda_load(&reason)) {
		snprintf(state->reason, sizeof state->reason, "%s", reason);
		snprintf(state->library, sizeof state->library, "%.500s", compiler->path);
		return 0;
	}
	snprintf(state->library, sizeof state->library, "libcuda.so.1%s%.500s",
		compiler->path[0] ? ", " : "", compiler->path);
	code = cuda.cuDeviceGetCount(&count);
	if (code != CUDA_SUCCESS || count < 1) {
		snprintf(state->reason, sizeof state->reason, "no CUDA device (%s)",
			api_symbol(&cuda_codes, (long)code));
		return 0;
	}
	if (compiler->path[0] == '\0') {
		snprintf(state->reason, sizeof state->reason, "%s", compiler->reason);
		return 0;
	}
	return count;
}

enum pmpp_status cuda_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	int device_count = count_devices(ret_state);
	struct gpu_device_info *infos = NULL;
	size_t count = 0;

	if (device_count > 0) {
		infos = calloc((size_t)device_count, sizeof *infos);
		if (!infos)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	}
	for (int i = 0; i < device_count; i++) {
		CUdevice id;

		if (cuda.cuDeviceGet(&id, i) == CUDA_SUCCESS)
			describe_device(id, i, &infos[count++]);
	}
	if (device_count > 0 && count == 0) {
		snprintf(ret_state->reason, sizeof ret_state->reason,
			"%d CUDA device(s), but none can be used", device_count);
		free(infos);
		infos = NULL;
	}
	*ret_infos = infos;
	*ret_count = count;
	return PMPP_OK;
}

/* ---- Open and close ------------------------------------------------------------------------ */

static bool find_device(const struct gpu_device_info *info, CUdevice *ret_id)
{
	char name[sizeof info->name] = "";
	const char *reason;
	CUdevice id;
	int index;

	if (!cuda_load(&reason) || sscanf(info->index, "%d", &index) != 1 ||
		cuda.cuDeviceGet(&id, index) != CUDA_SUCCESS ||
		cuda.cuDeviceGetName(name, (int)sizeof name, id) != CUDA_SUCCESS ||
		strcmp(name, info->name) != 0)
		return false;
	*ret_id = id;
	return true;
}

enum pmpp_status cuda_enter(struct cuda_device *device, struct pmpp_error *error)
{
	return CU_CALL(error, PMPP_LAUNCH, cuCtxSetCurrent, device->context);
}

enum pmpp_status cuda_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error)
{
	struct cuda_device *device = calloc(1, sizeof *device);
	enum pmpp_status status;

	if (!device)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	if (!find_device(info, &device->id)) {
		status = PMPP_FAIL(error, PMPP_UNAVAILABLE, "there is no device %s named '%s'",
			info->index, info->name);
		goto out;
	}

	status = CU_CALL(
		error, PMPP_UNAVAILABLE, cuDevicePrimaryCtxRetain, &device->context, device->id);
	if (status != PMPP_OK)
		goto out;
	device->retained = true;
	status = cuda_enter(device, error);
	if (status != PMPP_OK)
		goto out;
	/* Not the default stream: other users of the primary context may wait for it. */
	status = CU_CALL(
		error, PMPP_UNAVAILABLE, cuStreamCreate, &device->stream, CU_STREAM_NON_BLOCKING);
	if (status != PMPP_OK)
		goto out;
	status = CU_CALL(
		error, PMPP_UNAVAILABLE, cuEventCreate, &device->begin, CU_EVENT_DEFAULT);
	if (status != PMPP_OK)
		goto out;
	status = CU_CALL(
		error, PMPP_UNAVAILABLE, cuEventCreate, &device->end, CU_EVENT_DEFAULT);
	if (status != PMPP_OK)
		goto out;
	*ret_device = &device->base;
	return PMPP_OK;

out:
	cuda_close(&device->base);
	return status;
}

void cuda_close(struct gpu_device *device)
{
	struct cuda_device *self = cuda_device_of(device);

	if (self->retained)
		cuda.cuCtxSetCurrent(self->context);
	if (self->begin)
		cuda.cuEventDestroy(self->begin);
	if (self->end)
		cuda.cuEventDestroy(self->end);
	if (self->stream) {
		cuda.cuStreamSynchronize(self->stream);
		cuda.cuStreamDestroy(self->stream);
	}
	if (self->retained) {
		cuda.cuCtxSetCurrent(NULL);
		cuda.cuDevicePrimaryCtxRelease(self->id);
	}
	free(self);
}
