#include "host/gpu/opencl/internal.h"

/* clang-format off */
#define SLOT(result, slot, parameters) .slot = opencl_##slot,
const struct gpu_backend gpu_backend_opencl = {
	GPU_SLOT_MAP(SLOT)
	.free_bytes = opencl_free_bytes,
	.fence_buffers = opencl_fence_buffers,
	.can_evict = opencl_can_evict,
	.buffer_evict = opencl_buffer_evict,
	.libraries = {[PEER_CLBLAST] = &opencl_clblast, [PEER_OPENBLAS] = &opencl_openblas},
	.program_ptx = opencl_program_ptx,
};
/* clang-format on */
