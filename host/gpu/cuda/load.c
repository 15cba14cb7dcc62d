#include "host/gpu/cuda/internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define DRIVER_LIBRARY "libcuda.so.1"

#define TEXT_OF(name) #name
#define TEXT_OF_EXPANDED(name) TEXT_OF(name)

struct cuda_api cuda;

static struct {
	pthread_once_t once;
	char reason[300]; /* "" = loaded */
} driver = {.once = PTHREAD_ONCE_INIT};

static const struct {
	const char *name, *older;
	size_t offset;
	bool required;
} symbols[] = {
#define XX(function, older) \
	{TEXT_OF_EXPANDED(function), older, offsetof(struct cuda_api, function), true},
	CUDA_FUNCTION_MAP(XX)
#undef XX
		{"cuFuncGetParamInfo", NULL, offsetof(struct cuda_api, param_info), false},
	{"cuTensorMapEncodeTiled", NULL, offsetof(struct cuda_api, tensor_map), false},
};

/* Returns the name of the first missing function; NULL if there is none. */
static const char *find_symbols(void *library)
{
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *found = dlsym(library, symbols[i].name);

		if (!found && symbols[i].older)
			found = dlsym(library, symbols[i].older);
		if (!found && symbols[i].required)
			return symbols[i].name;
		memcpy((char *)&cuda + symbols[i].offset, &found, sizeof found);
	}
	return NULL;
}

static void load(void)
{
	void *library = dlopen(DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	const char *missing;
	CUresult code;

	if (!library) {
		const char *why = dlerror();

		if (!why || strstr(why, "No such file"))
			why = DRIVER_LIBRARY " not found";
		snprintf(driver.reason, sizeof driver.reason, "no NVIDIA driver: %s", why);
		return;
	}
	missing = find_symbols(library);
	if (missing) {
		snprintf(driver.reason, sizeof driver.reason,
			"the NVIDIA driver is too old: %s has no %s", DRIVER_LIBRARY, missing);
		return;
	}
	code = cuda.cuInit(0);
	if (code != CUDA_SUCCESS)
		snprintf(driver.reason, sizeof driver.reason, "%s: cuInit failed: %s (%d)",
			code == CUDA_ERROR_NO_DEVICE ? "no CUDA device" : "no usable NVIDIA driver",
			cuda_symbol(code), (int)code);
}

bool cuda_load(const char **ret_reason)
{
	pthread_once(&driver.once, load);
	*ret_reason = driver.reason;
	return driver.reason[0] == '\0';
}
