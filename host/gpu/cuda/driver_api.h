/*
 * The part of the CUDA driver's binary interface that this backend uses, so that the build needs no
 * CUDA Toolkit. Source: CUDA Driver API Reference Manual, docs.nvidia.com/cuda/cuda-driver-api:
 * "Data types used by CUDA driver" (types, enums and their values) and the pages of the functions.
 * tests/unit/test_cuda_api.py compares all of it with the headers of a toolkit, where one is
 * installed.
 *
 * To use another function, add a row to CUDA_FUNCTION_MAP and the types and constants that it needs.
 */
#ifndef PMPP_HOST_GPU_CUDA_DRIVER_API_H
#define PMPP_HOST_GPU_CUDA_DRIVER_API_H

#include <stddef.h>
#include <stdint.h>

/* ---- Types --------------------------------------------------------------------------------- */

typedef int CUdevice;
typedef unsigned long long CUdeviceptr; /* of a 64-bit process */
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

typedef struct {
	char bytes[16];
} CUuuid;

/* clang-format off */
/* Symbol, code, status (enum pmpp_status) of a failed call; OK: the caller of the function decides. */
#define CUDA_RESULT_MAP(XX) \
	XX(CUDA_SUCCESS, 0, OK) \
	XX(CUDA_ERROR_INVALID_VALUE, 1, OK) \
	XX(CUDA_ERROR_OUT_OF_MEMORY, 2, OUT_OF_MEMORY) \
	XX(CUDA_ERROR_NOT_INITIALIZED, 3, UNAVAILABLE) \
	XX(CUDA_ERROR_DEINITIALIZED, 4, UNAVAILABLE) \
	XX(CUDA_ERROR_STUB_LIBRARY, 34, UNAVAILABLE) \
	XX(CUDA_ERROR_NO_DEVICE, 100, UNAVAILABLE) \
	XX(CUDA_ERROR_INVALID_DEVICE, 101, UNAVAILABLE) \
	XX(CUDA_ERROR_DEVICE_NOT_LICENSED, 102, UNAVAILABLE) \
	XX(CUDA_ERROR_INVALID_IMAGE, 200, BUILD) \
	XX(CUDA_ERROR_INVALID_CONTEXT, 201, OK) \
	XX(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, BUILD) \
	XX(CUDA_ERROR_ECC_UNCORRECTABLE, 214, OK) \
	XX(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, OK) \
	XX(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216, UNAVAILABLE) \
	XX(CUDA_ERROR_INVALID_PTX, 218, BUILD) \
	XX(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220, OK) \
	XX(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, UNAVAILABLE) \
	XX(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, BUILD) \
	XX(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223, BUILD) \
	XX(CUDA_ERROR_INVALID_SOURCE, 300, BUILD) \
	XX(CUDA_ERROR_FILE_NOT_FOUND, 301, OK) \
	XX(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, OK) \
	XX(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, OK) \
	XX(CUDA_ERROR_OPERATING_SYSTEM, 304, OK) \
	XX(CUDA_ERROR_INVALID_HANDLE, 400, OK) \
	XX(CUDA_ERROR_ILLEGAL_STATE, 401, OK) \
	XX(CUDA_ERROR_NOT_FOUND, 500, OK) \
	XX(CUDA_ERROR_NOT_READY, 600, OK) \
	XX(CUDA_ERROR_ILLEGAL_ADDRESS, 700, LAUNCH) \
	XX(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, OK) \
	XX(CUDA_ERROR_LAUNCH_TIMEOUT, 702, TIMEOUT) \
	XX(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, LAUNCH) \
	XX(CUDA_ERROR_ASSERT, 710, LAUNCH) \
	XX(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, LAUNCH) \
	XX(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, LAUNCH) \
	XX(CUDA_ERROR_MISALIGNED_ADDRESS, 716, LAUNCH) \
	XX(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, LAUNCH) \
	XX(CUDA_ERROR_INVALID_PC, 718, LAUNCH) \
	XX(CUDA_ERROR_LAUNCH_FAILED, 719, LAUNCH) \
	XX(CUDA_ERROR_NOT_PERMITTED, 800, OK) \
	XX(CUDA_ERROR_NOT_SUPPORTED, 801, OK) \
	XX(CUDA_ERROR_SYSTEM_NOT_READY, 802, UNAVAILABLE) \
	XX(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, UNAVAILABLE) \
	XX(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, UNAVAILABLE) \
	XX(CUDA_ERROR_UNKNOWN, 999, OK)
/* clang-format on */

typedef enum {
#define XX(symbol, code, status) symbol = code,
	CUDA_RESULT_MAP(XX)
#undef XX
} CUresult;

typedef enum {
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8, /* bytes */
	CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
	CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, /* kHz */
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
	CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
	CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
	CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, /* bytes */
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
	CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81, /* bytes */
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97     /* bytes */
} CUdevice_attribute;

typedef enum {
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
} CUfunction_attribute;

typedef enum {
	CU_JIT_ERROR_LOG_BUFFER = 5,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
} CUjit_option;

/* Describes a matrix for the unit that copies tiles. */
typedef struct {
	_Alignas(64) uint64_t words[16];
} CUtensorMap;

typedef enum {
	CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
	CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7
} CUtensorMapDataType;

typedef enum {
	CU_TENSOR_MAP_INTERLEAVE_NONE = 0
} CUtensorMapInterleave;

typedef enum {
	CU_TENSOR_MAP_SWIZZLE_NONE = 0,
	CU_TENSOR_MAP_SWIZZLE_128B = 3
} CUtensorMapSwizzle;

typedef enum {
	CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3
} CUtensorMapL2promotion;

typedef enum {
	CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0
} CUtensorMapFloatOOBfill;

