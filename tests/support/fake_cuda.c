/*
 * Replaces the NVIDIA driver's library: one device that runs nothing. Memory is host memory, kernels
 * leave it as it is, and the timer is the host's clock. tests/cli/test_cuda_setup.py compiles this
 * file as libcuda.so.1.
 *
 * Environment: FAKE_CUDA_VERSION (13000), FAKE_CUDA_ARCH (90), FAKE_CUDA_UNITS (4 multiprocessors);
 * FAKE_CUDA_REJECT is the code with which modules are rejected; FAKE_CUDA_LOG is a file that gets a
 * line for each module and for each failed query of a parameter. With the macro PARAMETERS each kernel
 * has that many parameters of 8 bytes; without it the driver is too old for queries of parameters.
 *
 * FAKE_CUDA_RECORD is a file that gets all that a device would receive, for tools/sass/record.py. An
 * entry is a line of words, and the number of bytes in its last word:
 *
 *   alloc ADDRESS SIZE 0        write ADDRESS BYTES       fill ADDRESS VALUE COUNT 0
 *   module NUMBER BYTES         launch MODULE KERNEL GRID x 3 BLOCK x 3 SHARED BYTES
 *
 * The bytes of a launch are its arguments, RECORDED_ARGUMENT bytes each.
 */
#include "host/gpu/cuda/driver_api.h"

#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEMORY_BYTES ((size_t)4 << 30)
#define RECORDED_ARGUMENT 8
#define MAX_ARGUMENTS 32

struct CUctx_st {
	int unused;
};
struct CUstream_st {
	int unused;
};
struct CUmod_st {
	int number;
};
struct CUfunc_st {
	int module;
	char name[200];
};
struct CUevent_st {
	struct timespec time;
};

static struct CUctx_st context;
static struct CUstream_st stream;
static int module_count;

static int setting(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text ? atoi(text) : otherwise;
}

#define FUNCTION(name, ...)         \
	CUresult name(__VA_ARGS__); \
	CUresult name(__VA_ARGS__)

/* A function that does nothing. */
#define NOTHING(name, ...)           \
	CUresult name(__VA_ARGS__);  \
	CUresult name(__VA_ARGS__)   \
	{                            \
		return CUDA_SUCCESS; \
	}

