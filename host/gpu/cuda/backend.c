#include "host/gpu/cuda/internal.h"

/* clang-format off */
#define SLOT(result, slot, parameters) .slot = cuda_##slot,
const struct gpu_backend gpu_backend_cuda = {
	GPU_SLOT_MAP(SLOT)
	.free_bytes = cuda_free_bytes,
	.tile_map = cuda_tile_map,
	.takes_library = cuda_takes_library,
	.library_open = cuda_library_open,
	.library_close = cuda_library_close,
	.multiply = cuda_multiply,
	.arch_check = cuda_arch_check,
	.source_ptx = cuda_source_ptx,
	.source_resources = cuda_source_resources,
};
/* clang-format on */
