/* Launches: arguments, dimensions, limits, shared memory, order. */
#include "tests/gpu/conformance.h"

/* ---- Arguments ----------------------------------------------------------------------------- */

static const struct scalar_row {
	int32_t i;
	uint32_t u;
	uint64_t ul;
	float f;
} scalar_rows[] = {{0, 0, 0, 0.0f}, {-1, 1, UINT64_C(1) << 33, -0.0f},
	{INT32_MIN, UINT32_MAX, UINT64_MAX, 0x1p-149f},
	{INT32_MAX, 0x80000000u, 0xdeadbeef, INFINITY},
	{12345, 54321, UINT64_C(0x0123456789abcdef), 3.1415927f}};

static void scalars(struct conf *conf)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_scalars");
	struct gpu_buffer *out[4];

	for (size_t b = 0; b < 4; b++)
		out[b] = conf_buffer(conf, 8);
	for (size_t r = 0; r < sizeof scalar_rows / sizeof *scalar_rows; r++) {
		const struct scalar_row *row = &scalar_rows[r];
		const struct gpu_arg args[] = {ARG_BUFFER(out[0]), ARG_BUFFER(out[1]),
			ARG_BUFFER(out[2]), ARG_BUFFER(out[3]), ARG_INT(row->i), ARG_UINT(row->u),
			ARG_ULONG(row->ul), ARG_FLOAT(row->f)};
		struct scalar_row got = {0};

		conf_launch(kernel, 1, 1, 0, args, 8);
		test_ok(gpu_buffer_read(out[0], 0, &got.i, sizeof got.i, &test_error));
		test_ok(gpu_buffer_read(out[1], 0, &got.u, sizeof got.u, &test_error));
		test_ok(gpu_buffer_read(out[2], 0, &got.ul, sizeof got.ul, &test_error));
		test_ok(gpu_buffer_read(out[3], 0, &got.f, sizeof got.f, &test_error));
		CHECK(EQUAL(got.i, row->i), EQUAL(got.u, row->u), IS(got.ul == row->ul));
		/* Compares bits: a copy must not flush subnormal numbers. */
		assert_memory_equal(&got.f, &row->f, sizeof got.f);
	}
	for (size_t b = 0; b < 4; b++)
		gpu_buffer_destroy(&out[b]);
}

/* ---- Dimensions ---------------------------------------------------------------------------- */

static const struct shape {
	uint64_t groups[3];
	uint32_t block[3];
} shapes[] = {{{1, 1, 1}, {1, 1, 1}}, {{7, 1, 1}, {64, 1, 1}}, {{1, 5, 1}, {1, 3, 1}},
	{{3, 2, 1}, {8, 4, 1}}, {{2, 3, 4}, {4, 3, 2}}, {{1, 1, 9}, {1, 1, 5}},
	{{1, 4, 2}, {33, 1, 2}}};

static void expect_indices(const struct shape *shape, const uint32_t *got)
{
	const uint64_t *g = shape->groups;
	const uint32_t *b = shape->block;

	for (uint32_t gz = 0; gz < g[2]; gz++)
		for (uint32_t gy = 0; gy < g[1]; gy++)
			for (uint32_t gx = 0; gx < g[0]; gx++)
				for (uint32_t t = 0; t < b[0] * b[1] * b[2]; t++, got += 6) {
					const uint32_t want[6] = {gx, gy, gz, t % b[0],
						t / b[0] % b[1], t / b[0] / b[1]};
					assert_memory_equal(got, want, sizeof want);
				}
}

static void dimensions(struct conf *conf)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_indices");

	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		const struct shape *shape = &shapes[s];
		uint64_t threads = 1;
		for (int d = 0; d < 3; d++)
			threads *= shape->groups[d] * shape->block[d];
		FINISHED(gpu_buffer_destroy)
		struct gpu_buffer *buffer = conf_buffer(conf, threads * 24);
		FREED uint32_t *got = calloc(threads, 24);
		struct gpu_launch launch = {.args = &ARG_BUFFER(buffer), .arg_count = 1};

		SOME(got);
		memcpy(launch.groups, shape->groups, sizeof launch.groups);
		memcpy(launch.block, shape->block, sizeof launch.block);
		test_ok(gpu_buffer_fill(buffer, 0, threads * 24, 0xffffffff, &test_error));
		test_ok(gpu_launch(kernel, &launch, &test_error));
		test_ok(gpu_buffer_read(buffer, 0, got, threads * 24, &test_error));
		expect_indices(shape, got);
	}
}

