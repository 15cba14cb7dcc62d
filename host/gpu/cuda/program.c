#include "host/gpu/arguments.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc.h"
#include "host/gpu/cuda/nvrtc_install.h"
#include "host/gpu/program_cache.h"
#include "host/io/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JIT_LOG_BYTES 8192

/* ---- Building ------------------------------------------------------------------------------ */

/* A driver accepts machine code of its own and of older versions of CUDA, and of all versions with
 * the same major version. It compiles PTX of its own and of older versions only (CUDA Compatibility,
 * "Minor Version Compatibility"). */
static void explain_rejection(struct pmpp_error *error)
{
	static const CUresult codes[] = {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU,
		CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION};
	const struct nvrtc_library *compiler = nvrtc_library();
	const int version = cuda_driver_version();
	char command[NVRTC_COMMAND_BYTES];

	if (compiler->major * 1000 + compiler->minor * 10 <= version)
		return;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (error->code == (long)codes[i])
			pmpp_error_append(error,
				"; NVRTC %d.%d is newer than the driver (CUDA %d.%d): update the "
				"driver, or install an older NVRTC: %s",
				compiler->major, compiler->minor, version / 1000,
				version % 1000 / 10, nvrtc_install_command(version, 0, command));
}

/* Loads a cubin, or PTX, which the driver compiles. On failure the error has the driver's log. */
static enum pmpp_status load_module(struct cuda_program *self, struct pmpp_error *error)
{
	char *log = calloc(1, JIT_LOG_BYTES);
	CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)(JIT_LOG_BYTES - 1)};
	enum pmpp_status status;

	if (!log)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = CU_CALL(error, PMPP_BUILD, cuModuleLoadDataEx, &self->module, self->image, 2,
		names, values);
	if (status != PMPP_OK)
		explain_rejection(error);
	if (status != PMPP_OK && log[0])
		error->log = log;
	else
		free(log);
	return status;
}

static enum pmpp_status build_from_source(struct cuda_program *self,
	const struct gpu_program_desc *desc, const struct option_list *options,
	struct pmpp_error *error)
{
	enum pmpp_status status =
		nvrtc_compile(desc->source, desc->name, (const char *const *)options->items,
			options->count, &self->image, &self->image_bytes, &self->base.log, error);

	return status == PMPP_OK ? load_module(self, error) : status;
}

/* A driver may reject a cubin that another version has accepted. The program is then built from its
 * source, without an error. */
static bool build_from_cached(struct cuda_program *self, struct cached_build *cached)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	self->image = cached->bytes;
	self->image_bytes = cached->size;
	if (load_module(self, &ignored) == PMPP_OK) {
		self->base.log = cached->log;
		*cached = (struct cached_build){0};
		return true;
	}
	pmpp_error_clear(&ignored);
	self->module = NULL;
	self->image = NULL;
	return false;
}

void cuda_compile_options(const struct gpu_program_desc *desc, struct option_list *list)
{
	option_list_add(list, "--std=c++17");
	option_list_add_words(list, gpu_math_options(GPU_BACKEND_CUDA, desc->math), NULL);
	option_list_add_macros(list, desc->macros, desc->macro_count);
}

/* info->arch has the form "sm_90". */
static enum pmpp_status build_options(const struct gpu_device_info *info,
	const struct gpu_program_desc *desc, struct option_list *list, struct pmpp_error *error)
{
	char arch[32];
	enum pmpp_status status = nvrtc_arch_option(
		atoi(info->arch + strlen("sm_")), desc->arch_specific, arch, sizeof arch, error);

	if (status != PMPP_OK)
		return status;
	option_list_add(list, "%s", arch);
	cuda_compile_options(desc, list);
	return PMPP_OK;
}

static void make_key(const struct cuda_program *self, const struct gpu_device_info *info,
	const struct gpu_program_desc *desc, char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1])
{
	const struct nvrtc_library *library = nvrtc_library();
	const char *parts[5 + NVRTC_MAX_INCLUDES + 1] = {
		"cuda", desc->source, self->base.options, info->arch, info->compiler};

	for (size_t i = 0; i < library->include_count; i++)
		parts[5 + i] = library->includes[i];
	program_cache_key(parts, ret_key);
}

