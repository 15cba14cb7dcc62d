/* Libraries: validates calls, and copies with the driver's own function. */
#include "host/gpu/library.h"

#include "host/gpu/backend.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- The driver's copy ---------------------------------------------------------------------- */

static enum pmpp_status open_driver(struct gpu_library *library, struct pmpp_error *error)
{
	(void)error;
	snprintf(library->name, sizeof library->name, "driver");
	return PMPP_OK;
}

static void close_driver(struct gpu_library *library)
{
	(void)library;
}

static enum pmpp_status copy(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error)
{
	(void)library;
	return gpu_buffer_copy(call->buffers[1], call->buffers[0], error);
}

static const struct gpu_library_driver copies = {.operations = 1u << PEER_COPY,
	.bytes = sizeof(struct gpu_library),
	.open = open_driver,
	.close = close_driver,
	.call = copy};

/* ---- Opening -------------------------------------------------------------------------------- */

static const struct gpu_library_driver *find_driver(
	const struct gpu_device_info *info, enum peer_library id)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(info->backend, &missing);
	const struct gpu_library_driver *driver = !backend            ? NULL
						  : id == PEER_DRIVER ? &copies
								      : backend->libraries[id];
	bool fits = driver && info->engine != GPU_ENGINE_INTERPRETER &&
		    (id != PEER_DRIVER || info->type != GPU_TYPE_EMULATED) &&
		    (!driver->cpu_only || info->type == GPU_TYPE_CPU);

	return fits ? driver : NULL;
}

bool gpu_takes_library(const struct gpu_device_info *info, enum peer_library id)
{
	return find_driver(info, id) != NULL;
}

enum pmpp_status gpu_library_open(struct gpu_device *device, enum peer_library id,
	struct gpu_library **ret_library, struct pmpp_error *error)
{
	const struct gpu_library_driver *driver = find_driver(&device->info, id);
	char name[GPU_TEXT_BYTES];

	if (!driver)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the library cannot be used on %s",
			gpu_device_text(&device->info, name));
	struct gpu_library *library = calloc(1, driver->bytes);
	if (!library)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	library->device = device;
	library->id = id;
	library->driver = driver;
	enum pmpp_status status = driver->open(library, error);
	if (status != PMPP_OK)
		gpu_library_close(&library);
	*ret_library = library;
	return status;
}

void gpu_library_close(struct gpu_library **library)
{
	if (!library || !*library)
		return;
	(*library)->driver->close(*library);
	free(*library);
	*library = NULL;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* Elements of a buffer of a call, as sizes m, n, k that are multiplied. */
#define SIZE_M 1
#define SIZE_N 2
#define SIZE_K 4

static const struct {
	unsigned buffers[PEER_MAX_BUFFERS]; /* 0: one element */
	size_t buffer_count;
} shapes[PEER_OPERATION_COUNT] = {
	[PEER_PRODUCT_F32] = {{SIZE_M | SIZE_K, SIZE_K | SIZE_N, SIZE_M | SIZE_N}, 3},
	[PEER_PRODUCT_TF32] = {{SIZE_M | SIZE_K, SIZE_K | SIZE_N, SIZE_M | SIZE_N}, 3},
	[PEER_PRODUCT_F16] = {{SIZE_M | SIZE_K, SIZE_K | SIZE_N, SIZE_M | SIZE_N}, 3},
	[PEER_TRANSPOSE] = {{SIZE_M | SIZE_N, SIZE_M | SIZE_N}, 2},
	[PEER_COPY] = {{SIZE_M, SIZE_M}, 2},
	[PEER_SUM] = {{SIZE_M, 0}, 2},
	[PEER_MAX] = {{SIZE_M, 0}, 2},
	[PEER_MIN] = {{SIZE_M, 0}, 2},
	[PEER_COUNT] = {{SIZE_M, SIZE_N}, 2},
	[PEER_SOFTMAX] = {{SIZE_M | SIZE_N, SIZE_M | SIZE_N}, 2},
};

static uint64_t element_bytes(const struct peer_work *work, bool output)
{
	if (work->operation == PEER_PRODUCT_F16 && !output)
		return 2;
	return work->operation == PEER_COUNT && !output ? dtype_info(work->dtype)->bytes : 4;
}

static bool holds(const struct gpu_library *library, const struct gpu_call *call, size_t index)
{
	const struct peer_work *work = &call->work;
	const struct gpu_buffer *buffer = call->buffers[index];
	unsigned shape = shapes[work->operation].buffers[index];
	bool output = index + 1 == shapes[work->operation].buffer_count;
	uint64_t bytes = element_bytes(work, output);

	return buffer && buffer->device == library->device &&
	       !__builtin_mul_overflow(bytes, (uint64_t)(shape & SIZE_M ? work->m : 1), &bytes) &&
	       !__builtin_mul_overflow(bytes, (uint64_t)(shape & SIZE_N ? work->n : 1), &bytes) &&
	       !__builtin_mul_overflow(bytes, (uint64_t)(shape & SIZE_K ? work->k : 1), &bytes) &&
	       bytes <= buffer->bytes;
}

/* cuBLAS, CLBlast and OpenBLAS count in 32 bits, and so does CUB for the bounds of bins. */
static bool is_too_large(const struct peer_work *work)
{
	bool vectors = !(shapes[work->operation].buffers[0] & (SIZE_N | SIZE_K));

	return work->m < 1 || work->n < 1 || work->k < 1 ||
	       (work->operation == PEER_COUNT && work->n >= INT32_MAX) ||
	       (!vectors && (work->m > INT32_MAX || work->n > INT32_MAX || work->k > INT32_MAX));
}

enum pmpp_status gpu_library_call(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error)
{
	const struct peer_work *work = &call->work;

	if (is_too_large(work))
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"%s: a size of %lld x %lld x %lld is not in 1 to 2147483647", library->name,
			(long long)work->m, (long long)work->n, (long long)work->k);
	for (size_t i = 0; i < shapes[work->operation].buffer_count; i++)
		if (!holds(library, call, i))
			return PMPP_FAIL(error, PMPP_INTERNAL,
				"%s: an operand is larger than its buffer, or on another device",
				library->name);
	if (!(library->driver->operations >> work->operation & 1))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s is not used for this operation",
			library->name);
	enum pmpp_status status = library->driver->call(library, call, error);
	library->device->timed_commands += status == PMPP_OK;
	return status;
}

enum pmpp_status gpu_library_wake_up(struct gpu_library *library, struct pmpp_error *error)
{
	return library->driver->wake_up ? library->driver->wake_up(library, error) : PMPP_OK;
}
