#include "host/gpu/opencl/internal.h"

/* clang-format off */
#define SLOT(result, slot, parameters) .slot = opencl_##slot,
const struct gpu_backend gpu_backend_opencl = {
	GPU_SLOT_MAP(SLOT)
	.free_bytes = opencl_free_bytes,
	.fence_buffers = opencl_fence_buffers,
	.can_evict = opencl_can_evict,
	.buffer_evict = opencl_buffer_evict,
	.takes_library = opencl_takes_library,
	.library_open = opencl_library_open,
	.library_close = opencl_library_close,
	.multiply = opencl_multiply,
	.library_wake_up = opencl_library_wake_up,
	.program_ptx = opencl_program_ptx,
};
/* clang-format on */
