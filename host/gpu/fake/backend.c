#include "host/gpu/fake/internal.h"

static const struct gpu_backend gpu_backend_fake = {
	.enumerate = fake_enumerate,
	.open = fake_open,
	.close = fake_close,
	.buffer_create = fake_buffer_create,
	.buffer_destroy = fake_buffer_destroy,
	.buffer_write = fake_buffer_write,
	.buffer_read = fake_buffer_read,
	.buffer_fill = fake_buffer_fill,
	.program_create = fake_program_create,
	.program_destroy = fake_program_destroy,
	.kernel_create = fake_kernel_create,
	.kernel_destroy = fake_kernel_destroy,
	.kernel_resources = fake_kernel_resources,
	.launch = fake_launch_kernel,
	.finish = fake_finish,
	.timer_begin = fake_timer_begin,
	.timer_end = fake_timer_end,
	.timer_read = fake_timer_read,
	.free_bytes = fake_free_bytes,
	.can_evict = fake_can_evict,
	.buffer_evict = fake_buffer_evict,
	.program_ptx = fake_program_ptx,
};

void fake_register(void)
{
	static const struct gpu_backend_row row = {"fake", GPU_LANGUAGE_CUDA_C, 9, true, false,
		"host memory, for tests", {"", "-strict", "-fast"}};

	gpu_backend_register(&row, &gpu_backend_fake);
}
