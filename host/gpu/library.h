/*
 * Libraries that compute on a device of gpu.h: cuBLAS, CUB, CLBlast, OpenBLAS, and the OpenMP loops of this project.
 * They work on the backend's own buffers and in its queue, so the device timer and all checks apply to them as to a
 * kernel. A vendor's library is opened at run time.
 */
#ifndef PMPP_HOST_GPU_LIBRARY_H
#define PMPP_HOST_GPU_LIBRARY_H

#include "common/peer.h"
#include "host/gpu/gpu.h"

#define GPU_LIBRARY_TEXT_BYTES 160 /* of a text with name, version and detail */

struct gpu_library {
	struct gpu_device *device;
	enum peer_library id;
	const struct gpu_library_driver *driver; /* host/gpu/backend.h */
	char name[16];                           /* "OpenBLAS" */
	char version[24];                        /* "0.3.21"; "" = unknown */
	char detail[64];                         /* "core SkylakeX, 2 threads"; "" = nothing */
	double wake_up_ns; /* least time of what gpu_library_wake_up() queues, in ns; 0: nothing */
};

struct gpu_call {
	struct peer_work work;
	struct gpu_buffer *buffers[PEER_MAX_BUFFERS]; /* as many as the operation has */
};

/* Returns whether the backend can use the library on such a device, if the library is installed. */
bool gpu_takes_library(const struct gpu_device_info *info, enum peer_library id);

/* Opens the library. PMPP_UNSUPPORTED: it is not installed, or it cannot be used; the message has
 * the reason and what to install. */
enum pmpp_status gpu_library_open(struct gpu_device *device, enum peer_library id,
	struct gpu_library **ret_library, struct pmpp_error *error);

/* Call this before gpu_close(), after the device has finished its work. NULL is allowed. */
void gpu_library_close(struct gpu_library **library);

/* Queues the call. PMPP_UNSUPPORTED: the library is not used for this operation. PMPP_LAUNCH: the
 * library has refused the call. */
enum pmpp_status gpu_library_call(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error);

/* Queues work that wakes the threads of the library. Call it before a call that is timed. Most
 * libraries queue nothing. */
enum pmpp_status gpu_library_wake_up(struct gpu_library *library, struct pmpp_error *error);

#endif
