/* Devices: their properties, opening and closing, the timer. */
#include "common/family.h"
#include "host/gpu/ptx.h"
#include "host/io/clock.h"
#include "tests/gpu/conformance.h"

static void information(struct conf *conf)
{
	const struct gpu_device_info *info = &conf_device(conf)->info;
	const struct gpu_limits *limits = &info->limits;

	test_note("%s, %s, %s, %s", info->name, info->driver, info->compiler, info->arch);
	CHECK(EQUAL(info->backend, conf->engine.backend),
		IS(*info->index && *info->name && *info->vendor && *info->driver &&
			*info->compiler),
		IS(strlen(info->uuid) == 0 || strlen(info->uuid) == 36),
		IS(strlen(info->pci) == 0 || strlen(info->pci) == 12),
		EQUAL(info->type == GPU_TYPE_EMULATED,
			info->backend == GPU_BACKEND_CUDA_EMU ||
				info->backend == GPU_BACKEND_OPENCL_EMU),
		EQUAL(info->type == GPU_TYPE_EMULATED, info->engine == GPU_ENGINE_EMULATOR),
		EQUAL(info->engine == GPU_ENGINE_CPU,
			info->type == GPU_TYPE_CPU && strstr(info->driver, "PoCL") != NULL),
		EQUAL(info->engine == GPU_ENGINE_INTERPRETER,
			strstr(info->driver, "Oclgrind") != NULL));
	/* --math=fast allows at least the errors of the others; both others request exact division.
	 */
	const struct arithmetic *of_math = info->arithmetic;
	const struct problem by_default = {.arithmetic = of_math[GPU_MATH_DEFAULT]};
	const struct problem strict = {.arithmetic = of_math[GPU_MATH_STRICT]};

	CHECK(IS(problem_equal(&by_default, &strict)),
		IS(of_math[GPU_MATH_FAST].flushes_f32 >= of_math[GPU_MATH_DEFAULT].flushes_f32),
		IS(of_math[GPU_MATH_FAST].flushes_f16 >= of_math[GPU_MATH_DEFAULT].flushes_f16),
		IS(of_math[GPU_MATH_FAST].exact_divide <= of_math[GPU_MATH_DEFAULT].exact_divide),
		IS(limits->global_bytes >= 64 << 20), IS(limits->max_buffer_bytes >= 16 << 20),
		IS(limits->max_block_threads >= 64), IS(limits->shared_bytes >= 16 << 10),
		IS(limits->shared_optin_bytes >= limits->shared_bytes),
		IS(limits->compute_units >= 1 && limits->warp_size >= 1),
		IS(limits->buffer_align_bytes >= 1),
		IS((limits->buffer_align_bytes & (limits->buffer_align_bytes - 1)) == 0));
	for (int i = 0; i < 3; i++) {
		CHECK(IS(limits->max_block[i] >= 1), IS(limits->max_groups[i] >= 65535),
			IS(limits->max_groups[i] <= (i == 0 ? INT32_MAX : 65535)));
	}
}

static void enumerated_again(struct conf *conf)
{
	FREED struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state;
	size_t count = 0;
	bool found = false;

	test_ok(gpu_enumerate(conf->engine.backend, &infos, &count, &state, &test_error));
	CHECK(EQUAL(state.id, conf->engine.backend), IS(state.usable && count >= 1),
		STRING(state.reason, ""));
	for (size_t i = 0; i < count; i++) {
		found = found || strcmp(infos[i].index, conf->engine.info.index) == 0;
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(infos[i].index, infos[j].index);
	}
	IS(found);
}

static void opened_twice(struct conf *conf)
{
	struct gpu_device *second = engine_open(&conf->engine);

	assert_ptr_not_equal(second, conf_device(conf));
	EQUAL(second->allocated_bytes, 0);
	test_ok(gpu_finish(second, &test_error));
	gpu_close(&second);
	NIL(second);
	gpu_close(&second);
	gpu_close(NULL);
	test_ok(gpu_finish(conf_device(conf), &test_error));
}

