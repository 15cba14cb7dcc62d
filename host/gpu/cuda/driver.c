#include "host/gpu/cuda/internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

const struct api_codes cuda_codes = API_CODES(CUDA_RESULT_MAP, "unknown CUDA code");

#define DRIVER_LIBRARY "libcuda.so.1"

struct cuda_api cuda;

static struct {
	pthread_once_t opened, initialised;
	int version;
	char reason[300]; /* "" = opened, and after cuda_load() also initialised */
} driver = {.opened = PTHREAD_ONCE_INIT, .initialised = PTHREAD_ONCE_INIT};

static const struct shared_symbol symbols[] = {
#define XX(function, symbol, older, since, parameters) \
	{symbol, offsetof(struct cuda_api, function), older, (since) != 0},
	CUDA_FUNCTION_MAP(XX)
#undef XX
};

static void open_library(void)
{
	void *library = dlopen(DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	const char *missing;

	if (!library) {
		const char *why = dlerror();

		if (!why || strstr(why, "No such file"))
			why = DRIVER_LIBRARY " not found";
		snprintf(driver.reason, sizeof driver.reason, "no NVIDIA driver: %s", why);
		return;
	}
	missing = shared_symbols_find(symbols, sizeof symbols / sizeof *symbols, library, &cuda);
	if (missing) {
		snprintf(driver.reason, sizeof driver.reason,
			"the NVIDIA driver is too old: %s has no %s", DRIVER_LIBRARY, missing);
		return;
	}
	if (cuda.cuDriverGetVersion(&driver.version) != CUDA_SUCCESS)
		driver.version = 0;
}

static void initialise(void)
{
	CUresult code;

	pthread_once(&driver.opened, open_library);
	if (driver.reason[0])
		return;
	code = cuda.cuInit(0);
	if (code != CUDA_SUCCESS)
		snprintf(driver.reason, sizeof driver.reason, "%s: cuInit failed: %s (%d)",
			code == CUDA_ERROR_NO_DEVICE ? "no CUDA device" : "no usable NVIDIA driver",
			api_symbol(&cuda_codes, (long)code), (int)code);
}

bool cuda_load(const char **ret_reason)
{
	pthread_once(&driver.initialised, initialise);
	*ret_reason = driver.reason;
	return driver.reason[0] == '\0';
}

int cuda_driver_version(void)
{
	pthread_once(&driver.opened, open_library);
	return driver.version;
}

enum pmpp_status cuda_enter(struct cuda_device *device, struct pmpp_error *error)
{
	return CU_CALL(error, PMPP_LAUNCH, cuCtxSetCurrent, device->context);
}
