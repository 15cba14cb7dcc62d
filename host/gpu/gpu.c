#include "host/gpu/gpu.h"

#include "host/gpu/backend.h"
#include "host/gpu/backend_text.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Names --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *folder;
	const char *extension;
	const struct gpu_backend *backend;
} backends[GPU_BACKEND_COUNT] = {
	[GPU_BACKEND_OPENCL] = {"opencl", "cl_kernels", ".cl", &gpu_backend_opencl},
	[GPU_BACKEND_CUDA] = {"cuda", "cuda_kernels", ".cu", &gpu_backend_cuda},
	[GPU_BACKEND_CUDA_EMU] = {"cuda-emu", "cuda_kernels", ".cu", &gpu_backend_cuda_emu},
	[GPU_BACKEND_FAKE] = {"fake", "cuda_kernels", ".cu", NULL},
};

static const struct gpu_backend *fake_backend;

void gpu_backend_register_fake(const struct gpu_backend *backend)
{
	fake_backend = backend;
}

static const struct gpu_backend *find_backend(enum gpu_backend_id id)
{
	if ((size_t)id >= GPU_BACKEND_COUNT)
		return NULL;
	return id == GPU_BACKEND_FAKE ? fake_backend : backends[id].backend;
}

const char *gpu_backend_name(enum gpu_backend_id id)
{
	return (size_t)id < GPU_BACKEND_COUNT ? backends[id].name : "unknown";
}

bool gpu_backend_find(const char *name, enum gpu_backend_id *ret_id)
{
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++) {
		if (strcmp(name, backends[i].name) == 0) {
			*ret_id = (enum gpu_backend_id)i;
			return true;
		}
	}
	return false;
}

const char *gpu_backend_kernel_folder(enum gpu_backend_id id)
{
	return (size_t)id < GPU_BACKEND_COUNT ? backends[id].folder : "";
}

const char *gpu_backend_kernel_extension(enum gpu_backend_id id)
{
	return (size_t)id < GPU_BACKEND_COUNT ? backends[id].extension : "";
}

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

const char *gpu_cache_outcome_name(enum gpu_cache_outcome outcome)
{
	static const char *const names[] = {
		[GPU_CACHE_NONE] = "none",
		[GPU_CACHE_HIT] = "hit",
		[GPU_CACHE_MISS] = "miss",
		[GPU_CACHE_REBUILT] = "rebuilt",
	};
	return (size_t)outcome < sizeof names / sizeof *names ? names[outcome] : "unknown";
}

/* ---- Devices ------------------------------------------------------------------------------- */

/* The grid that every CUDA device allows. OpenCL has no such limit of its own; with the same one a
 * launch that works on one backend works on all of them. */
static void clamp_groups(struct gpu_limits *limits)
{
	static const uint64_t most[3] = {INT32_MAX, 65535, 65535};

	for (int i = 0; i < 3; i++)
		if (limits->max_groups[i] > most[i])
			limits->max_groups[i] = most[i];
}

enum pmpp_status gpu_enumerate(enum gpu_backend_id id, struct gpu_device_info **ret_infos,
	size_t *ret_count, struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	const struct gpu_backend *backend = find_backend(id);
	struct gpu_backend_state state = {.id = id};
	struct gpu_device_info *infos = NULL;
	size_t count = 0;
	enum pmpp_status status = PMPP_OK;

	if (backend)
		status = backend->enumerate(&infos, &count, &state, error);
	else
		snprintf(state.reason, sizeof state.reason, "no %s backend is registered",
			gpu_backend_name(id));
	if (status != PMPP_OK)
		return status;

	state.usable = count > 0;
	if (state.usable)
		state.reason[0] = '\0';
	for (size_t i = 0; i < count; i++)
		clamp_groups(&infos[i].limits);
	*ret_infos = infos;
	*ret_count = count;
	*ret_state = state;
	return PMPP_OK;
}

