#include "host/gpu/cuda/internal.h"

const struct gpu_backend gpu_backend_cuda = {
	.id = GPU_BACKEND_CUDA,
	.enumerate = cuda_enumerate,
	.open = cuda_open,
	.close = cuda_close,
	.buffer_create = cuda_buffer_create,
	.buffer_destroy = cuda_buffer_destroy,
	.buffer_write = cuda_buffer_write,
	.buffer_read = cuda_buffer_read,
	.buffer_fill = cuda_buffer_fill,
	.program_create = cuda_program_create,
	.program_destroy = cuda_program_destroy,
	.kernel_create = cuda_kernel_create,
	.kernel_destroy = cuda_kernel_destroy,
	.kernel_resources = cuda_kernel_resources,
	.launch = cuda_launch,
	.finish = cuda_finish,
	.timer_begin = cuda_timer_begin,
	.timer_end = cuda_timer_end,
	.timer_read = cuda_timer_read,
};
