#include "common/model/chip.h"
#include "common/model/last_level_cache.h"
#include "host/gpu/arguments.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc.h"
#include "host/io/parallel.h"

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

enum pmpp_status cuda_open(struct gpu_device *base, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(base);

	if (!find_device(&base->info, &device->id))
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "there is no device %s named '%s'",
			base->info.index, base->info.name);
	enum pmpp_status status = CU_CALL(
		error, PMPP_UNAVAILABLE, cuDevicePrimaryCtxRetain, &device->context, device->id);
	device->retained = status == PMPP_OK;
	/* Not the default stream: other users of the primary context may wait for it. */
	if (status == PMPP_OK)
		status = CU_CALL_IN(device, error, PMPP_UNAVAILABLE, cuStreamCreate,
			&device->stream, CU_STREAM_NON_BLOCKING);
	if (status == PMPP_OK)
		status = CU_CALL(
			error, PMPP_UNAVAILABLE, cuEventCreate, &device->begin, CU_EVENT_DEFAULT);
	if (status == PMPP_OK)
		status = CU_CALL(
			error, PMPP_UNAVAILABLE, cuEventCreate, &device->end, CU_EVENT_DEFAULT);
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
	for (int i = 0; i < 2; i++)
		if (self->staging[i])
			cuda.cuMemFreeHost(self->staging[i]);
	if (self->retained) {
		cuda.cuCtxSetCurrent(NULL);
		cuda.cuDevicePrimaryCtxRelease(self->id);
	}
}

/* ---- Buffers ------------------------------------------------------------------------------- */

static uint64_t free_bytes(struct gpu_device *device)
{
	size_t left = 0, all = 0;

	if (cuda.cuCtxSetCurrent(cuda_device_of(device)->context) != CUDA_SUCCESS ||
		cuda.cuMemGetInfo(&left, &all) != CUDA_SUCCESS)
		return UINT64_MAX;
	return left;
}

enum pmpp_status cuda_buffer_create(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(buffer->device);
	struct cuda_buffer *self = (struct cuda_buffer *)buffer;
	/* Aligned to at least 256 bytes (CUDA C++ programming guide, device memory accesses).
	 * Guards are multiples of 256 bytes, so the operand has the same alignment. */
	enum pmpp_status status = CU_CALL_IN(device, error, PMPP_LAUNCH, cuMemAlloc, &self->parent,
		buffer->bytes + 2 * buffer->guard_bytes);

	self->operand = self->parent + buffer->guard_bytes;
	return status;
}

void cuda_buffer_destroy(struct gpu_buffer *buffer)
{
	struct cuda_buffer *self = (struct cuda_buffer *)buffer;

	cuda.cuCtxSetCurrent(cuda_device_of(buffer->device)->context);
	if (self->parent)
		cuda.cuMemFree(self->parent);
}

/* ---- Copies -------------------------------------------------------------------------------- */

/* The driver copies pageable memory with one thread. So large copies use two pieces of page-locked memory: all CPUs
 * copy one piece while the device copies the other. */
#define STAGING_BYTES ((uint64_t)32 << 20)
#define LARGE_COPY_BYTES ((uint64_t)4 << 20)

static bool has_staging(struct cuda_device *device)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	for (int i = 0; i < 2; i++)
		if (!device->staging[i] &&
			CU_CALL_IN(device, &ignored, PMPP_LAUNCH, cuMemHostAlloc,
				&device->staging[i], STAGING_BYTES, 0) != PMPP_OK)
			device->staging[i] = NULL;
	pmpp_error_clear(&ignored);
	return device->staging[0] && device->staging[1];
}

static uint64_t piece_bytes(uint64_t first, uint64_t bytes)
{
	return bytes - first < STAGING_BYTES ? bytes - first : STAGING_BYTES;
}

static enum pmpp_status finish_copy(struct cuda_device *device, struct pmpp_error *error)
{
	return CU_CALL(error, PMPP_LAUNCH, cuStreamSynchronize, device->stream);
}

static enum pmpp_status write_large(struct cuda_device *device, CUdeviceptr target,
	const char *source, uint64_t bytes, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	int staging = 0;

	for (uint64_t first = 0; first < bytes && status == PMPP_OK; first += STAGING_BYTES) {
		uint64_t piece = piece_bytes(first, bytes);

		parallel_copy(device->staging[staging], source + first, piece);
		status = finish_copy(device, error); /* of the other piece */
		if (status == PMPP_OK)
			status = CU_CALL_IN(device, error, PMPP_LAUNCH, cuMemcpyHtoDAsync,
				target + first, device->staging[staging], piece, device->stream);
		staging = !staging;
	}
	return status;
}

