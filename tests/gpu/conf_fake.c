/* The kernels of conformance.cu as C functions, for the fake. */
#include "tests/gpu/conformance.h"
#include "tests/support/fake.h"

static uint64_t block_count(const struct fake_launch *launch)
{
	const uint64_t *groups = launch->launch->groups;

	return groups[0] * groups[1] * groups[2];
}

static uint32_t thread_count(const struct fake_launch *launch)
{
	const uint32_t *block = launch->launch->block;

	return block[0] * block[1] * block[2];
}

static void value(const struct fake_launch *launch)
{
	int64_t *out = fake_arg_buffer(launch, 0);

	out[0] = fake_macro(launch, "CONF_VALUE");
	out[1] = (int64_t)(uintptr_t)out;
}

static void scalars(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;

	*(int32_t *)fake_arg_buffer(launch, 0) = args[4].as.i;
	*(uint32_t *)fake_arg_buffer(launch, 1) = args[5].as.u;
	*(uint64_t *)fake_arg_buffer(launch, 2) = args[6].as.ul;
	*(float *)fake_arg_buffer(launch, 3) = args[7].as.f;
}

static void indices(const struct fake_launch *launch)
{
	const uint64_t *groups = launch->launch->groups;
	const uint32_t *block = launch->launch->block;
	uint32_t *out = fake_arg_buffer(launch, 0);

	for (uint64_t b = 0; b < block_count(launch); b++)
		for (uint32_t t = 0; t < thread_count(launch); t++, out += 6) {
			out[0] = (uint32_t)(b % groups[0]);
			out[1] = (uint32_t)(b / groups[0] % groups[1]);
			out[2] = (uint32_t)(b / groups[0] / groups[1]);
			out[3] = t % block[0];
			out[4] = t / block[0] % block[1];
			out[5] = t / block[0] / block[1];
		}
}

static void mark(const struct fake_launch *launch)
{
	uint32_t *out = fake_arg_buffer(launch, 0);

	for (uint64_t b = 0; b < block_count(launch); b++)
		out[b]++;
}

static void reverse(const struct fake_launch *launch)
{
	const int32_t *in = fake_arg_buffer(launch, 0);
	int32_t *out = fake_arg_buffer(launch, 1);
	int32_t *buffer = launch->shared;
	uint32_t n = thread_count(launch);

	for (uint32_t t = 0; t < n; t++)
		buffer[t] = in[t];
	for (uint32_t t = 0; t < n; t++)
		out[t] = buffer[n - 1 - t];
}

static void static_shared(const struct fake_launch *launch)
{
	int32_t *out = fake_arg_buffer(launch, 0);

	for (int i = 0; i < 1024; i++)
		out[i] = 3 * (1023 - i);
}

static void step(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;
	uint32_t *values = fake_arg_buffer(launch, 0);

	for (int32_t i = 0; i < args[3].as.i; i++)
		values[i] = values[i] * args[1].as.u + args[2].as.u;
}

void conf_fake_setup(void)
{
	static const struct fake_kernel_row rows[] = {{"conf_value", value, 0},
		{"conf_scalars", scalars, 0}, {"conf_indices", indices, 0}, {"conf_mark", mark, 0},
		{"conf_reverse", reverse, 0}, {"conf_static", static_shared, 4096},
		{"conf_step", step, 0}};

	fake_reset();
	fake_register();
	fake_control.kernels = rows;
	fake_control.kernel_count = sizeof rows / sizeof *rows;
	fake_control.evicts = true;
}
