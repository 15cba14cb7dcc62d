#include "host/gpu/backends.h"

#include "host/gpu/backend.h"
#include "host/gpu/gpu_config.h"

#include <string.h>

/* backend is NULL if this build lacks it; missing then has the reason. Both are in gpu_config.h. */
static const struct entry {
	struct gpu_backend_row row;
	const struct gpu_backend *backend;
	const char *missing;
} entries[GPU_BACKEND_COUNT] = {
#define XX(ID, folder, name, language, preference, on_request, emulated, text, ...)             \
	[GPU_BACKEND_##ID] = {{name, GPU_LANGUAGE_##language, preference, on_request, emulated, \
				      text, {__VA_ARGS__}},                                     \
		PMPP_BACKEND_##folder, PMPP_MISSING_##folder},
	GPU_BACKEND_MAP(XX)
#undef XX
};

static struct entry registered = {.missing = "no backend is registered"};

static const struct {
	const char *folder, *extension;
} languages[] = {
	[GPU_LANGUAGE_OPENCL_C] = {"cl_kernels", ".cl"},
	[GPU_LANGUAGE_CUDA_C] = {"cuda_kernels", ".cu"},
};

void gpu_backend_register(const struct gpu_backend_row *row, const struct gpu_backend *backend)
{
	registered.row = *row;
	registered.backend = backend;
}

static const struct entry *find_entry(enum gpu_backend_id id)
{
	static const struct entry unknown = {
		.row = {.name = "unknown", .math = {"", "", ""}}, .missing = "no such backend"};

	if ((size_t)id < GPU_BACKEND_COUNT)
		return &entries[id];
	return id == GPU_BACKEND_REGISTERED && registered.backend ? &registered : &unknown;
}

const struct gpu_backend *gpu_backend_of(enum gpu_backend_id id, const char **ret_missing)
{
	const struct entry *entry = find_entry(id);

	*ret_missing = entry->missing;
	return entry->backend;
}

const struct gpu_backend_row *gpu_backend_row(enum gpu_backend_id id)
{
	return &find_entry(id)->row;
}

const char *gpu_backend_name(enum gpu_backend_id id)
{
	return gpu_backend_row(id)->name;
}

bool gpu_backend_find(const char *name, enum gpu_backend_id *ret_id)
{
	for (enum gpu_backend_id id = 0; id <= GPU_BACKEND_REGISTERED; id++) {
		const struct entry *entry = find_entry(id);

		if ((entry->backend || id < GPU_BACKEND_COUNT) &&
			strcmp(name, entry->row.name) == 0) {
			*ret_id = id;
			return true;
		}
	}
	return false;
}

bool gpu_backend_emulator(enum gpu_language language, enum gpu_backend_id *ret_id)
{
	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++)
		if (entries[id].row.emulated && entries[id].row.language == language) {
			*ret_id = id;
			return true;
		}
	return false;
}

void gpu_backends_by_preference(enum gpu_backend_id ret_ids[GPU_BACKEND_COUNT])
{
	for (int count = 0; count < GPU_BACKEND_COUNT; count++) {
		int place = count;

		/* Insertion sort: backends with a higher preference number move up. */
		for (; place > 0 &&
			entries[ret_ids[place - 1]].row.preference > entries[count].row.preference;
			place--)
			ret_ids[place] = ret_ids[place - 1];
		ret_ids[place] = (enum gpu_backend_id)count;
	}
}

const char *gpu_backend_kernel_folder(enum gpu_backend_id id)
{
	return languages[gpu_backend_row(id)->language].folder;
}

const char *gpu_backend_kernel_extension(enum gpu_backend_id id)
{
	return languages[gpu_backend_row(id)->language].extension;
}

const char *gpu_math_name(enum gpu_math math)
{
	static const char *const names[GPU_MATH_COUNT] = {
		[GPU_MATH_DEFAULT] = "default",
		[GPU_MATH_STRICT] = "strict",
		[GPU_MATH_FAST] = "fast",
	};
	return (size_t)math < GPU_MATH_COUNT ? names[math] : "unknown";
}

const char *gpu_math_options(enum gpu_backend_id backend, enum gpu_math math)
{
	return (size_t)math < GPU_MATH_COUNT ? gpu_backend_row(backend)->math[math] : "";
}