static enum pmpp_status read_piece(struct cuda_device *device, int staging, CUdeviceptr source,
	uint64_t bytes, struct pmpp_error *error)
{
	return CU_CALL_IN(device, error, PMPP_LAUNCH, cuMemcpyDtoHAsync, device->staging[staging],
		source, bytes, device->stream);
}

static enum pmpp_status read_large(struct cuda_device *device, CUdeviceptr source, char *target,
	uint64_t bytes, struct pmpp_error *error)
{
	enum pmpp_status status = read_piece(device, 0, source, piece_bytes(0, bytes), error);
	int staging = 0;

	for (uint64_t first = 0; first < bytes && status == PMPP_OK; first += STAGING_BYTES) {
		uint64_t piece = piece_bytes(first, bytes), next = first + piece;

		status = finish_copy(device, error);
		if (status == PMPP_OK && next < bytes)
			status = read_piece(
				device, !staging, source + next, piece_bytes(next, bytes), error);
		if (status == PMPP_OK)
			parallel_copy(target + first, device->staging[staging], piece);
		staging = !staging;
	}
	return status;
}

enum pmpp_status cuda_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(buffer->device);
	CUdeviceptr target = ((struct cuda_buffer *)buffer)->parent + start;
	enum pmpp_status status =
		bytes >= LARGE_COPY_BYTES && has_staging(device)
			? write_large(device, target, source, bytes, error)
			: CU_CALL_IN(device, error, PMPP_LAUNCH, cuMemcpyHtoDAsync, target, source,
				  bytes, device->stream);

	return status == PMPP_OK ? finish_copy(device, error) : status;
}

enum pmpp_status cuda_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(buffer->device);
	CUdeviceptr source = ((struct cuda_buffer *)buffer)->parent + start;
	enum pmpp_status status =
		bytes >= LARGE_COPY_BYTES && has_staging(device)
			? read_large(device, source, target, bytes, error)
			: CU_CALL_IN(device, error, PMPP_LAUNCH, cuMemcpyDtoHAsync, target, source,
				  bytes, device->stream);

	return status == PMPP_OK ? finish_copy(device, error) : status;
}

enum pmpp_status cuda_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(buffer->device);
	struct cuda_buffer *self = (struct cuda_buffer *)buffer;

	return CU_CALL_IN(device, error, PMPP_LAUNCH, cuMemsetD32Async, self->parent + start,
		pattern, bytes / 4, device->stream);
}

enum pmpp_status cuda_buffer_copy(
	struct gpu_buffer *target, const struct gpu_buffer *source, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(target->device);

	return CU_CALL_IN(device, error, PMPP_LAUNCH, cuMemcpyDtoDAsync,
		((struct cuda_buffer *)target)->operand,
		((const struct cuda_buffer *)source)->operand, target->bytes, device->stream);
}

/* ---- Tile maps ----------------------------------------------------------------------------- */

_Static_assert(sizeof(struct gpu_tile_map) == sizeof(CUtensorMap), "a tile map is a tensor map");