/* Flags of cuEventCreate() and cuStreamCreate(). */
enum {
	CU_EVENT_DEFAULT = 0,
	CU_STREAM_NON_BLOCKING = 1
};

/* ---- Functions ----------------------------------------------------------------------------- */

/* clang-format off */
/*
 * name        as in the manual. All functions return CUresult
 * symbol      exported by the library. The manual's name is that of the newest version
 * older       symbol of an older version with the same parameters, in older drivers; NULL: none
 * since       CUDA version (1000 * major + 10 * minor) of the first driver with the function. It is
 *             NULL in older drivers. 0: every driver that the backend supports
 * parameters
 */
#define CUDA_FUNCTION_MAP(XX) \
	XX(cuInit, "cuInit", NULL, 0, (unsigned flags)) \
	XX(cuDriverGetVersion, "cuDriverGetVersion", NULL, 0, (int *version)) \
	XX(cuDeviceGetCount, "cuDeviceGetCount", NULL, 0, (int *count)) \
	XX(cuDeviceGet, "cuDeviceGet", NULL, 0, (CUdevice *device, int ordinal)) \
	XX(cuDeviceGetName, "cuDeviceGetName", NULL, 0, (char *name, int size, CUdevice device)) \
	XX(cuDeviceTotalMem, "cuDeviceTotalMem_v2", NULL, 0, (size_t *bytes, CUdevice device)) \
	XX(cuDeviceGetAttribute, "cuDeviceGetAttribute", NULL, 0, \
		(int *value, CUdevice_attribute attribute, CUdevice device)) \
	XX(cuDeviceGetUuid, "cuDeviceGetUuid_v2", "cuDeviceGetUuid", 0, \
		(CUuuid *uuid, CUdevice device)) \
	XX(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", NULL, 0, \
		(CUcontext *context, CUdevice device)) \
	XX(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", 0, \
		(CUdevice device)) \
	XX(cuCtxSetCurrent, "cuCtxSetCurrent", NULL, 0, (CUcontext context)) \
	XX(cuStreamCreate, "cuStreamCreate", NULL, 0, (CUstream *stream, unsigned flags)) \
	XX(cuStreamDestroy, "cuStreamDestroy_v2", NULL, 0, (CUstream stream)) \
	XX(cuStreamSynchronize, "cuStreamSynchronize", NULL, 0, (CUstream stream)) \
	XX(cuEventCreate, "cuEventCreate", NULL, 0, (CUevent *event, unsigned flags)) \
	XX(cuEventDestroy, "cuEventDestroy_v2", NULL, 0, (CUevent event)) \
	XX(cuEventRecord, "cuEventRecord", NULL, 0, (CUevent event, CUstream stream)) \
	XX(cuEventSynchronize, "cuEventSynchronize", NULL, 0, (CUevent event)) \
	XX(cuEventElapsedTime, "cuEventElapsedTime_v2", "cuEventElapsedTime", 0, \
		(float *ms, CUevent begin, CUevent end)) \
	XX(cuMemGetInfo, "cuMemGetInfo_v2", NULL, 0, (size_t *free_bytes, size_t *total_bytes)) \
	XX(cuMemAlloc, "cuMemAlloc_v2", NULL, 0, (CUdeviceptr *address, size_t bytes)) \
	XX(cuMemFree, "cuMemFree_v2", NULL, 0, (CUdeviceptr address)) \
	XX(cuMemHostAlloc, "cuMemHostAlloc", NULL, 0, (void **address, size_t bytes, unsigned flags)) \
	XX(cuMemFreeHost, "cuMemFreeHost", NULL, 0, (void *address)) \
	XX(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", NULL, 0, \
		(CUdeviceptr target, const void *source, size_t bytes, CUstream stream)) \
	XX(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", NULL, 0, \
		(void *target, CUdeviceptr source, size_t bytes, CUstream stream)) \
	XX(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", NULL, 0, \
		(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream)) \
	XX(cuMemsetD32Async, "cuMemsetD32Async", NULL, 0, \
		(CUdeviceptr target, unsigned value, size_t count, CUstream stream)) \
	XX(cuModuleLoadDataEx, "cuModuleLoadDataEx", NULL, 0, \
		(CUmodule *module, const void *image, unsigned option_count, CUjit_option *options, \
			void **values)) \
	XX(cuModuleUnload, "cuModuleUnload", NULL, 0, (CUmodule module)) \
	XX(cuModuleGetFunction, "cuModuleGetFunction", NULL, 0, \
		(CUfunction *function, CUmodule module, const char *name)) \
	XX(cuFuncGetAttribute, "cuFuncGetAttribute", NULL, 0, \
		(int *value, CUfunction_attribute attribute, CUfunction function)) \
	XX(cuFuncSetAttribute, "cuFuncSetAttribute", NULL, 0, \
		(CUfunction function, CUfunction_attribute attribute, int value)) \
	XX(cuFuncGetParamInfo, "cuFuncGetParamInfo", NULL, 12040, \
		(CUfunction function, size_t index, size_t *offset, size_t *bytes)) \
	XX(cuLaunchKernel, "cuLaunchKernel", NULL, 0, \
		(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
			unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, \
			CUstream stream, void **arguments, void **extra)) \
	XX(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled", NULL, 12000, \
		(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *address, \
			const uint64_t *extents, const uint64_t *strides, const uint32_t *box, \
			const uint32_t *element_strides, CUtensorMapInterleave interleave, \
			CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, \
			CUtensorMapFloatOOBfill fill))
/* clang-format on */

/* The functions, by the names of the manual. */
struct cuda_api {
#define XX(name, symbol, older, since, parameters) CUresult(*name) parameters;
	CUDA_FUNCTION_MAP(XX)
#undef XX
};

#endif