enum pmpp_status gpu_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error)
{
	const struct gpu_backend *backend = find_backend(info->backend);
	struct gpu_device *device = NULL;
	char name[GPU_TEXT_BYTES];
	enum pmpp_status status;

	if (!backend)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "no %s backend is registered",
			gpu_backend_name(info->backend));

	status = backend->open(info, &device, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(error, "cannot open %s", gpu_device_text(info, name));
		return status;
	}
	device->info = *info;
	device->backend = backend;
	*ret_device = device;
	return PMPP_OK;
}

void gpu_close(struct gpu_device **device)
{
	if (!device || !*device)
		return;
	(*device)->backend->close(*device);
	*device = NULL;
}

/* ---- Buffers ------------------------------------------------------------------------------- */

/* Two amounts that are compared: in bytes where rounding would make them look alike. */
static void compared_bytes_text(uint64_t needed, uint64_t there, char needed_text[GPU_TEXT_BYTES],
	char there_text[GPU_TEXT_BYTES])
{
	gpu_bytes_text(needed, needed_text);
	gpu_bytes_text(there, there_text);
	if (strcmp(needed_text, there_text) == 0) {
		snprintf(needed_text, GPU_TEXT_BYTES, "%llu B", (unsigned long long)needed);
		snprintf(there_text, GPU_TEXT_BYTES, "%llu B", (unsigned long long)there);
	}
}

/* Does a buffer of total bytes, guards included, fit? */
static enum pmpp_status check_room(
	const struct gpu_device *device, uint64_t total, struct pmpp_error *error)
{
	const struct gpu_limits *limits = &device->info.limits;
	uint64_t left = limits->global_bytes > device->allocated_bytes
				? limits->global_bytes - device->allocated_bytes
				: 0;
	char name[GPU_TEXT_BYTES], needed[GPU_TEXT_BYTES], there[GPU_TEXT_BYTES],
		all[GPU_TEXT_BYTES];

	gpu_device_text(&device->info, name);
	if (total > limits->max_buffer_bytes) {
		compared_bytes_text(total, limits->max_buffer_bytes, needed, there);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"a buffer of %s is needed, but the largest that %s allows is %s", needed,
			name, there);
	}
	if (total > left) {
		compared_bytes_text(total, left, needed, there);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"a buffer of %s is needed, but %s has %s left of %s", needed, name, there,
			gpu_bytes_text(limits->global_bytes, all));
	}
	return PMPP_OK;
}

enum pmpp_status gpu_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error)
{
	uint64_t align = device->info.limits.buffer_align_bytes;
	struct gpu_buffer *buffer = NULL;
	uint64_t total;
	char name[GPU_TEXT_BYTES], needed[GPU_TEXT_BYTES], held[GPU_TEXT_BYTES],
		all[GPU_TEXT_BYTES];
	enum pmpp_status status;

	if (bytes == 0)
		return PMPP_FAIL(error, PMPP_INTERNAL, "a buffer of 0 bytes was asked for");
	if (align > 1 && guard_bytes % align != 0)
		return PMPP_FAIL(error, PMPP_INTERNAL, "guards of %llu bytes: no multiple of %llu",
			(unsigned long long)guard_bytes, (unsigned long long)align);
	if (__builtin_mul_overflow(guard_bytes, 2, &total) ||
		__builtin_add_overflow(total, bytes, &total))
		total = UINT64_MAX;
	status = check_room(device, total, error);
	if (status != PMPP_OK)
		return status;

	status = device->backend->buffer_create(device, bytes, guard_bytes, &buffer, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(error, "a buffer of %s on %s, which holds %s of %s already",
			gpu_bytes_text(total, needed), gpu_device_text(&device->info, name),
			gpu_bytes_text(device->allocated_bytes, held),
			gpu_bytes_text(device->info.limits.global_bytes, all));
		return status;
	}
	buffer->device = device;
	buffer->bytes = bytes;
	buffer->guard_bytes = guard_bytes;
	device->allocated_bytes += total;
	*ret_buffer = buffer;
	return PMPP_OK;
}

