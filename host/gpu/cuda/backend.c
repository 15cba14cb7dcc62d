#include "host/gpu/cuda/internal.h"

/* clang-format off */
#define SLOT(result, slot, parameters) .slot = cuda_##slot,
const struct gpu_backend gpu_backend_cuda = {
	GPU_SLOT_MAP(SLOT)
	.free_bytes = cuda_free_bytes,
	.tile_map = cuda_tile_map,
	.libraries = {[PEER_CUBLAS] = &cuda_cublas},
	.arch_check = cuda_arch_check,
	.source_ptx = cuda_source_ptx,
	.source_resources = cuda_source_resources,
};
/* clang-format on */