/* The driver counts extents from the fastest one: columns, then rows. */
static enum pmpp_status tile_map(const struct gpu_tile_map_desc *desc, struct gpu_tile_map *ret_map,
	struct pmpp_error *error)
{
	const struct cuda_buffer *buffer = (const struct cuda_buffer *)desc->buffer;
	const uint64_t extents[] = {desc->columns, desc->rows};
	const uint64_t strides[] = {desc->pitch_bytes};
	const uint32_t box[] = {desc->tile_columns, desc->tile_rows};
	const uint32_t every_element[] = {1, 1};
	CUtensorMap map;
	enum pmpp_status status = CU_CALL_IN(cuda_device_of(desc->buffer->device), error,
		PMPP_LAUNCH, cuTensorMapEncodeTiled, &map,
		desc->element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
					 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
		2, (void *)(uintptr_t)buffer->operand, extents, strides, box, every_element,
		CU_TENSOR_MAP_INTERLEAVE_NONE,
		desc->swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
		CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

	if (status == PMPP_OK)
		memcpy(ret_map, &map, sizeof *ret_map);
	return status;
}

/* ---- Launch -------------------------------------------------------------------------------- */

/* The addresses of the values, and integers of another size than their parameter. */
struct values {
	void *address[GPU_MAX_ARGS];
	int64_t room[GPU_MAX_ARGS];
};

/* bytes: of the parameter; 0: unknown. Returns NULL if the argument does not fit. */
static const void *value_of(const struct gpu_arg *arg, size_t bytes, int64_t *room)
{
	if (arg->kind == GPU_ARG_BUFFER)
		return bytes == 0 || bytes == sizeof(CUdeviceptr)
			       ? &((const struct cuda_buffer *)arg->as.buffer)->operand
			       : NULL;
	if (arg->kind == GPU_ARG_TILE_MAP)
		return bytes == 0 || bytes == sizeof(struct gpu_tile_map) ? arg->as.tile_map : NULL;
	return gpu_argument_value(arg, bytes, room);
}

/* The driver gets pointers and reads the bytes of the kernel's parameters. Number and sizes of the
 * arguments are therefore checked first, if the driver reports those of the kernel. */
static enum pmpp_status set_args(const struct cuda_kernel *kernel, const struct gpu_launch *launch,
	struct values *ret_values, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &kernel->base.program->device->info;
	bool known = kernel->arg_count >= 0;
	char found[64];

	if (known && launch->arg_count != (size_t)kernel->arg_count)
		return gpu_refuse_count(info, launch, (size_t)kernel->arg_count, error);
	for (size_t i = 0; i < launch->arg_count; i++) {
		const void *value = value_of(
			&launch->args[i], known ? kernel->arg_bytes[i] : 0, &ret_values->room[i]);

		if (!value) {
			snprintf(found, sizeof found, "the kernel has %zu bytes",
				kernel->arg_bytes[i]);
			return gpu_refuse_argument(info, launch, i, found, error);
		}
		ret_values->address[i] = (void *)value; /* the driver only reads it */
	}
	return PMPP_OK;
}

/* Dynamic shared memory above 48 KiB must be enabled for the kernel before the launch. */
static enum pmpp_status allow_shared(
	struct cuda_kernel *kernel, uint32_t shared_bytes, struct pmpp_error *error)
{
	enum pmpp_status status;

	if (shared_bytes <= kernel->dynamic_bytes)
		return PMPP_OK;
	status = CU_CALL(error, PMPP_UNSUPPORTED, cuFuncSetAttribute, kernel->function,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes);
	if (status == PMPP_OK)
		kernel->dynamic_bytes = shared_bytes;
	return status;
}

enum pmpp_status cuda_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(kernel->program->device);
	struct cuda_kernel *self = (struct cuda_kernel *)kernel;
	struct values values = {{NULL}, {0}};
	const uint32_t *block = launch->block;
	unsigned groups[3];
	enum pmpp_status status = set_args(self, launch, &values, error);

	for (int i = 0; i < 3; i++)
		groups[i] = (unsigned)launch->groups[i];
	if (status == PMPP_OK)
		status = cuda_enter(device, error);
	if (status == PMPP_OK)
		status = allow_shared(self, launch->shared_bytes, error);
	if (status != PMPP_OK)
		return status;
	return CU_CALL(error, PMPP_LAUNCH, cuLaunchKernel, self->function, groups[0], groups[1],
		groups[2], block[0], block[1], block[2], launch->shared_bytes, device->stream,
		values.address, NULL);
}

enum pmpp_status cuda_finish(struct gpu_device *device, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);

	return CU_CALL_IN(self, error, PMPP_LAUNCH, cuStreamSynchronize, self->stream);
}

/* ---- Timer --------------------------------------------------------------------------------- */

enum pmpp_status cuda_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);

	return CU_CALL_IN(self, error, PMPP_LAUNCH, cuEventRecord, self->begin, self->stream);
}

enum pmpp_status cuda_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);

	return CU_CALL_IN(self, error, PMPP_LAUNCH, cuEventRecord, self->end, self->stream);
}

enum pmpp_status cuda_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);
	float ms = 0.0f;
	enum pmpp_status status =
		CU_CALL_IN(self, error, PMPP_LAUNCH, cuEventSynchronize, self->end);

	if (status == PMPP_OK)
		status = CU_CALL(
			error, PMPP_LAUNCH, cuEventElapsedTime, &ms, self->begin, self->end);
	if (status == PMPP_OK)
		*ret_ns = (double)ms * 1e6;
	return status;
}

/* ---- Table --------------------------------------------------------------------------------- */

/* clang-format off */
#define SLOT(result, slot, parameters) .slot = cuda_##slot,
const struct gpu_backend gpu_backend_cuda = {
	.bytes = &(const struct gpu_struct_bytes)GPU_STRUCT_BYTES(cuda),
	GPU_SLOT_MAP(SLOT)
	.free_bytes = free_bytes,
	.tile_map = tile_map,
	.builds_in_threads = true,
	.libraries = {[PEER_CUBLAS] = &cuda_cublas, [PEER_CUB] = &cuda_cub},
	.offline = &cuda_offline,
};
/* clang-format on */
