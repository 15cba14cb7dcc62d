/* Shared by the files of this folder only. Device, buffer, program and kernel begin with the public
 * struct, so a pointer to one is a pointer to the other. */
#ifndef PMPP_HOST_GPU_OPENCL_INTERNAL_H
#define PMPP_HOST_GPU_OPENCL_INTERNAL_H

#include "host/gpu/backend.h"
#include "host/gpu/fenced_memory.h"
#include "host/gpu/library.h"
#include "host/gpu/opencl/cl_api.h"
#include "host/gpu/shared_library.h"

#define DEFAULT_LANGUAGE "-cl-std=CL1.2"
#define KERNEL_ALIGN 256 /* bytes: alignment of byte 0 of a buffer (gpu.h) */

struct opencl_device {
	struct gpu_device base;
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	bool is_nvidia;
	bool limits_registers; /* the compiler has the option -cl-nv-maxrregcount */
	bool is_oclgrind;
	/* Options for gpu_program_desc.device_scope and .sub_groups: "-cl-std=CL3.0" */
	const char *newest_language, *scoped_language, *sub_group_language;
	const char *copy_language; /* for programs with wait_group_events() */
	bool runs_host_code;       /* a CPU device that executes functions of the host */
	bool aligns_buffers;       /* the driver may align them to less than 256 bytes */
	uint32_t shared_scale;     /* driver's figure of a kernel's shared memory / the true one */
	bool is_block_limit_unknown; /* the driver reports a wrong maximum block of kernels */
	cl_kernel
		address; /* writes the address of its buffer to the buffer; NULL: not needed yet */
	struct {
		cl_event first, last; /* of the commands in the interval; NULL = none yet */
		bool first_is_marker; /* the interval begins at the end of `first` */
	} timer;
};

struct opencl_buffer {
	struct gpu_buffer base;
	struct fenced_memory memory; /* of the parent if the device is fenced */
	cl_mem parent;               /* padding, guard, operand, guard */
	cl_mem operand;  /* the buffer that kernels get: a part of the parent, or the parent */
	uint64_t origin; /* offset of the leading guard in the parent, in bytes */
};

struct opencl_program {
	struct gpu_program base;
	cl_program program;
	char name[128];   /* name of the kernel file, for the compiler's messages */
	int lines_before; /* lines of source_prefix() before the source */
	char *full_log;   /* includes the assembler's report of registers, which base.log lacks */
};

struct opencl_kernel {
	struct gpu_kernel base;
	cl_kernel kernel;
	cl_uint arg_count;
	/* Whether each parameter is a pointer. Known only on drivers that do not check handles. */
	bool pointers_known;
	bool pointer[GPU_MAX_ARGS + 1];
};

static inline struct opencl_device *opencl_device_of(struct gpu_device *device)
{
	return (struct opencl_device *)device;
}

/* The slots (host/gpu/backend.h). */
#define XX(result, slot, parameters) result opencl_##slot parameters;
GPU_SLOT_MAP(XX)
#undef XX

/* ---- errors.c ---- */

extern const struct api_codes opencl_codes;

/* Calls function(...), which returns its code. An error has the name of the function only. */
#define CL_CALL(error, fallback, function, ...) \
	CL_CHECK((error), (fallback), function(__VA_ARGS__), #function)

/* The same for functions that return their code through a pointer. */
#define CL_CHECK(error, fallback, code, function) \
	api_result(&opencl_codes, (error), (fallback), (code), function, __FILE__, __LINE__)

/* ---- queue.c ---- */

/* Returns the place for the event of the next command: an event of the timer, or NULL if no interval is timed. */
cl_event *opencl_timer_event(struct opencl_device *device);

/* ---- native.c ---- */

/* A host function that computes the operation of a library. operands: the addresses that kernels get. */
typedef void opencl_native_function(
	const struct gpu_library *library, const struct peer_work *work, void *const *operands);

/* PMPP_UNSUPPORTED: the device executes no functions of the host. title: of the library. */
enum pmpp_status opencl_can_call_native(
	struct gpu_device *device, const char *title, struct pmpp_error *error);

/* Queues the function as a native kernel: the device executes it in the order of the queue, and the events of the
 * queue time it. The library must exist until then. */
enum pmpp_status opencl_native_call(struct gpu_library *library, const struct gpu_call *call,
	opencl_native_function *function, struct pmpp_error *error);

/* ---- clblast.c, openblas.c, openmp.c ---- */

extern const struct gpu_library_driver opencl_clblast, opencl_openblas, opencl_openmp;

/* ---- program.c ---- */

enum pmpp_status opencl_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error);

#endif