static void finish_idle(struct conf *conf)
{
	for (int i = 0; i < 3; i++)
		test_ok(gpu_finish(conf_device(conf), &test_error));
	EQUAL(test_error.status, PMPP_OK);
}

/* ---- Timer --------------------------------------------------------------------------------- */

/* The device's interval around `launches` launches over n elements, and the host's interval. */
static double timed(struct conf *conf, struct gpu_kernel *kernel, struct gpu_buffer *buffer, int n,
	double *ret_host)
{
	struct gpu_device *device = conf_device(conf);
	const struct gpu_arg args[] = {ARG_BUFFER(buffer), ARG_UINT(1), ARG_UINT(1), ARG_INT(n)};
	const struct gpu_launch launch = {.groups = {(uint64_t)(n + 63) / 64, 1, 1},
		.block = {64, 1, 1},
		.args = args,
		.arg_count = 4};
	double ns = -1;

	test_ok(gpu_finish(device, &test_error));
	double start = host_clock_ns();
	test_ok(gpu_timer_begin(device, &test_error));
	test_ok(gpu_buffer_fill(buffer, 0, 4 * (uint64_t)n, 0, &test_error));
	test_ok(gpu_launch(kernel, &launch, &test_error));
	test_ok(gpu_timer_end(device, &test_error));
	test_ok(gpu_timer_read(device, &ns, &test_error));
	*ret_host = host_clock_ns() - start;
	return ns;
}

static void timer(struct conf *conf)
{
	const int n = 1 << 16;
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, 4 * n);
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_step");
	double host = 0, first = timed(conf, kernel, buffer, n, &host);

	/* Device and host have different clocks. 10 % more is accepted, twice the time is not. */
	IS(first > 0 && first < 1.1 * host + 1e5);
	for (int i = 0; i < 3; i++) {
		double ns = timed(conf, kernel, buffer, n, &host);
		IS(ns > 0 && ns < 1.1 * host + 1e5);
	}
}

static void timer_of_a_fill(struct conf *conf)
{
	struct gpu_device *device = conf_device(conf);
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, 1 << 20);
	double ns = -1;

	test_ok(gpu_timer_begin(device, &test_error));
	test_ok(gpu_buffer_fill(buffer, 0, 1 << 20, 7, &test_error));
	test_ok(gpu_timer_end(device, &test_error));
	test_ok(gpu_timer_read(device, &ns, &test_error));
	IS(ns >= 0 && ns < 10e9);
}

/* A device rejects operations that it does not have. The emulator's tests cover the operations. */
static void optional_operations(struct conf *conf)
{
	struct gpu_device *device = conf_device(conf);
	bool emulated = device->info.engine == GPU_ENGINE_EMULATOR;
	char *ptx = NULL;

	EQUAL(gpu_is_emulator(device), emulated);
	if (!emulated)
		test_refused(gpu_watch_test(device, &test_error), PMPP_UNSUPPORTED,
			"cannot trace launches");
	if (conf->engine.backend != GPU_BACKEND_CUDA)
		test_refused(gpu_source_ptx(conf->engine.backend, NULL, "sm_90", &ptx, &test_error),
			PMPP_UNSUPPORTED, "cannot compile without a device");
	if (conf->engine.backend != GPU_BACKEND_OPENCL)
		test_refused(gpu_program_ptx(conf_program(conf), &ptx, &test_error),
			PMPP_UNSUPPORTED, "is not PTX");
	NIL(ptx);
}

const struct conf_check conf_device_checks[] = {
	{"properties of the device", information},
	{"enumerating again", enumerated_again},
	{"opened twice", opened_twice},
	{"finish when idle", finish_idle},
	{"timer around a fill and a launch", timer},
	{"timer around a fill", timer_of_a_fill},
	{"operations that not every device has", optional_operations},
	{NULL, NULL},
};
