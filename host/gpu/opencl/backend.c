#include "host/gpu/opencl/internal.h"

const struct gpu_backend gpu_backend_opencl = {
	.enumerate = opencl_enumerate,
	.open = opencl_open,
	.close = opencl_close,
	.buffer_create = opencl_buffer_create,
	.buffer_destroy = opencl_buffer_destroy,
	.buffer_write = opencl_buffer_write,
	.buffer_read = opencl_buffer_read,
	.buffer_fill = opencl_buffer_fill,
	.program_create = opencl_program_create,
	.program_destroy = opencl_program_destroy,
	.kernel_create = opencl_kernel_create,
	.kernel_destroy = opencl_kernel_destroy,
	.kernel_resources = opencl_kernel_resources,
	.launch = opencl_launch,
	.finish = opencl_finish,
	.timer_begin = opencl_timer_begin,
	.timer_end = opencl_timer_end,
	.timer_read = opencl_timer_read,
	.free_bytes = opencl_free_bytes,
	.program_ptx = opencl_program_ptx,
};
