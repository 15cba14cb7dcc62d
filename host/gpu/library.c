/* Libraries: validates products. */
#include "host/gpu/library.h"

#include "host/gpu/backend.h"

#include <stdlib.h>

static const struct gpu_library_driver *find_driver(
	const struct gpu_device_info *info, enum peer_library id)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(info->backend, &missing);
	const struct gpu_library_driver *driver = backend ? backend->libraries[id] : NULL;
	bool fits = driver && info->engine != GPU_ENGINE_INTERPRETER &&
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

static bool holds(const struct gpu_library *library, const struct gpu_buffer *buffer, int64_t rows,
	int64_t columns, uint64_t element_bytes)
{
	uint64_t bytes;

	return buffer && buffer->device == library->device &&
	       !__builtin_mul_overflow((uint64_t)rows, (uint64_t)columns, &bytes) &&
	       !__builtin_mul_overflow(bytes, element_bytes, &bytes) && bytes <= buffer->bytes;
}

enum pmpp_status gpu_multiply(
	struct gpu_library *library, const struct gpu_product *product, struct pmpp_error *error)
{
	int64_t m = product->m, n = product->n, k = product->k;
	uint64_t bytes = product->kind == PRODUCT_F16 ? 2 : 4;

	if (m < 1 || n < 1 || k < 1 || m > INT32_MAX || n > INT32_MAX || k > INT32_MAX)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"%s: a size of the product %lld x %lld x %lld is not in 1 to 2147483647",
			library->name, (long long)m, (long long)n, (long long)k);
	if (!holds(library, product->a, m, k, bytes) || !holds(library, product->b, k, n, bytes) ||
		!holds(library, product->c, m, n, sizeof(float)))
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"%s: a matrix is larger than its buffer, or on another device",
			library->name);
	if (library->driver->f32_only && product->kind != PRODUCT_F32)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s is used only for f32", library->name);
	enum pmpp_status status = library->driver->multiply(library, product, error);
	library->device->timed_commands += status == PMPP_OK;
	return status;
}

enum pmpp_status gpu_library_wake_up(struct gpu_library *library, struct pmpp_error *error)
{
	return library->driver->wake_up ? library->driver->wake_up(library, error) : PMPP_OK;
}