/* Each block runs once, in grids of the size that every device must support in each dimension. */
static void large_grids(struct conf *conf)
{
	static const uint64_t grids[][3] = {
		{100003, 1, 1}, {1, 65535, 1}, {1, 1, 65535}, {3, 211, 97}};
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_mark");

	for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
		uint64_t blocks = grids[i][0] * grids[i][1] * grids[i][2];
		FINISHED(gpu_buffer_destroy)
		struct gpu_buffer *buffer = conf_buffer(conf, 4 * blocks);
		FREED uint32_t *got = calloc(blocks, 4);
		struct gpu_launch launch = {
			.block = {1, 1, 1}, .args = &ARG_BUFFER(buffer), .arg_count = 1};

		SOME(got);
		memcpy(launch.groups, grids[i], sizeof launch.groups);
		test_ok(gpu_buffer_fill(buffer, 0, 4 * blocks, 0, &test_error));
		test_ok(gpu_launch(kernel, &launch, &test_error));
		test_ok(gpu_buffer_read(buffer, 0, got, 4 * blocks, &test_error));
		for (uint64_t b = 0; b < blocks; b++)
			EQUAL(got[b], 1);
	}
}

/* ---- Refused ------------------------------------------------------------------------------- */

/* The message has the requested number `asked` and the limit `max`. */
static void expect_unsupported(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, uint64_t asked, uint64_t max)
{
	enum pmpp_status status = gpu_launch(kernel, launch, &test_error);
	const char *first = test_text("%llu", (unsigned long long)asked);
	const char *second = test_text("%llu", (unsigned long long)max);

	bool both = strstr(test_error.message, first) && strstr(test_error.message, second);
	if (status == PMPP_UNSUPPORTED && !both)
		test_fail("the message lacks %s or %s: %s", first, second, test_error.message);
	test_refused(status, PMPP_UNSUPPORTED, "conf_");
}

static void limits_refused(struct conf *conf)
{
	const struct gpu_limits *limits = &conf_device(conf)->info.limits;
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_mark");
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, 64);
	const struct gpu_launch plain = {.groups = {1, 1, 1},
		.block = {1, 1, 1},
		.args = &ARG_BUFFER(buffer),
		.arg_count = 1};
	struct gpu_launch launch;

	for (int d = 0; d < 3; d++) {
		launch = plain;
		launch.groups[d] = limits->max_groups[d] + 1;
		expect_unsupported(kernel, &launch, launch.groups[d], limits->max_groups[d]);
		launch.groups[d] = UINT64_MAX;
		expect_unsupported(kernel, &launch, UINT64_MAX, limits->max_groups[d]);
		launch = plain;
		launch.block[d] = limits->max_block[d] + 1;
		expect_unsupported(kernel, &launch, launch.block[d], limits->max_block[d]);
		launch = plain;
		launch.groups[d] = 0;
		test_refused(gpu_launch(kernel, &launch, &test_error), PMPP_INTERNAL, "conf_mark");
		launch = plain;
		launch.block[d] = 0;
		test_refused(gpu_launch(kernel, &launch, &test_error), PMPP_INTERNAL, "conf_mark");
	}
	launch = plain;
	launch.block[0] = limits->max_block[0];
	launch.block[1] = limits->max_block_threads / limits->max_block[0] + 1;
	expect_unsupported(kernel, &launch, (uint64_t)launch.block[0] * launch.block[1],
		limits->max_block_threads);
	launch = plain;
	launch.shared_bytes = limits->shared_optin_bytes + 1;
	expect_unsupported(kernel, &launch, launch.shared_bytes, limits->shared_optin_bytes);
	test_ok(gpu_launch(kernel, &plain, &test_error)); /* the device still works */
	test_ok(gpu_finish(conf_device(conf), &test_error));
}

