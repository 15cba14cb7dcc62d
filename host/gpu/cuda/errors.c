#include "host/gpu/cuda/internal.h"

/* symbol, status; OK: the caller's status is used */
#define CUDA_ERROR_MAP(XX)                                         \
	XX(CUDA_SUCCESS, OK)                                       \
	XX(CUDA_ERROR_INVALID_VALUE, OK)                           \
	XX(CUDA_ERROR_OUT_OF_MEMORY, OUT_OF_MEMORY)                \
	XX(CUDA_ERROR_NOT_INITIALIZED, UNAVAILABLE)                \
	XX(CUDA_ERROR_DEINITIALIZED, UNAVAILABLE)                  \
	XX(CUDA_ERROR_STUB_LIBRARY, UNAVAILABLE)                   \
	XX(CUDA_ERROR_NO_DEVICE, UNAVAILABLE)                      \
	XX(CUDA_ERROR_INVALID_DEVICE, UNAVAILABLE)                 \
	XX(CUDA_ERROR_DEVICE_NOT_LICENSED, UNAVAILABLE)            \
	XX(CUDA_ERROR_INVALID_IMAGE, BUILD)                        \
	XX(CUDA_ERROR_INVALID_CONTEXT, OK)                         \
	XX(CUDA_ERROR_NO_BINARY_FOR_GPU, BUILD)                    \
	XX(CUDA_ERROR_ECC_UNCORRECTABLE, OK)                       \
	XX(CUDA_ERROR_UNSUPPORTED_LIMIT, OK)                       \
	XX(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, UNAVAILABLE)         \
	XX(CUDA_ERROR_INVALID_PTX, BUILD)                          \
	XX(CUDA_ERROR_NVLINK_UNCORRECTABLE, OK)                    \
	XX(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, UNAVAILABLE)         \
	XX(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, BUILD)              \
	XX(CUDA_ERROR_JIT_COMPILATION_DISABLED, BUILD)             \
	XX(CUDA_ERROR_INVALID_SOURCE, BUILD)                       \
	XX(CUDA_ERROR_FILE_NOT_FOUND, OK)                          \
	XX(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, OK)          \
	XX(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, OK)               \
	XX(CUDA_ERROR_OPERATING_SYSTEM, OK)                        \
	XX(CUDA_ERROR_INVALID_HANDLE, OK)                          \
	XX(CUDA_ERROR_ILLEGAL_STATE, OK)                           \
	XX(CUDA_ERROR_NOT_FOUND, OK)                               \
	XX(CUDA_ERROR_NOT_READY, OK)                               \
	XX(CUDA_ERROR_ILLEGAL_ADDRESS, LAUNCH)                     \
	XX(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, OK)                 \
	XX(CUDA_ERROR_LAUNCH_TIMEOUT, TIMEOUT)                     \
	XX(CUDA_ERROR_CONTEXT_IS_DESTROYED, LAUNCH)                \
	XX(CUDA_ERROR_ASSERT, LAUNCH)                              \
	XX(CUDA_ERROR_HARDWARE_STACK_ERROR, LAUNCH)                \
	XX(CUDA_ERROR_ILLEGAL_INSTRUCTION, LAUNCH)                 \
	XX(CUDA_ERROR_MISALIGNED_ADDRESS, LAUNCH)                  \
	XX(CUDA_ERROR_INVALID_ADDRESS_SPACE, LAUNCH)               \
	XX(CUDA_ERROR_INVALID_PC, LAUNCH)                          \
	XX(CUDA_ERROR_LAUNCH_FAILED, LAUNCH)                       \
	XX(CUDA_ERROR_NOT_PERMITTED, OK)                           \
	XX(CUDA_ERROR_NOT_SUPPORTED, OK)                           \
	XX(CUDA_ERROR_SYSTEM_NOT_READY, UNAVAILABLE)               \
	XX(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, UNAVAILABLE)         \
	XX(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, UNAVAILABLE) \
	XX(CUDA_ERROR_UNKNOWN, OK)

#define NVRTC_ERROR_MAP(XX)                           \
	XX(NVRTC_ERROR_OUT_OF_MEMORY, OUT_OF_MEMORY)  \
	XX(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, OK)  \
	XX(NVRTC_ERROR_INVALID_INPUT, OK)             \
	XX(NVRTC_ERROR_INVALID_PROGRAM, OK)           \
	XX(NVRTC_ERROR_INVALID_OPTION, BUILD)         \
	XX(NVRTC_ERROR_COMPILATION, BUILD)            \
	XX(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, OK) \
	XX(NVRTC_ERROR_INTERNAL_ERROR, OK)

#define XX(symbol, status) {symbol, PMPP_##status, #symbol},
static const struct api_code cuda_rows[] = {CUDA_ERROR_MAP(XX)};
static const struct api_code nvrtc_rows[] = {NVRTC_ERROR_MAP(XX)};
#undef XX

const struct api_codes cuda_codes = {
	cuda_rows, sizeof cuda_rows / sizeof *cuda_rows, "unknown CUDA code"};
const struct api_codes nvrtc_codes = {
	nvrtc_rows, sizeof nvrtc_rows / sizeof *nvrtc_rows, "unknown NVRTC code"};