/* A function that only sets *result. */
#define SETS(name, result, value, ...) \
	CUresult name(__VA_ARGS__);    \
	CUresult name(__VA_ARGS__)     \
	{                              \
		*(result) = (value);   \
		return CUDA_SUCCESS;   \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"

NOTHING(cuInit, unsigned flags)
NOTHING(cuDevicePrimaryCtxRelease_v2, CUdevice device)
NOTHING(cuCtxSetCurrent, CUcontext current)
NOTHING(cuStreamDestroy_v2, CUstream which)
NOTHING(cuStreamSynchronize, CUstream which)
NOTHING(cuEventSynchronize, CUevent event)
NOTHING(cuFuncSetAttribute, CUfunction which, CUfunction_attribute attribute, int value)

/* ---- Record -------------------------------------------------------------------------------- */

/* Adds an entry to the record, if there is one. */
static void __attribute__((format(printf, 3, 4)))
record(const void *bytes, size_t count, const char *format, ...)
{
	const char *name = getenv("FAKE_CUDA_RECORD");
	FILE *file = name ? fopen(name, "ab") : NULL;
	va_list words;

	if (!file)
		return;
	va_start(words, format);
	vfprintf(file, format, words);
	va_end(words);
	fprintf(file, " %zu\n", count);
	fwrite(bytes, 1, count, file);
	fclose(file);
}

FUNCTION(cuLaunchKernel, CUfunction which, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream in,
	void **arguments, void **extra)
{
	char bytes[MAX_ARGUMENTS][RECORDED_ARGUMENT] = {{0}};
	size_t count = 0;

	/* The caller ends its list with NULL. */
	for (; count < MAX_ARGUMENTS && arguments[count]; count++)
		memcpy(bytes[count], arguments[count], RECORDED_ARGUMENT);
	record(bytes, count * RECORDED_ARGUMENT, "launch %d %s %u %u %u %u %u %u %u", which->module,
		which->name, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes);
	return CUDA_SUCCESS;
}

/* ---- Device -------------------------------------------------------------------------------- */

SETS(cuDriverGetVersion, version, setting("FAKE_CUDA_VERSION", 13000), int *version)
SETS(cuDeviceGetCount, count, 1, int *count)
SETS(cuDeviceTotalMem_v2, bytes, MEMORY_BYTES, size_t *bytes, CUdevice device)
SETS(cuDevicePrimaryCtxRetain, ret_context, &context, CUcontext *ret_context, CUdevice device)

FUNCTION(cuDeviceGet, CUdevice *device, int ordinal)
{
	*device = 0;
	return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

FUNCTION(cuDeviceGetName, char *name, int size, CUdevice device)
{
	snprintf(name, (size_t)size, "fake GPU");
	return CUDA_SUCCESS;
}

FUNCTION(cuDeviceGetUuid_v2, CUuuid *uuid, CUdevice device)
{
	memset(uuid, 7, sizeof *uuid);
	return CUDA_SUCCESS;
}

FUNCTION(cuDeviceGetAttribute, int *value, CUdevice_attribute attribute, CUdevice device)
{
	const int arch = setting("FAKE_CUDA_ARCH", 90);
	const int values[][2] = {
		{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
		{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
		{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
		{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
		{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
		{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 * 1024},
		{CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
		{CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
		{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, setting("FAKE_CUDA_UNITS", 4)},
		{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
		{CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 1},
		{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, arch / 10},
		{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, arch % 10},
	};

	*value = 0;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i][0] == (int)attribute)
			*value = values[i][1];
	return CUDA_SUCCESS;
}

/* ---- Streams and events -------------------------------------------------------------------- */

SETS(cuStreamCreate, ret_stream, &stream, CUstream *ret_stream, unsigned flags)

FUNCTION(cuEventCreate, CUevent *event, unsigned flags)
{
	*event = calloc(1, sizeof **event);
	return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

FUNCTION(cuEventDestroy_v2, CUevent event)
{
	free(event);
	return CUDA_SUCCESS;
}

FUNCTION(cuEventRecord, CUevent event, CUstream in)
{
	clock_gettime(CLOCK_MONOTONIC, &event->time);
	return CUDA_SUCCESS;
}

FUNCTION(cuEventElapsedTime_v2, float *ms, CUevent begin, CUevent end)
{
	*ms = (float)(end->time.tv_sec - begin->time.tv_sec) * 1e3f +
	      (float)(end->time.tv_nsec - begin->time.tv_nsec) * 1e-6f;
	return CUDA_SUCCESS;
}

/* ---- Memory -------------------------------------------------------------------------------- */

FUNCTION(cuMemGetInfo_v2, size_t *free_bytes, size_t *total_bytes)
{
	*free_bytes = *total_bytes = MEMORY_BYTES;
	return CUDA_SUCCESS;
}

FUNCTION(cuMemAlloc_v2, CUdeviceptr *address, size_t bytes)
{
	*address = (CUdeviceptr)(size_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
	record(NULL, 0, "alloc %llu %zu", *address, bytes);
	return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

FUNCTION(cuMemFree_v2, CUdeviceptr address)
{
	free((void *)(size_t)address);
	return CUDA_SUCCESS;
}

FUNCTION(cuMemHostAlloc, void **address, size_t bytes, unsigned flags)
{
	*address = malloc(bytes);
	return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

FUNCTION(cuMemFreeHost, void *address)
{
	free(address);
	return CUDA_SUCCESS;
}

FUNCTION(cuMemcpyHtoDAsync_v2, CUdeviceptr target, const void *source, size_t bytes, CUstream in)
{
	memcpy((void *)(size_t)target, source, bytes);
	record(source, bytes, "write %llu", target);
	return CUDA_SUCCESS;
}

FUNCTION(cuMemcpyDtoHAsync_v2, void *target, CUdeviceptr source, size_t bytes, CUstream in)
{
	memcpy(target, (void *)(size_t)source, bytes);
	return CUDA_SUCCESS;
}

FUNCTION(cuMemcpyDtoDAsync_v2, CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream in)
{
	memcpy((void *)(size_t)target, (void *)(size_t)source, bytes);
	return CUDA_SUCCESS;
}

FUNCTION(cuMemsetD32Async, CUdeviceptr target, unsigned value, size_t count, CUstream in)
{
	for (size_t i = 0; i < count; i++)
		((unsigned *)(size_t)target)[i] = value;
	record(NULL, 0, "fill %llu %u %zu", target, value, count);
	return CUDA_SUCCESS;
}

/* ---- Modules ------------------------------------------------------------------------------- */

static void log_line(const char *line)
{
	const char *log = getenv("FAKE_CUDA_LOG");
	FILE *file = log ? fopen(log, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%s\n", line);
	fclose(file);
}

/* The bytes of a file of machine code: its section headers or its program headers are at the end. */
static size_t image_bytes(const void *image)
{
	const Elf64_Ehdr *head = image;
	size_t sections = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
	size_t programs = head->e_phoff + (size_t)head->e_phnum * head->e_phentsize;

	return sections > programs ? sections : programs;
}

/* As a driver that does not compile PTX: it accepts machine code only. */
FUNCTION(cuModuleLoadDataEx, CUmodule *ret_module, const void *image, unsigned option_count,
	CUjit_option *options, void **values)
{
	bool is_cubin = memcmp(image, "\177ELF", 4) == 0;

	log_line(is_cubin ? "cubin" : "PTX");
	if (!is_cubin)
		return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	*ret_module = calloc(1, sizeof **ret_module);
	if (!*ret_module)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*ret_module)->number = module_count++;
	record(image, image_bytes(image), "module %d", (*ret_module)->number);
	return (CUresult)setting("FAKE_CUDA_REJECT", CUDA_SUCCESS);
}

FUNCTION(cuModuleUnload, CUmodule which)
{
	free(which);
	return CUDA_SUCCESS;
}

/* A function is never freed: the driver's interface has no call for it. */
FUNCTION(cuModuleGetFunction, CUfunction *ret_function, CUmodule which, const char *name)
{
	*ret_function = calloc(1, sizeof **ret_function);
	if (!*ret_function)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*ret_function)->module = which->number;
	snprintf((*ret_function)->name, sizeof(*ret_function)->name, "%s", name);
	return CUDA_SUCCESS;
}

SETS(cuFuncGetAttribute, value, attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 16,
	int *value, CUfunction_attribute attribute, CUfunction which)

#ifdef PARAMETERS
FUNCTION(cuFuncGetParamInfo, CUfunction which, size_t index, size_t *offset, size_t *bytes)
{
	if (index >= PARAMETERS) {
		log_line("failed");
		return CUDA_ERROR_INVALID_VALUE;
	}
	*offset = 8 * index;
	*bytes = 8;
	return CUDA_SUCCESS;
}
#endif