static void arguments_refused(struct conf *conf)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_mark");
	FINISHED(gpu_close) struct gpu_device *other = engine_open(&conf->engine);
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *foreign = NULL;
	struct gpu_arg many[GPU_MAX_ARGS + 1];
	struct gpu_launch launch = {.groups = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 1};

	test_ok(gpu_buffer_create(other, 64, 0, &foreign, &test_error));
	launch.args = &ARG_BUFFER(foreign);
	test_refused(gpu_launch(kernel, &launch, &test_error), PMPP_INTERNAL, "another device");
	launch.args = &ARG_BUFFER(NULL);
	test_refused(gpu_launch(kernel, &launch, &test_error), PMPP_INTERNAL, "no buffer");
	launch.args = &(struct gpu_arg){.kind = (enum gpu_arg_kind)99};
	test_refused(gpu_launch(kernel, &launch, &test_error), PMPP_INTERNAL, "99");
	for (size_t i = 0; i <= GPU_MAX_ARGS; i++)
		many[i] = ARG_INT(0);
	launch.args = many;
	launch.arg_count = GPU_MAX_ARGS + 1;
	test_refused(gpu_launch(kernel, &launch, &test_error), PMPP_INTERNAL, "17");
}

/* ---- Shared memory ------------------------------------------------------------------------- */

static void reverse_with(struct conf *conf, uint32_t n, uint32_t shared_bytes)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_reverse");
	FINISHED(gpu_buffer_destroy)
	struct gpu_buffer *in = conf_buffer(conf, 4 * n), *out = conf_buffer(conf, 4 * n);
	const struct gpu_arg args[] = {ARG_BUFFER(in), ARG_BUFFER(out), ARG_INT((int32_t)n)};
	int32_t values[1024];

	IS(n <= 1024);
	for (uint32_t i = 0; i < n; i++)
		values[i] = (int32_t)(7 * i + 1);
	test_ok(gpu_buffer_write(in, 0, values, 4 * n, &test_error));
	conf_launch(kernel, 1, n, shared_bytes, args, 3);
	test_ok(gpu_buffer_read(out, 0, values, 4 * n, &test_error));
	for (uint32_t i = 0; i < n; i++)
		EQUAL(values[i], 7 * (n - 1 - i) + 1);
}

static void dynamic_shared(struct conf *conf)
{
	reverse_with(conf, 1, 4);
	reverse_with(conf, 37, 4 * 37);
	reverse_with(conf, 64, 4 * 64);
	reverse_with(conf, 64, 16384);
}

/* All shared memory of the device except the kernel's static shared memory, also above 48 KiB. */
static void all_shared(struct conf *conf)
{
	const struct gpu_limits *limits = &conf_device(conf)->info.limits;
	struct gpu_kernel *kernel = conf_kernel(conf, "conf_reverse");
	int64_t own = kernel->resources.shared_bytes;
	uint32_t taken = own > 0 ? (uint32_t)own : 0;

	gpu_kernel_destroy(&kernel);
	IS(taken < limits->shared_bytes);
	reverse_with(conf, 64, limits->shared_optin_bytes - taken);
	reverse_with(conf, 64, limits->shared_bytes - taken);
}

/* PoCL 5.0 and 6.0 cannot link the call in OpenCL C 1.2. */
static void asynchronous_copies(struct conf *conf)
{
	static const char source[] =
		"__kernel void copied(__global const int *in, __global int *out)\n{\n"
		"	__local int part[64];\n	int t = get_local_id(0);\n"
		"	event_t copies[2];\n"
		"	copies[1] = async_work_group_copy(part, in, 64, 0);\n"
		"	wait_group_events(1, &copies[1]);\n	barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	out[t] = part[63 - t];\n}\n";
	const struct gpu_program_desc desc = {
		.name = "copied.cl", .source = source, .traced = conf->engine.traced};
	FINISHED(gpu_program_destroy) struct gpu_program *program = NULL;
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = NULL;
	int32_t values[64];

	if (strcmp(gpu_backend_kernel_folder(conf->engine.backend), "cl_kernels") != 0)
		test_skip("the function is of OpenCL");
	test_ok(gpu_program_create(conf_device(conf), &desc, &program, &test_error));
	test_ok(gpu_kernel_create(program, "copied", &kernel, &test_error));
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *in = conf_buffer(conf, sizeof values);
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *out = conf_buffer(conf, sizeof values);
	for (int i = 0; i < 64; i++)
		values[i] = 5 * i;
	test_ok(gpu_buffer_write(in, 0, values, sizeof values, &test_error));
	conf_launch(kernel, 1, 64, 0, (const struct gpu_arg[]){ARG_BUFFER(in), ARG_BUFFER(out)}, 2);
	test_ok(gpu_buffer_read(out, 0, values, sizeof values, &test_error));
	for (int i = 0; i < 64; i++)
		EQUAL(values[i], 5 * (63 - i));
}

