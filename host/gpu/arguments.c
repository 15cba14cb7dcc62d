#include "host/gpu/arguments.h"

#include <stdio.h>
#include <string.h>

#define ADVICE "use the parameter list of the project's kernel"

/* Size of the text of all arguments of a launch. */
#define LIST_BYTES 400

/* By enum gpu_arg_kind and enum gpu_language. OpenCL has no tile maps. */
static const char *const kind_words[][2] = {
	[GPU_ARG_BUFFER] = {"__global pointer", "pointer"},
	[GPU_ARG_INT] = {"int", "int"},
	[GPU_ARG_UINT] = {"uint", "unsigned int"},
	[GPU_ARG_ULONG] = {"ulong", "unsigned long long"},
	[GPU_ARG_FLOAT] = {"float", "float"},
	[GPU_ARG_TILE_MAP] = {"tensor_map", "tensor_map"},
};

/* Writes "ulong" or "pointer B". Returns the full length, even if the text does not fit. */
static size_t write_expected(const struct gpu_device_info *info, const struct gpu_launch *launch,
	size_t index, char *ret_text, size_t size)
{
	const struct gpu_arg *arg = &launch->args[index];

	if (index >= launch->arg_count)
		return (size_t)snprintf(ret_text, size, "__local pointer");
	const char *word = kind_words[arg->kind][gpu_backend_row(info->backend)->language];
	if (arg->name)
		return (size_t)snprintf(ret_text, size, "%s %s", word, arg->name);
	return (size_t)snprintf(ret_text, size, "%s", word);
}

size_t gpu_argument_count(const struct gpu_device_info *info, const struct gpu_launch *launch)
{
	bool shared = launch->shared_bytes > 0 &&
		      gpu_backend_row(info->backend)->language == GPU_LANGUAGE_OPENCL_C;

	return launch->arg_count + shared;
}

enum pmpp_status gpu_refuse_count(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t parameters, struct pmpp_error *error)
{
	size_t count = gpu_argument_count(info, launch);
	char list[LIST_BYTES] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof list; i++) {
		used += (size_t)snprintf(list + used, sizeof list - used, "%s", i ? ", " : ": ");
		if (used < sizeof list)
			used += write_expected(info, launch, i, list + used, sizeof list - used);
	}
	/* A launch without the bytes of --shared would fit the kernel. */
	bool has_no_local = count > launch->arg_count && parameters == launch->arg_count;
	return PMPP_FAIL(error, PMPP_LAUNCH, "%zu parameter%s; expected %zu%s; %s", parameters,
		parameters == 1 ? "" : "s", count, list,
		has_no_local ? "add a __local pointer as the last parameter, or leave out --shared"
			     : ADVICE);
}

enum pmpp_status gpu_refuse_argument(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t index, const char *found, struct pmpp_error *error)
{
	char expected[LIST_BYTES];

	write_expected(info, launch, index, expected, sizeof expected);
	return PMPP_FAIL(error, PMPP_LAUNCH, "argument %zu: expected %s; %s; " ADVICE, index + 1,
		expected, found);
}

const void *gpu_argument_value(const struct gpu_arg *arg, size_t bytes, int64_t *room)
{
	const int64_t value = arg->kind == GPU_ARG_INT    ? arg->as.i
			      : arg->kind == GPU_ARG_UINT ? arg->as.u
							  : (int64_t)arg->as.ul;
	const size_t own = arg->kind == GPU_ARG_ULONG ? sizeof arg->as.ul : sizeof arg->as.i;
	const int32_t narrow = (int32_t)value;

	if (bytes == own || arg->kind == GPU_ARG_FLOAT)
		return bytes == own || bytes == 0 ? &arg->as : NULL;
	/* All machines with a GPU are little-endian, so a kernel can read 4 or 8 bytes of the value. */
	*room = value;
	if (bytes == sizeof narrow)
		memcpy(room, &narrow, sizeof narrow);
	bool fits =
		bytes == 0 || bytes == sizeof value || (bytes == sizeof narrow && narrow == value);
	return fits ? room : NULL;
}
