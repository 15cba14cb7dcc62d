#include "host/gpu/cuda/nvrtc.h"

#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc_install.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls function(...) of NVRTC, which returns its code. */
#define NVRTC_CALL(error, fallback, function, ...)                                       \
	api_result(&nvrtc_codes, (error), (fallback), (long)nvrtc.function(__VA_ARGS__), \
		#function, __FILE__, __LINE__)

/* ---- Architectures ------------------------------------------------------------------------- */

enum pmpp_status nvrtc_archs(
	int ret_archs[NVRTC_MAX_ARCHS], size_t *ret_count, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	int count = 0;

	if (library->path[0] == '\0')
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", library->reason);
	if (nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1 ||
		count > NVRTC_MAX_ARCHS || nvrtc.nvrtcGetSupportedArchs(ret_archs) != NVRTC_SUCCESS)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "NVRTC %d.%d lists no architectures",
			library->major, library->minor);
	*ret_count = (size_t)count;
	return PMPP_OK;
}

enum pmpp_status nvrtc_arch_option(
	int arch, bool specific, char *ret_option, size_t size, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	int known[NVRTC_MAX_ARCHS];
	size_t count = 0;
	int newest = 0;
	char command[NVRTC_COMMAND_BYTES];
	enum pmpp_status status = nvrtc_archs(known, &count, error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		if (known[i] == arch) {
			snprintf(ret_option, size, "-arch=sm_%d%s", arch, specific ? "a" : "");
			return PMPP_OK;
		}
		if (known[i] < arch && known[i] > newest)
			newest = known[i];
	}
	if (specific)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "NVRTC %d.%d does not support sm_%da",
			library->major, library->minor, arch);
	if (newest == 0)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"NVRTC %d.%d supports sm_%d and newer, but not sm_%d: install an older "
			"one (%s) and set CUDA_HOME to its folder",
			library->major, library->minor, known[0], arch,
			nvrtc_install_command(cuda_driver_version(), arch, command));
	snprintf(ret_option, size, "-arch=compute_%d", newest);
	return PMPP_OK;
}

/* ---- Compiling ----------------------------------------------------------------------------- */

/* Returns the log of the compiler without white space at its end; the caller frees it. NULL for
 * lack of memory. */
static char *program_log(nvrtcProgram program)
{
	size_t size = 0;
	char *log;

	if (nvrtc.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS)
		size = 0;
	log = calloc(1, size + 1);
	if (!log)
		return NULL;
	if (size > 0 && nvrtc.nvrtcGetProgramLog(program, log) != NVRTC_SUCCESS)
		log[0] = '\0';
	for (size = strlen(log); size > 0 && strchr(" \r\n", log[size - 1]);)
		log[--size] = '\0';
	return log;
}

/* Copies the cubin, or the PTX for a virtual architecture. The caller frees *ret_binary. */
static enum pmpp_status take_binary(
	nvrtcProgram program, void **ret_binary, size_t *ret_size, struct pmpp_error *error)
{
	char *binary = NULL;
	size_t size = 0;
	bool is_cubin;
	enum pmpp_status status;

	status = NVRTC_CALL(error, PMPP_BUILD, nvrtcGetCUBINSize, program, &size);
	is_cubin = size > 0;
	if (status == PMPP_OK && !is_cubin)
		status = NVRTC_CALL(error, PMPP_BUILD, nvrtcGetPTXSize, program, &size);
	if (status != PMPP_OK)
		return status;
	binary = malloc(size);
	if (!binary)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = is_cubin ? NVRTC_CALL(error, PMPP_BUILD, nvrtcGetCUBIN, program, binary)
			  : NVRTC_CALL(error, PMPP_BUILD, nvrtcGetPTX, program, binary);
	if (status != PMPP_OK) {
		free(binary);
		return status;
	}
	*ret_binary = binary;
	*ret_size = size;
	return PMPP_OK;
}

/* On a machine with a driver, NVRTC 12.9 and newer keep compiled programs in the driver's cache. A
 * program from this cache has no log: no warnings, and no report of ptxas. */
static bool has_cache(const struct nvrtc_library *library)
{
	return library->major > 12 || (library->major == 12 && library->minor >= 9);
}

static enum pmpp_status compile(nvrtcProgram program, const char *const *options,
	size_t option_count, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	size_t count = option_count + library->include_count;
	const char **all = calloc(count + 1, sizeof *all);
	enum pmpp_status status;

	if (!all)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	for (size_t i = 0; i < count; i++)
		all[i] = i < option_count ? options[i] : library->includes[i - option_count];
	if (has_cache(library))
		all[count++] = "--no-cache";
	status = NVRTC_CALL(error, PMPP_BUILD, nvrtcCompileProgram, program, (int)count, all);
	free(all);
	return status;
}

enum pmpp_status nvrtc_compile(const char *source, const char *name, const char *const *options,
	size_t option_count, void **ret_cubin, size_t *ret_size, char **ret_log,
	struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	nvrtcProgram program = NULL;
	char *log = NULL;
	enum pmpp_status status;

	if (library->path[0] == '\0')
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", library->reason);
	status = NVRTC_CALL(
		error, PMPP_BUILD, nvrtcCreateProgram, &program, source, name, 0, NULL, NULL);
	if (status != PMPP_OK)
		return status;
	status = compile(program, options, option_count, error);
	log = program_log(program);
	if (status != PMPP_OK) {
		if (library->advice[0] && log && strstr(log, "open source file"))
			pmpp_error_append(error, "; %s", library->advice);
		error->log = log;
		log = NULL;
		goto out;
	}
	if (!log) {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
		goto out;
	}
	status = take_binary(program, ret_cubin, ret_size, error);
	if (status != PMPP_OK)
		goto out;
	*ret_log = log;
	log = NULL;

out:
	free(log);
	nvrtc.nvrtcDestroyProgram(&program);
	return status;
}