static void static_shared(struct conf *conf)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_static");
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *out = conf_buffer(conf, 4096);
	int32_t values[1024];

	conf_launch(kernel, 1, 64, 0, &ARG_BUFFER(out), 1);
	test_ok(gpu_buffer_read(out, 0, values, sizeof values, &test_error));
	for (int i = 0; i < 1024; i++)
		EQUAL(values[i], 3 * (1023 - i));
}

/* ---- Order --------------------------------------------------------------------------------- */

#define N 5000

/* Launches and fills happen in the order of their queueing. */
static void in_order(struct conf *conf)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_step");
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, 4 * N);
	uint32_t values[N], want = 0;

	for (uint32_t round = 0; round < 40; round++) {
		const struct gpu_arg args[] = {
			ARG_BUFFER(buffer), ARG_UINT(3), ARG_UINT(round), ARG_INT(N)};
		const struct gpu_launch launch = {.groups = {(N + 63) / 64, 1, 1},
			.block = {64, 1, 1},
			.args = args,
			.arg_count = 4};

		if (round % 10 == 0) {
			want = round;
			test_ok(gpu_buffer_fill(buffer, 0, 4 * N, round, &test_error));
		}
		test_ok(gpu_launch(kernel, &launch, &test_error));
		want = want * 3 + round;
	}
	test_ok(gpu_buffer_read(buffer, 0, values, sizeof values, &test_error));
	for (size_t i = 0; i < N; i++)
		EQUAL(values[i], want);
}

/* A launch copies its arguments, so the caller may change them afterwards. */
static void arguments_copied(struct conf *conf)
{
	struct gpu_kernel *kernel = conf_kernel(conf, "conf_step");
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, 256);
	struct gpu_arg args[] = {ARG_BUFFER(buffer), ARG_UINT(0), ARG_UINT(5), ARG_INT(64)};
	const struct gpu_launch launch = {
		.groups = {1, 1, 1}, .block = {64, 1, 1}, .args = args, .arg_count = 4};
	uint32_t values[64];

	test_ok(gpu_launch(kernel, &launch, &test_error));
	memset(args, 0xff, sizeof args);
	gpu_kernel_destroy(&kernel); /* queued work outlives its kernel */
	test_ok(gpu_buffer_read(buffer, 0, values, sizeof values, &test_error));
	for (size_t i = 0; i < 64; i++)
		EQUAL(values[i], 5);
}

/* A kernel that writes its whole operand does not change the guards. */
static void guards_untouched(struct conf *conf)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_step");
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, 4 * N);
	const struct gpu_arg args[] = {ARG_BUFFER(buffer), ARG_UINT(0), ARG_UINT(9), ARG_INT(N)};
	static uint32_t whole[N + 2048];

	test_ok(gpu_buffer_fill(buffer, -4096, sizeof whole, 0x7fc0cafe, &test_error));
	conf_launch(kernel, (N + 63) / 64, 64, 0, args, 4);
	test_ok(gpu_buffer_read(buffer, -4096, whole, sizeof whole, &test_error));
	for (size_t i = 0; i < N + 2048; i++)
		EQUAL(whole[i], i >= 1024 && i < 1024 + N ? 9 : 0x7fc0cafe);
}

const struct conf_check conf_launch_checks[] = {
	{"scalar arguments", scalars},
	{"one to three dimensions", dimensions},
	{"large grids: each block once", large_grids},
	{"limits: refused with both numbers", limits_refused},
	{"arguments: refused", arguments_refused},
	{"dynamic shared memory", dynamic_shared},
	{"all of the shared memory", all_shared},
	{"static shared memory", static_shared},
	{"asynchronous copies", asynchronous_copies},
	{"launches and fills in order", in_order},
	{"arguments are copied", arguments_copied},
	{"guards are untouched", guards_untouched},
	{NULL, NULL},
};
