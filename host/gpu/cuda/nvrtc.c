#include "host/gpu/cuda/nvrtc.h"

#include "common/nearest.h"
#include "host/gpu/cuda/find.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc_api.h"
#include "host/io/cache_file.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ARCHS 128
#define DEFAULT_CUDA 13000 /* without a driver: the oldest version with these names of packages */
#define TURING 75          /* the oldest architecture of NVRTC 13 */

static const struct api_codes codes = API_CODES(NVRTC_RESULT_MAP, "unknown NVRTC code");

/* Calls function(...) of NVRTC, which returns its code. */
#define NVRTC_CALL(error, fallback, function, ...)                                            \
	api_result(&codes, (error), (fallback), (long)nvrtc.function(__VA_ARGS__), #function, \
		__FILE__, __LINE__)

/* ---- Installation --------------------------------------------------------------------------- */

/* "-cu12": the names of the packages of CUDA 12 and older end with the major version. */
static const char *name_suffix(int major, char text[16])
{
	text[0] = '\0';
	if (major < 13)
		snprintf(text, 16, "-cu%d", major);
	return text;
}

const char *nvrtc_install_command(int cuda_version, int arch, char text[NVRTC_COMMAND_BYTES])
{
	char folder[CACHE_TEXT_BYTES], target[300] = "", suffix[16], below[32], crt[64] = "";
	int version = cuda_version ? cuda_version : DEFAULT_CUDA;
	int major = version / 1000, minor = version % 1000 / 10;

	if (arch > 0 && arch < TURING && major >= 13) {
		major = 12;
		minor = 9;
	}
	/* The index has only the last versions of CUDA 11. All have the same ABI. */
	if (major < 12)
		snprintf(below, sizeof below, "%d", major + 1);
	else
		snprintf(below, sizeof below, "%d.%d", major, minor + 1);
	/* mma.h includes headers of this package. Before CUDA 13 they are part of a compiler. */
	if (major >= 13)
		snprintf(crt, sizeof crt, " 'nvidia-cuda-crt>=%d,<%s'", major, below);
	if (cache_file_folder(FIND_CACHE_FOLDER, folder) && strlen(folder) < 200)
		snprintf(target, sizeof target, "--upgrade --target '%s' ", folder);
	name_suffix(major, suffix);
	snprintf(text, NVRTC_COMMAND_BYTES,
		"python3 -m pip install %s'nvidia-cuda-nvrtc%s>=%d,<%s' "
		"'nvidia-cuda-runtime%s>=%d,<%s'%s",
		target, suffix, major, below, suffix, major, below, crt);
	return text;
}

/*
 * Writes the command for a library that lacks only its headers: if it is a package of a Python
 * environment, the command installs the headers there. Otherwise as nvrtc_install_command().
 * library: its path. major, minor: its version.
 */
static const char *headers_command(
	const char *library, int major, int minor, char text[NVRTC_COMMAND_BYTES])
{
	const char *lib = strstr(library, "/lib/python3");
	char python[FIND_PATH_BYTES], suffix[16];

	if (!lib || !strstr(lib, "/site-packages/nvidia/"))
		return nvrtc_install_command(major * 1000 + minor * 10, 0, text);
	snprintf(python, sizeof python, "%.*s/bin/python3", (int)(lib - library), library);
	if (strlen(python) > 200 || access(python, X_OK) != 0)
		return nvrtc_install_command(major * 1000 + minor * 10, 0, text);
	snprintf(text, NVRTC_COMMAND_BYTES, "'%s' -m pip install 'nvidia-cuda-runtime%s==%d.%d.*'",
		python, name_suffix(major, suffix), major, minor);
	return text;
}

/* ---- Headers ------------------------------------------------------------------------------- */

/* Returns the first of the folders, relative to `from`, that contains the header. */
static bool find_header(const char *from, const char *const *folders, size_t count,
	const char *header, char ret_folder[FIND_PATH_BYTES])
{
	char path[2 * FIND_PATH_BYTES];
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		snprintf(path, sizeof path, "%s/%s/%s", from, folders[i], header);
		if (access(path, R_OK) != 0)
			continue;
		path[strlen(path) - strlen(header)] = '\0';
		char *real = realpath(path, NULL);
		found = real && snprintf(ret_folder, FIND_PATH_BYTES, "%s", real) < FIND_PATH_BYTES;
		free(real);
	}
	return found;
}

/* Finds the include folder of the set that the library (a path) belongs to: it has cuda_fp16.h.
 * Headers of another set may not match the library. */
