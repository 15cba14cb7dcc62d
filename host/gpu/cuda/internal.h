/* Shared by the files of this folder only. Device, buffer, program and kernel begin with the public
 * struct, so a pointer to one is a pointer to the other. */
#ifndef PMPP_HOST_GPU_CUDA_INTERNAL_H
#define PMPP_HOST_GPU_CUDA_INTERNAL_H

#include "host/gpu/backend.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/cuda/driver_api.h"
#include "host/gpu/shared_library.h"

struct cuda_device {
	struct gpu_device base;
	CUdevice id;
	bool retained; /* the primary context */
	CUcontext context;
	CUstream stream;
	CUevent begin,
		end;      /* of a timed interval; created once, recorded again for each interval */
	void *staging[2]; /* page-locked memory for large copies; NULL: not allocated yet */
};

struct cuda_buffer {
	struct gpu_buffer base;
	CUdeviceptr parent;  /* guard, operand, guard */
	CUdeviceptr operand; /* address that kernels get */
};

struct cuda_program {
	struct gpu_program base;
	CUmodule module;
	void *image; /* the cubin, or the PTX that the driver has compiled; owned */
	size_t image_bytes;
};

struct cuda_kernel {
	struct gpu_kernel base;
	CUfunction function;
	int arg_count; /* -1 = unknown: drivers before CUDA 12.4 do not report it */
	size_t arg_bytes[GPU_MAX_ARGS];
	uint32_t dynamic_bytes; /* dynamic shared memory that is enabled for this kernel */
};

static inline struct cuda_device *cuda_device_of(struct gpu_device *device)
{
	return (struct cuda_device *)device;
}

/* The slots (host/gpu/backend.h). */
#define XX(result, slot, parameters) result cuda_##slot parameters;
GPU_SLOT_MAP(XX)
#undef XX

/* ---- driver.c ---- */

/* The driver's functions. They may be called after cuda_load() has returned true; this is the case
 * for every open device. */
extern struct cuda_api cuda;

extern const struct api_codes cuda_codes;

/* Opens the library and calls cuInit(); later calls return the same result. false: *ret_reason says
 * why there is no driver. */
bool cuda_load(const char **ret_reason);

/* Returns the CUDA version of the driver, 1000 * major + 10 * minor; 0 without a driver. Does not
 * call cuInit(), which takes longer. */
int cuda_driver_version(void);

/* Makes the device's context current in the calling thread. Each function that calls the driver
 * does this, because several devices may be open, and the thread of a device may change. The call
 * is cheap if the context is already current. */
enum pmpp_status cuda_enter(struct cuda_device *device, struct pmpp_error *error);

/* Calls function(...) of the driver, which returns its code. */
#define CU_CALL(error, fallback, function, ...)                                                   \
	api_result(&cuda_codes, (error), (fallback), (long)cuda.function(__VA_ARGS__), #function, \
		__FILE__, __LINE__)

/* The same in the context of the device. */
#define CU_CALL_IN(device, error, fallback, function, ...)                \
	(cuda_enter((device), (error)) == PMPP_OK                         \
			? CU_CALL(error, fallback, function, __VA_ARGS__) \
			: (error)->status)

/* ---- program.c ---- */

/* Returns the number of parameters of a kernel in a program's image; -1: unknown, because the image is
 * PTX or has an unknown form. */
int cuda_image_parameters(const void *image, size_t bytes, const char *entry);

extern const struct gpu_offline cuda_offline;

/* ---- nvrtc.c ---- */

enum pmpp_status cuda_arch_check(const char *arch, struct pmpp_error *error);

/* ---- cublas.c, cub.c ---- */

extern const struct gpu_library_driver cuda_cublas, cuda_cub;

#endif
