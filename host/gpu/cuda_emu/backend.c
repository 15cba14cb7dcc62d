#include "host/gpu/cuda_emu/internal.h"

const struct gpu_backend gpu_backend_cuda_emu = {
	.id = GPU_BACKEND_CUDA_EMU,
	.enumerate = emu_enumerate,
	.open = emu_open,
	.close = emu_close,
	.buffer_create = emu_buffer_create,
	.buffer_destroy = emu_buffer_destroy,
	.buffer_write = emu_buffer_write,
	.buffer_read = emu_buffer_read,
	.buffer_fill = emu_buffer_fill,
	.program_create = emu_program_create,
	.program_destroy = emu_program_destroy,
	.kernel_create = emu_kernel_create,
	.kernel_destroy = emu_kernel_destroy,
	.kernel_resources = emu_kernel_resources,
	.launch = emu_launch,
	.finish = emu_finish,
	.timer_begin = emu_timer_begin,
	.timer_end = emu_timer_end,
	.timer_read = emu_timer_read,
};