static bool find_headers(const char *library, char ret_folder[FIND_PATH_BYTES])
{
	/* From the folder of the library: a toolkit or a package of CUDA 13; lib/x86_64-linux-gnu
	 * of a distribution; a package of CUDA 12; conda. */
	static const char *const folders[] = {"../include", "../../include",
		"../../cuda_runtime/include", "../targets/x86_64-linux/include",
		"../targets/sbsa-linux/include"};
	char *real = realpath(library, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	bool found = false;

	if (slash) {
		*slash = '\0';
		found = find_header(
			real, folders, sizeof folders / sizeof *folders, "cuda_fp16.h", ret_folder);
	}
	free(real);
	return found;
}

/* Finds the folder of cuda/std/type_traits that belongs to an include folder: CUDA 13 and the
 * packages of CUDA 12 keep these headers apart. */
static bool find_cccl(const char *include, char ret_folder[FIND_PATH_BYTES])
{
	static const char *const folders[] = {"cccl", "../../cuda_cccl/include"};

	return find_header(include, folders, sizeof folders / sizeof *folders,
		"cuda/std/type_traits", ret_folder);
}

/* ---- Loading ------------------------------------------------------------------------------- */

static struct nvrtc_api nvrtc;

static const struct shared_symbol symbols[] = {
#define XX(function, parameters) {#function, offsetof(struct nvrtc_api, function), NULL, false},
	NVRTC_FUNCTION_MAP(XX)
#undef XX
};

static struct {
	pthread_once_t once;
	struct nvrtc_library library;
} state = {.once = PTHREAD_ONCE_INIT};

static const struct wanted_library wanted = {
	{{"libnvrtc.so.14", 14}, {"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12},
		/* name in all later versions of CUDA 11 */
		{"libnvrtc.so.11.2", 11}, {"libnvrtc.so", 0}},
	"cuda_nvrtc"};

/* The libraries that a search accepts. */
struct wish {
	int max_major; /* 0 = any */
	bool headers;
	char broken[240]; /* the first library that exists and cannot be used, and why; "" = none */
};

static void note_broken(struct wish *wish, const char *path, const char *origin, const char *why)
{
	if (wish->broken[0] == '\0')
		snprintf(
			wish->broken, sizeof wish->broken, "%.110s (%s): %.90s", path, origin, why);
}

/* The text of dlerror() without the path that it begins with. */
static const char *load_error(const char *path)
{
	const char *why = dlerror();
	size_t length = strlen(path);

	if (!why)
		return "it cannot be loaded";
	return strncmp(why, path, length) == 0 && strncmp(why + length, ": ", 2) == 0
		       ? why + length + 2
		       : why;
}

/* NVRTC opens its second library by the bare name, but packages of Python are not in the search
 * path of the dynamic linker. A library with this name that is already loaded is found. */
static bool load_builtins(const char *path, int major, int minor, char name[64])
{
	const char *slash = strrchr(path, '/');
	char beside[FIND_PATH_BYTES];

	snprintf(name, 64, "libnvrtc-builtins.so.%d.%d", major, minor);
	return (slash &&
		       snprintf(beside, sizeof beside, "%.*s/%s", (int)(slash - path), path, name) <
			       (int)sizeof beside &&
		       dlopen(beside, RTLD_NOW | RTLD_LOCAL)) ||
	       dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* The path of an open library: the dynamic linker has found it by a bare name. */
static const char *library_path(void *handle, const char *name)
{
	struct link_map *map = NULL;

	return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0] ? map->l_name
										   : name;
}

/* Opens a candidate. Returns true if the wish accepts it. A rejected library stays open: a second
 * search may accept it. */
static bool accept(void *context, const char *name, int major, const char *origin)
{
	struct wish *wish = context;
	struct nvrtc_library *library = &state.library;
	char headers[FIND_PATH_BYTES] = "", builtins[64];
	bool is_path = name[0] == '/';
	const char *path;
	void *handle;

	if ((wish->max_major && major > wish->max_major) ||
		(is_path && wish->headers && !find_headers(name, headers)))
		return false;
	handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *why = load_error(name);

		if (is_path || !strstr(why, "No such file"))
			note_broken(wish, name, origin, why);
		return false;
	}
	path = library_path(handle, name);
	/* A function is missing before NVRTC 11.2. */
	if (shared_symbols_find(symbols, sizeof symbols / sizeof *symbols, handle, &nvrtc) ||
		nvrtc.nvrtcVersion(&library->major, &library->minor) != NVRTC_SUCCESS) {
		note_broken(wish, path, origin, "it is older than NVRTC of CUDA 11.2");
		return false;
	}
	if (wish->max_major && library->major > wish->max_major)
		return false;
	if (!find_headers(path, headers) && wish->headers)
		return false;
	if (!load_builtins(path, library->major, library->minor, builtins)) {
		char why[90];

		snprintf(why, sizeof why, "%s is missing beside it", builtins);
		note_broken(wish, path, origin, why);
		return false;
	}
	snprintf(library->path, sizeof library->path, "%s", path);
	snprintf(library->origin, sizeof library->origin, "%s", origin);
	snprintf(library->headers, sizeof library->headers, "%s", headers);
	return true;
}

/* Adds an include option if the path fits. */
static void add_include(const char *folder)
{
	struct nvrtc_library *library = &state.library;
	char *option = library->includes[library->include_count];

	if (snprintf(option, sizeof library->includes[0], "-I%s", folder) <
		(int)sizeof library->includes[0])
		library->include_count++;
}

static void describe_headers(void)
{
	struct nvrtc_library *library = &state.library;
	char folder[FIND_PATH_BYTES], command[NVRTC_COMMAND_BYTES];

	if (library->headers[0]) {
		add_include(library->headers);
		if (find_cccl(library->headers, folder))
			add_include(folder);
		return;
	}
	snprintf(library->advice, sizeof library->advice,
		"the CUDA headers of NVRTC %d.%d (cuda_fp16.h) are missing: %s", library->major,
		library->minor,
		headers_command(library->path, library->major, library->minor, command));
}

/* The first library that suits the driver and has its headers; else one that lacks headers; else
 * one of a newer major version, whose machine code the driver may reject. */
static void load(void)
{
	struct nvrtc_library *library = &state.library;
	const int version = cuda_driver_version();
	const int limits[] = {version / 1000, 0};
	char command[NVRTC_COMMAND_BYTES];
	struct wish wish = {0};

	for (size_t i = 0; i < 4 && library->path[0] == '\0'; i++) {
		wish.max_major = limits[i / 2];
		wish.headers = i % 2 == 0;
		if (i < 2 || limits[0] > 0)
			find_library(&wanted, accept, &wish);
	}
	if (library->path[0]) {
		describe_headers();
		return;
	}
	/* tools/run.sh reads the command from the end of the line. */
	snprintf(library->reason, sizeof library->reason,
		"no %sCUDA compiler%s%s; install NVRTC with: %s", wish.broken[0] ? "usable " : "",
		wish.broken[0] ? ": " : " (NVRTC)", wish.broken,
		nvrtc_install_command(version, 0, command));
}

const struct nvrtc_library *nvrtc_library(void)
{
	pthread_once(&state.once, load);
	return &state.library;
}

/* ---- Architectures ------------------------------------------------------------------------- */

/* Sets the supported real architectures, ascending: 75 for sm_75. There is at least one.
 * PMPP_UNAVAILABLE: there is no NVRTC. */
static enum pmpp_status list_archs(
	int ret_archs[MAX_ARCHS], size_t *ret_count, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	int count = 0;

	if (library->path[0] == '\0')
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", library->reason);
	if (nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1 ||
		count > MAX_ARCHS || nvrtc.nvrtcGetSupportedArchs(ret_archs) != NVRTC_SUCCESS)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "NVRTC %d.%d lists no architectures",
			library->major, library->minor);
	*ret_count = (size_t)count;
	return PMPP_OK;
}