static enum pmpp_status load_or_build(struct cuda_program *self, const struct gpu_device_info *info,
	const struct gpu_program_desc *desc, const struct option_list *options,
	struct pmpp_error *error)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	struct cached_build cached;
	enum pmpp_status status;

	/* NVRTC does not report the files that it read. It searches for "name" also in folders of
	 * the user, but for <name> only in the folders of the toolkit. */
	self->base.cache = GPU_CACHE_NONE;
	if (source_reads_files(desc->source, true))
		return build_from_source(self, desc, options, error);
	make_key(self, info, desc, key);
	self->base.cache = cached_build_load(key, &cached);
	if (self->base.cache == GPU_CACHE_HIT) {
		bool built = build_from_cached(self, &cached);

		cached_build_finish(&cached);
		if (built)
			return PMPP_OK;
		self->base.cache = GPU_CACHE_REBUILT;
	}
	status = build_from_source(self, desc, options, error);
	if (status == PMPP_OK)
		cached_build_store(key, self->image, self->image_bytes, self->base.log, "");
	return status;
}

enum pmpp_status cuda_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);
	struct cuda_program *program = calloc(1, sizeof *program);
	struct option_list options = {0};
	enum pmpp_status status;

	if (!program)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = cuda_enter(self, error);
	if (status != PMPP_OK)
		goto out;
	status = build_options(&device->info, desc, &options, error);
	if (status != PMPP_OK)
		goto out;
	program->base.options = option_list_join(&options);
	if (!program->base.options) {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
		goto out;
	}
	status = load_or_build(program, &device->info, desc, &options, error);

out:
	option_list_finish(&options);
	if (status == PMPP_OK) {
		*ret_program = &program->base;
		return PMPP_OK;
	}
	free(program->base.options);
	free(program->base.log);
	free(program->image);
	free(program);
	return status;
}

void cuda_program_destroy(struct gpu_program *program)
{
	struct cuda_program *self = (struct cuda_program *)program;

	cuda.cuCtxSetCurrent(cuda_device_of(program->device)->context);
	cuda.cuModuleUnload(self->module);
	free(self->image);
	free(self);
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Queries the sizes of the kernel's parameters, if the driver reports them. The driver does not report their
 * number: if the image does not have it either, the first call that fails ends the list. A checker of
 * memory reports each failed call. */
static void query_args(struct cuda_kernel *kernel, int count)
{
	size_t offset, size;
	int i = 0;

	kernel->arg_count = -1;
	if (!cuda.cuFuncGetParamInfo)
		return;
	for (; i != count && i <= GPU_MAX_ARGS; i++) {
		CUresult code =
			cuda.cuFuncGetParamInfo(kernel->function, (size_t)i, &offset, &size);

		/* This code marks the end of the list; other codes are failures. */
		if (code == CUDA_ERROR_INVALID_VALUE && count < 0)
			break;
		if (code != CUDA_SUCCESS)
			return;
		if (i < GPU_MAX_ARGS)
			kernel->arg_bytes[i] = size;
	}
	kernel->arg_count = i; /* GPU_MAX_ARGS + 1: more than any launch can give */
}

static enum pmpp_status query_resources(struct cuda_kernel *kernel, struct pmpp_error *error)
{
	static const CUfunction_attribute attributes[] = {CU_FUNC_ATTRIBUTE_NUM_REGS,
		CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
		CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK};
	int values[4] = {0};

	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		enum pmpp_status status = CU_CALL(error, PMPP_INTERNAL, cuFuncGetAttribute,
			&values[i], attributes[i], kernel->function);

		if (status != PMPP_OK)
			return status;
	}
	kernel->resources = (struct gpu_kernel_resources){.registers = values[0],
		.shared_bytes = values[1],
		.spill_bytes = values[2],
		.max_block_threads = values[3]};
	return PMPP_OK;
}

enum pmpp_status cuda_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(program->device);
	struct cuda_program *self = (struct cuda_program *)program;
	struct cuda_kernel *kernel = calloc(1, sizeof *kernel);
	enum pmpp_status status;

	if (!kernel)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = cuda_enter(device, error);
	if (status != PMPP_OK)
		goto out;
	status = CU_CALL(
		error, PMPP_BUILD, cuModuleGetFunction, &kernel->function, self->module, entry);
	if (status != PMPP_OK && error->code == CUDA_ERROR_NOT_FOUND)
		gpu_add_no_kernel(program, entry, error);
	if (status != PMPP_OK)
		goto out;
	status = query_resources(kernel, error);
	if (status != PMPP_OK)
		goto out;
	query_args(kernel, cuda_image_parameters(self->image, self->image_bytes, entry));
	*ret_kernel = &kernel->base;
	return PMPP_OK;

out:
	cuda_kernel_destroy(&kernel->base);
	return status;
}

void cuda_kernel_destroy(struct gpu_kernel *kernel)
{
	free(kernel); /* the function belongs to its module */
}

enum pmpp_status cuda_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	(void)error;
	*ret_resources = ((struct cuda_kernel *)kernel)->resources;
	return PMPP_OK;
}