void gpu_buffer_destroy(struct gpu_buffer **buffer)
{
	struct gpu_device *device;

	if (!buffer || !*buffer)
		return;
	device = (*buffer)->device;
	device->allocated_bytes -= (*buffer)->bytes + 2 * (*buffer)->guard_bytes;
	device->backend->buffer_destroy(*buffer);
	*buffer = NULL;
}

/* *ret_start counts from the first byte of the leading guard. */
static enum pmpp_status check_range(const struct gpu_buffer *buffer, const char *what,
	int64_t offset, uint64_t bytes, uint64_t *ret_start, struct pmpp_error *error)
{
	uint64_t total = buffer->bytes + 2 * buffer->guard_bytes;
	/* Unsigned arithmetic: an offset before the leading guard wraps to a huge start. */
	uint64_t start = buffer->guard_bytes + (uint64_t)offset;

	if (start > total || bytes > total - start)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"%s of %llu bytes at offset %lld: the buffer has %llu bytes and guards of "
			"%llu",
			what, (unsigned long long)bytes, (long long)offset,
			(unsigned long long)buffer->bytes, (unsigned long long)buffer->guard_bytes);
	*ret_start = start;
	return PMPP_OK;
}

enum pmpp_status gpu_buffer_write(struct gpu_buffer *buffer, int64_t offset, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	uint64_t start = 0;
	enum pmpp_status status = check_range(buffer, "a write", offset, bytes, &start, error);

	if (status != PMPP_OK || bytes == 0)
		return status;
	return buffer->device->backend->buffer_write(buffer, start, source, bytes, error);
}

enum pmpp_status gpu_buffer_read(struct gpu_buffer *buffer, int64_t offset, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	uint64_t start = 0;
	enum pmpp_status status = check_range(buffer, "a read", offset, bytes, &start, error);

	if (status != PMPP_OK || bytes == 0)
		return status;
	return buffer->device->backend->buffer_read(buffer, start, target, bytes, error);
}

enum pmpp_status gpu_buffer_fill(struct gpu_buffer *buffer, int64_t offset, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	uint64_t start = 0;
	enum pmpp_status status = check_range(buffer, "a fill", offset, bytes, &start, error);

	if (status != PMPP_OK || bytes == 0)
		return status;
	if (offset % 4 != 0 || bytes % 4 != 0)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"a fill of %llu bytes at offset %lld: both must be multiples of 4",
			(unsigned long long)bytes, (long long)offset);
	return buffer->device->backend->buffer_fill(buffer, start, bytes, pattern, error);
}

/* ---- Programs and kernels ------------------------------------------------------------------ */

static enum pmpp_status check_macro(const struct gpu_macro *macro, struct pmpp_error *error)
{
	size_t length = strlen(macro->name);

	if (length < 4)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"macro %s: names of fewer than four letters break vendors' headers",
			macro->name);
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)macro->name[i]) && macro->name[i] != '_')
			return PMPP_FAIL(
				error, PMPP_INTERNAL, "macro '%s' is no identifier", macro->name);
	return PMPP_OK;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Adds the first line of a compiler's log that speaks of an error. */
static void append_first_error(struct pmpp_error *error)
{
	const char *line = error->log;

	while (line && *line) {
		size_t length = strcspn(line, "\n");

		if (memmem(line, length, "error", strlen("error"))) {
			pmpp_error_append(
				error, ": %.*s", (int)(length < 300 ? length : 300), line);
			return;
		}
		line += length + (line[length] == '\n');
	}
}

enum pmpp_status gpu_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error)
{
	struct gpu_program *program = NULL;
	char name[GPU_TEXT_BYTES];
	double begin_ms;
	enum pmpp_status status;

	for (size_t i = 0; i < desc->macro_count; i++) {
		status = check_macro(&desc->macros[i], error);
		if (status != PMPP_OK)
			return status;
	}

