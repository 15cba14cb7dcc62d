#include "host/gpu/cuda/nvrtc_load.h"

#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc_find.h"
#include "host/gpu/cuda/nvrtc_install.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct nvrtc_api nvrtc;

static const struct shared_symbol symbols[] = {
#define XX(function, parameters) {#function, offsetof(struct nvrtc_api, function), NULL, false},
	NVRTC_FUNCTION_MAP(XX)
#undef XX
};

static struct {
	pthread_once_t once;
	struct nvrtc_library library;
} state = {.once = PTHREAD_ONCE_INIT};

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
	char beside[NVRTC_PATH_BYTES];

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
	char headers[NVRTC_PATH_BYTES] = "", builtins[64];
	bool is_path = name[0] == '/';
	const char *path;
	void *handle;

	if ((wish->max_major && major > wish->max_major) ||
		(is_path && wish->headers && !nvrtc_find_headers(name, headers)))
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
	if (!nvrtc_find_headers(path, headers) && wish->headers)
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
	char folder[NVRTC_PATH_BYTES], command[NVRTC_COMMAND_BYTES];

	if (library->headers[0]) {
		add_include(library->headers);
		if (nvrtc_find_cccl(library->headers, folder))
			add_include(folder);
		return;
	}
	snprintf(library->advice, sizeof library->advice,
		"the CUDA headers of NVRTC %d.%d (cuda_fp16.h) are missing: %s", library->major,
		library->minor,
		nvrtc_headers_command(library->path, library->major, library->minor, command));
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
			nvrtc_find(accept, &wish);
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