enum pmpp_status nvrtc_arch_option(
	int arch, bool specific, char *ret_option, size_t size, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	int known[MAX_ARCHS];
	size_t count = 0;
	int newest = 0;
	char command[NVRTC_COMMAND_BYTES];
	enum pmpp_status status = list_archs(known, &count, error);

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

enum pmpp_status cuda_arch_check(const char *arch, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	char names[MAX_ARCHS][16], list[400] = "", near[96];
	const char *pointers[MAX_ARCHS];
	int known[MAX_ARCHS];
	size_t count = 0, used = 0;
	enum pmpp_status status = list_archs(known, &count, error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "sm_%d", known[i]);
		if (strcmp(names[i], arch) == 0)
			return PMPP_OK;
		pointers[i] = names[i];
		if (used < sizeof list)
			used += (size_t)snprintf(
				list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
	}
	nearest_names(arch, pointers, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE,
		"NVRTC %d.%d does not support '%s'%s%s%s: use one of %s", library->major,
		library->minor, arch, *near ? " (did you mean " : "", near, *near ? "?)" : "",
		list);
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
	size_t size = 0;
	enum pmpp_status status = NVRTC_CALL(error, PMPP_BUILD, nvrtcGetCUBINSize, program, &size);
	bool is_cubin = size > 0;

	if (status == PMPP_OK && !is_cubin)
		status = NVRTC_CALL(error, PMPP_BUILD, nvrtcGetPTXSize, program, &size);
	if (status != PMPP_OK)
		return status;
	char *binary = malloc(size);
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

enum pmpp_status nvrtc_compile(const char *source, const char *name, struct option_list *options,
	void **ret_cubin, size_t *ret_size, char **ret_log, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	nvrtcProgram program = NULL;
	char *log = NULL;
	enum pmpp_status status;

	if (library->path[0] == '\0')
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", library->reason);
	for (size_t i = 0; i < library->include_count; i++)
		option_list_add(options, "%s", library->includes[i]);
	if (has_cache(library))
		option_list_add(options, "--no-cache");
	if (options->failed)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = NVRTC_CALL(
		error, PMPP_BUILD, nvrtcCreateProgram, &program, source, name, 0, NULL, NULL);
	if (status != PMPP_OK)
		return status;
	status = NVRTC_CALL(error, PMPP_BUILD, nvrtcCompileProgram, program, (int)options->count,
		(const char *const *)options->items);
	log = program_log(program);
	if (status != PMPP_OK) {
		if (library->advice[0] && log && strstr(log, "open source file"))
			pmpp_error_append(error, "; %s", library->advice);
		error->log = log;
		log = NULL;
	} else if (log)
		status = take_binary(program, ret_cubin, ret_size, error);
	else
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	if (status == PMPP_OK)
		*ret_log = log;
	else
		free(log);
	nvrtc.nvrtcDestroyProgram(&program);
	return status;
}