	begin_ms = now_ms();
	status = device->backend->program_create(device, desc, &program, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(
			error, "%s on %s", desc->name, gpu_device_text(&device->info, name));
		append_first_error(error);
		return status;
	}
	program->device = device;
	program->compile_ms = now_ms() - begin_ms;
	*ret_program = program;
	return PMPP_OK;
}

void gpu_program_destroy(struct gpu_program **program)
{
	char *options, *log;

	if (!program || !*program)
		return;
	options = (*program)->options;
	log = (*program)->log;
	(*program)->device->backend->program_destroy(*program);
	free(options);
	free(log);
	*program = NULL;
}

/* A driver may find out only at the launch, and PoCL 3.1 then aborts the whole process. */
static enum pmpp_status check_static_shared(struct gpu_kernel *kernel, struct pmpp_error *error)
{
	const struct gpu_device *device = kernel->program->device;
	struct gpu_kernel_resources resources;
	char name[GPU_TEXT_BYTES];
	enum pmpp_status status = gpu_kernel_resources(kernel, &resources, error);

	if (status != PMPP_OK)
		return status;
	if (resources.shared_bytes > (int64_t)device->info.limits.shared_bytes)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"kernel %s: %lld bytes of shared memory a block, %s has %lu", kernel->entry,
			(long long)resources.shared_bytes, gpu_device_text(&device->info, name),
			(unsigned long)device->info.limits.shared_bytes);
	return PMPP_OK;
}

enum pmpp_status gpu_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error)
{
	const struct gpu_backend *backend = program->device->backend;
	struct gpu_kernel *kernel = NULL;
	enum pmpp_status status;

	if (strlen(entry) >= sizeof kernel->entry)
		return PMPP_FAIL(error, PMPP_INTERNAL, "the entry name %s is too long", entry);

	status = backend->kernel_create(program, entry, &kernel, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(error, "kernel %s", entry);
		return status;
	}
	kernel->program = program;
	snprintf(kernel->entry, sizeof kernel->entry, "%s", entry);

	status = check_static_shared(kernel, error);
	if (status != PMPP_OK) {
		backend->kernel_destroy(kernel);
		return status;
	}
	*ret_kernel = kernel;
	return PMPP_OK;
}

void gpu_kernel_destroy(struct gpu_kernel **kernel)
{
	if (!kernel || !*kernel)
		return;
	(*kernel)->program->device->backend->kernel_destroy(*kernel);
	*kernel = NULL;
}

enum pmpp_status gpu_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	return kernel->program->device->backend->kernel_resources(kernel, ret_resources, error);
}

/* ---- Queue and device timer ---------------------------------------------------------------- */

enum pmpp_status gpu_finish(struct gpu_device *device, struct pmpp_error *error)
{
	return device->backend->finish(device, error);
}

enum pmpp_status gpu_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	return device->backend->timer_begin(device, error);
}

enum pmpp_status gpu_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	return device->backend->timer_end(device, error);
}

enum pmpp_status gpu_timer_read(struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	return device->backend->timer_read(device, ret_ns, error);
}

/* ---- Optional operations ------------------------------------------------------------------- */

bool gpu_can_order(const struct gpu_device *device)
{
	return device->backend->set_order != NULL;
}

void gpu_set_order(struct gpu_device *device, enum gpu_order order, uint64_t seed)
{
	assert(gpu_can_order(device));
	device->backend->set_order(device, order, seed);
}

bool gpu_can_trace(const struct gpu_device *device)
{
	return device->backend->watch != NULL;
}

void gpu_watch(struct gpu_device *device, const struct gpu_watch *watch, struct trace *ret_trace)
{
	assert(gpu_can_trace(device));
	device->backend->watch(device, watch, ret_trace);
}

enum pmpp_status gpu_watch_test(struct gpu_device *device, struct pmpp_error *error)
{
	char name[GPU_TEXT_BYTES];

	if (!gpu_can_trace(device))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s cannot watch launches",
			gpu_device_text(&device->info, name));
	return device->backend->watch_test(device, error);
}
