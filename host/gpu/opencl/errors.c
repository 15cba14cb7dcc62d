#include "host/gpu/opencl/internal.h"

#define CL_PLATFORM_NOT_FOUND_KHR_CODE (-1001) /* of CL/cl_ext.h, which some installations lack */

/* symbol, status; OK: the caller's status is used */
#define OPENCL_ERROR_MAP(XX)                                     \
	XX(CL_DEVICE_NOT_FOUND, UNAVAILABLE)                     \
	XX(CL_DEVICE_NOT_AVAILABLE, UNAVAILABLE)                 \
	XX(CL_COMPILER_NOT_AVAILABLE, UNAVAILABLE)               \
	XX(CL_MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_MEMORY)      \
	XX(CL_OUT_OF_RESOURCES, OK)                              \
	XX(CL_OUT_OF_HOST_MEMORY, OUT_OF_MEMORY)                 \
	XX(CL_PROFILING_INFO_NOT_AVAILABLE, OK)                  \
	XX(CL_MEM_COPY_OVERLAP, OK)                              \
	XX(CL_BUILD_PROGRAM_FAILURE, BUILD)                      \
	XX(CL_MAP_FAILURE, OK)                                   \
	XX(CL_MISALIGNED_SUB_BUFFER_OFFSET, OK)                  \
	XX(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, LAUNCH) \
	XX(CL_COMPILE_PROGRAM_FAILURE, BUILD)                    \
	XX(CL_LINKER_NOT_AVAILABLE, UNAVAILABLE)                 \
	XX(CL_LINK_PROGRAM_FAILURE, BUILD)                       \
	XX(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, OK)                 \
	XX(CL_INVALID_VALUE, OK)                                 \
	XX(CL_INVALID_DEVICE_TYPE, OK)                           \
	XX(CL_INVALID_PLATFORM, OK)                              \
	XX(CL_INVALID_DEVICE, OK)                                \
	XX(CL_INVALID_CONTEXT, OK)                               \
	XX(CL_INVALID_QUEUE_PROPERTIES, OK)                      \
	XX(CL_INVALID_COMMAND_QUEUE, OK)                         \
	XX(CL_INVALID_HOST_PTR, OK)                              \
	XX(CL_INVALID_MEM_OBJECT, OK)                            \
	XX(CL_INVALID_BINARY, BUILD)                             \
	XX(CL_INVALID_BUILD_OPTIONS, BUILD)                      \
	XX(CL_INVALID_PROGRAM, OK)                               \
	XX(CL_INVALID_PROGRAM_EXECUTABLE, OK)                    \
	XX(CL_INVALID_KERNEL_NAME, BUILD)                        \
	XX(CL_INVALID_KERNEL_DEFINITION, BUILD)                  \
	XX(CL_INVALID_KERNEL, OK)                                \
	XX(CL_INVALID_ARG_INDEX, OK)                             \
	XX(CL_INVALID_ARG_VALUE, OK)                             \
	XX(CL_INVALID_ARG_SIZE, OK)                              \
	XX(CL_INVALID_KERNEL_ARGS, OK)                           \
	XX(CL_INVALID_WORK_DIMENSION, OK)                        \
	XX(CL_INVALID_WORK_GROUP_SIZE, OK)                       \
	XX(CL_INVALID_WORK_ITEM_SIZE, OK)                        \
	XX(CL_INVALID_GLOBAL_OFFSET, OK)                         \
	XX(CL_INVALID_EVENT_WAIT_LIST, OK)                       \
	XX(CL_INVALID_EVENT, OK)                                 \
	XX(CL_INVALID_OPERATION, OK)                             \
	XX(CL_INVALID_BUFFER_SIZE, OUT_OF_MEMORY)                \
	XX(CL_INVALID_GLOBAL_WORK_SIZE, OK)                      \
	XX(CL_INVALID_PROPERTY, OK)                              \
	XX(CL_INVALID_COMPILER_OPTIONS, BUILD)                   \
	XX(CL_INVALID_LINKER_OPTIONS, BUILD)                     \
	XX(CL_INVALID_DEVICE_PARTITION_COUNT, OK)

static const struct api_code rows[] = {
#define XX(symbol, status) {symbol, PMPP_##status, #symbol},
	OPENCL_ERROR_MAP(XX)
#undef XX
		{CL_PLATFORM_NOT_FOUND_KHR_CODE, PMPP_UNAVAILABLE, "CL_PLATFORM_NOT_FOUND_KHR"},
	{0, PMPP_OK, NULL},
};

const struct api_codes opencl_codes = {rows, "unknown OpenCL code"};
