#include "host/gpu/cuda/nvrtc.h"

#include "host/gpu/cuda/internal.h"
#include "host/gpu/gpu_config.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024

/* ---- The library --------------------------------------------------------------------------- */

#define NVRTC_FUNCTION_MAP(XX)        \
	XX(nvrtcVersion)              \
	XX(nvrtcGetNumSupportedArchs) \
	XX(nvrtcGetSupportedArchs)    \
	XX(nvrtcCreateProgram)        \
	XX(nvrtcDestroyProgram)       \
	XX(nvrtcCompileProgram)       \
	XX(nvrtcGetCUBINSize)         \
	XX(nvrtcGetCUBIN)             \
	XX(nvrtcGetPTXSize)           \
	XX(nvrtcGetPTX)               \
	XX(nvrtcGetProgramLogSize)    \
	XX(nvrtcGetProgramLog)

static struct {
#define XX(function) __typeof__(&function) function;
	NVRTC_FUNCTION_MAP(XX)
#undef XX
} nvrtc;

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define XX(function) {#function, offsetof(__typeof__(nvrtc), function)},
	NVRTC_FUNCTION_MAP(XX)
#undef XX
};

static struct {
	pthread_once_t once;
	struct nvrtc_library library;
} state = {.once = PTHREAD_ONCE_INIT};

/* Calls function(...) of NVRTC, which returns its code. */
#define NVRTC_CALL(error, fallback, function, ...) \
	nvrtc_result(                              \
		(error), (fallback), nvrtc.function(__VA_ARGS__), #function, __FILE__, __LINE__)

/* Folders to search, in this order: environment variables of the user, the search path of the
 * dynamic linker (""), the toolkit of the build, the default folder. */
static size_t toolkit_roots(const char *ret_roots[5])
{
	const char *const candidates[] = {
		getenv("CUDA_HOME"), getenv("CUDA_PATH"), "", PMPP_CUDA_ROOT, "/usr/local/cuda"};
	size_t count = 0;

	for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
		if (candidates[i] && (candidates[i][0] == '/' || candidates[i] == candidates[2]))
			ret_roots[count++] = candidates[i];
	return count;
}

/* Opens NVRTC below a folder; NULL if it is not there. root "": the dynamic linker searches. */
static void *open_below(const char *root)
{
	static const char *const names[] = {
		"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
	static const char *const folders[] = {"lib64", "lib"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		for (size_t j = 0; j < sizeof folders / sizeof *folders; j++) {
			char path[PATH_BYTES];
			void *library;

			if (root[0])
				snprintf(path, sizeof path, "%s/%s/%s", root, folders[j], names[i]);
			else
				snprintf(path, sizeof path, "%s", names[i]);
			library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			if (library)
				return library;
		}
	}
	return NULL;
}

/* Adds the folder to the include options if it contains the header. */
static void add_include(const char *folder, const char *header)
{
	struct nvrtc_library *library = &state.library;
	char path[PATH_BYTES], option[sizeof library->includes[0]];
	int length = snprintf(option, sizeof option, "-I%s", folder);

	snprintf(path, sizeof path, "%s/%s", folder, header);
	if (access(path, R_OK) != 0 || (size_t)length >= sizeof option ||
		library->include_count == NVRTC_MAX_INCLUDES)
		return;
	memcpy(library->includes[library->include_count++], option, sizeof option);
}

static void add_toolkit(const char *folder)
{
	char cccl[PATH_BYTES];

	add_include(folder, "cuda_fp16.h");
	/* Since CUDA 13 the headers below cuda/ have a folder of their own. */
	if (snprintf(cccl, sizeof cccl, "%s/cccl", folder) < (int)sizeof cccl)
		add_include(cccl, "cuda/std/type_traits");
}

/* NVRTC has no default include folder. Its headers are near the library, or in a toolkit. */
static void find_includes(const char *path)
{
	const char *roots[5];
	size_t count = toolkit_roots(roots);
	char folder[PATH_BYTES];
	char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;

	if (slash) {
		char *beside;

		*slash = '\0';
		snprintf(folder, sizeof folder, "%s/../include", real);
		beside = realpath(folder, NULL);
		if (beside)
			add_toolkit(beside);
		free(beside);
	}
	free(real);
	/* Headers of one toolkit only: those of another toolkit may not match this NVRTC. */
	for (size_t i = 0; i < count && state.library.include_count == 0; i++) {
		if (roots[i][0] == '\0')
			continue;
		snprintf(folder, sizeof folder, "%s/include", roots[i]);
		add_toolkit(folder);
	}
}

/* Returns false if a function is missing: this NVRTC is then older than 11.2. */
static bool find_symbols(void *handle)
{
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *found = dlsym(handle, symbols[i].name);

		if (!found)
			return false;
		memcpy((char *)&nvrtc + symbols[i].offset, &found, sizeof found);
	}
	return true;
}

static void load(void)
{
	struct nvrtc_library *library = &state.library;
	const char *roots[5];
	size_t count = toolkit_roots(roots);
	void *handle = NULL;
	struct link_map *map = NULL;

	for (size_t i = 0; i < count && !handle; i++)
		handle = open_below(roots[i]);
	if (!handle) {
		snprintf(library->reason, sizeof library->reason,
			"no CUDA compiler: libnvrtc.so not found; install the CUDA Toolkit or set "
			"CUDA_HOME");
		return;
	}
	if (!find_symbols(handle) ||
		nvrtc.nvrtcVersion(&library->major, &library->minor) != NVRTC_SUCCESS) {
		snprintf(library->reason, sizeof library->reason,
			"the CUDA compiler is too old: libnvrtc.so of CUDA 11.2 or newer is needed");
		return;
	}
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name[0]) {
		snprintf(library->path, sizeof library->path, "libnvrtc.so");
		return;
	}
	snprintf(library->path, sizeof library->path, "%s", map->l_name);
	find_includes(map->l_name);
}

const struct nvrtc_library *nvrtc_library(void)
{
	pthread_once(&state.once, load);
	return &state.library;
}

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
			"NVRTC %d.%d supports sm_%d and newer, but not sm_%d", library->major,
			library->minor, known[0], arch);
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
