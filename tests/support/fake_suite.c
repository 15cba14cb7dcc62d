#include "tests/support/fake_suite.h"

#include "tests/support/test.h"

#include <math.h>
#include <time.h>

struct fake_suite_control fake_suite_control;

static void wait_ns(double ns)
{
	struct timespec time = {.tv_nsec = (long)ns};

	if (ns > 0)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* Waits for the time in which the fake's device works. */
static void spend(void)
{
	wait_ns(fake_suite_control.kernel_ns);
}

/* Sets the next times of the device timer. */
static void set_timer(double ns)
{
	if (ns > 0)
		fake_control.timer_ns = ns;
}

/* Not instrumented: the sanitizers check the host's code, and would slow the many multiply-adds. */
__attribute__((no_sanitize("address", "undefined"))) static void multiply(
	const float *a, const float *b, float *c, int m, int n, int k)
{
	for (int i = 0; i < m; i++) {
		float *row = c + (int64_t)i * n;

		for (int j = 0; j < n; j++)
			row[j] = 0;
		for (int kk = 0; kk < k; kk++) {
			float factor = a[(int64_t)i * k + kk];
			const float *b_row = b + (int64_t)kk * n;

			for (int j = 0; j < n; j++)
				row[j] += factor * b_row[j];
		}
	}
}

static void matmul_naive(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;

	spend();
	multiply(fake_arg_buffer(launch, 0), fake_arg_buffer(launch, 1), fake_arg_buffer(launch, 2),
		args[3].as.i, args[4].as.i, args[5].as.i);
}

#define KEPT 2000

static void vecadd_fine(const struct fake_launch *launch)
{
	static float kept[KEPT];
	const float *a = fake_arg_buffer(launch, 0);
	const float *b = fake_arg_buffer(launch, 1);
	float *c = fake_arg_buffer(launch, 2);
	uint64_t number = ++fake_suite_control.vecadd_launches;
	bool wrong = fake_suite_control.wrong_from && number >= fake_suite_control.wrong_from;
	bool stale = fake_suite_control.stale_from && number >= fake_suite_control.stale_from;
	bool silent = fake_suite_control.silent_from && number >= fake_suite_control.silent_from;

	spend();
	wait_ns(fake_suite_control.fine_host_ns);
	set_timer(fake_suite_control.run_timer_ns);
	fake_suite_control.last_kernel = FAKE_VECADD_FINE;
	for (uint64_t i = 0; i < launch->launch->args[3].as.ul && !silent; i++)
		c[i] = wrong ? 0 : stale && i < KEPT ? kept[i] : a[i] + b[i];
	for (uint64_t i = 0; i < launch->launch->args[3].as.ul && i < KEPT && number == 1; i++)
		kept[i] = c[i];
}

static void vecadd_vector4(const struct fake_launch *launch)
{
	const float *a = fake_arg_buffer(launch, 0);
	const float *b = fake_arg_buffer(launch, 1);
	float *c = fake_arg_buffer(launch, 2);

	fake_suite_control.last_kernel = FAKE_VECADD_VECTOR4;
	for (uint64_t i = 0; i < launch->launch->args[3].as.ul; i++)
		c[i] = a[i] + b[i];
}

/* B[j, i] = A[i, j]. The row `copy` has B by columns: A as it is. */
static void transpose(const struct fake_launch *launch, enum fake_suite_kernel kernel)
{
	const float *a = fake_arg_buffer(launch, 0);
	float *b = fake_arg_buffer(launch, 1);
	int m = launch->launch->args[2].as.i, n = launch->launch->args[3].as.i;
	bool copies = kernel == FAKE_TRANSPOSE_COPY;

	fake_suite_control.last_kernel = (char)kernel;
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			b[copies ? i * n + j : j * m + i] = a[i * n + j];
}

static void transpose_copy(const struct fake_launch *launch)
{
	transpose(launch, FAKE_TRANSPOSE_COPY);
}

static void transpose_tiled(const struct fake_launch *launch)
{
	transpose(launch, FAKE_TRANSPOSE_TILED);
}

static void transpose_vector(const struct fake_launch *launch)
{
	transpose(launch, FAKE_TRANSPOSE_VECTOR);
}

/* Two rows of one family with different references. */
static void instructions_int_mul(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;
	const float *a = fake_arg_buffer(launch, 0);
	float *b = fake_arg_buffer(launch, 1);

	for (uint64_t i = 0; i < args[2].as.ul; i++) {
		uint32_t c = (uint32_t)(a[i] * 0x1p23f);
		uint32_t x = c;

		for (int trip = 0; trip < args[3].as.i; trip++)
			x = (uint32_t)args[4].as.i * x + c;
		b[i] = (float)(x >> 8);
	}
}

static void instructions_f64(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;
	const float *a = fake_arg_buffer(launch, 0);
	float *b = fake_arg_buffer(launch, 1);

	for (uint64_t i = 0; i < args[2].as.ul; i++) {
		double before = 1, x = (double)a[i];

		for (int trip = 0; trip < args[3].as.i; trip++) {
			double next = fma(args[4].as.i / 8.0, x, -before);

			before = x;
			x = next;
		}
		b[i] = (float)x;
	}
}

typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));

/* B[j] = passes * sum of A[i], i < n and i = j modulo outputs. Not instrumented, as multiply(). In
 * vectors: most of the time of these tests is spent here. */
__attribute__((no_sanitize("address", "undefined"))) static void add_rows(
	const float *a, float *b, uint64_t n, uint64_t outputs, float passes)
{
	for (uint64_t j = 0; j < outputs; j++)
		b[j] = 0;
	for (uint64_t first = 0; first < n; first += outputs) {
		uint64_t count = n - first < outputs ? n - first : outputs, j = 0;

		for (; j + 4 <= count; j += 4)
			*(four_floats *)&b[j] += *(const four_floats *)&a[first + j];
		for (; j < count; j++)
			b[j] += a[first + j];
	}
	for (uint64_t j = 0; j < outputs; j++)
		b[j] *= passes;
}

/* The same for other types of A. */
static void add_up(const struct fake_launch *launch, enum dtype dtype)
{
	const struct gpu_arg *args = launch->launch->args;
	const void *a = fake_arg_buffer(launch, 0);
	float *b = fake_arg_buffer(launch, 1);
	uint64_t n = args[2].as.ul, outputs = args[3].as.ul;

	for (uint64_t j = 0; j < outputs; j++) {
		float sum = 0;

		for (uint64_t i = j; i < n; i += outputs)
			sum += (float)dtype_load(dtype, a, (int64_t)i);
		b[j] = (float)args[4].as.i * sum;
	}
}

static void roof_answer(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;

	add_rows(fake_arg_buffer(launch, 0), fake_arg_buffer(launch, 1), args[2].as.ul,
		args[3].as.ul, (float)args[4].as.i);
}

static void roof_read(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;
	uint64_t n = args[2].as.ul, outputs = args[3].as.ul;

	fake_suite_control.last_kernel = FAKE_ROOF;
	fake_suite_control.read_launches++;
	fake_spend_ns(fake_suite_control.read_ns);
	if (fake_suite_control.read_wrong)
		n -= outputs;
	add_rows(fake_arg_buffer(launch, 0), fake_arg_buffer(launch, 1), n, outputs,
		(float)args[4].as.i);
	fake_suite_control.read_bytes = n * sizeof(float);
	set_timer(fake_suite_control.read_timer_ns);
}

static void roof_fma_f16(const struct fake_launch *launch)
{
	add_up(launch, DTYPE_F16);
}

static void roof_tensor(const struct fake_launch *launch)
{
	add_up(launch, fake_macro(launch, "INPUT_BITS") == 16 ? DTYPE_F16 : DTYPE_F32);
}

/* The first pass has all sums. */
static void roof_l2(const struct fake_launch *launch)
{
	float *parts = fake_arg_buffer(launch, 1);
	const struct gpu_arg *args = launch->launch->args;
	uint64_t outputs = args[3].as.ul;
	uint64_t count = (uint64_t)args[4].as.i;

	for (uint64_t i = outputs; i < count * outputs; i++)
		parts[i] = 0;
	roof_answer(launch);
}

static void roof_l2_sum(const struct fake_launch *launch)
{
	const float *parts = fake_arg_buffer(launch, 0);
	float *b = fake_arg_buffer(launch, 1);
	const struct gpu_arg *args = launch->launch->args;
	uint64_t outputs = args[2].as.ul;

	for (uint64_t j = 0; j < outputs; j++) {
		b[j] = 0;
		for (int part = 0; part < args[3].as.i; part++)
			b[j] += parts[(uint64_t)part * outputs + j];
	}
}

static void roof_fma(const struct fake_launch *launch)
{
	spend();
	fake_suite_control.last_kernel = FAKE_ROOF;
	fake_suite_control.fma_launches++;
	fake_spend_ns(fake_suite_control.fma_ns);
	roof_answer(launch);
}

static void roof_empty(const struct fake_launch *launch)
{
	(void)launch;
	fake_suite_control.last_kernel = FAKE_ROOF;
}

static bool has_cache;

const char *fake_suite_new_cache(void)
{
	const char *folder = test_folder();

	setenv("XDG_CACHE_HOME", folder, 1);
	has_cache = true;
	return folder;
}

void fake_suite_setup(void)
{
	static const struct fake_kernel_row rows[] = {{"matmul_naive", matmul_naive, 0},
		{"vecadd_fine", vecadd_fine, 0}, {"vecadd_vector4", vecadd_vector4, 0},
		{"transpose_copy", transpose_copy, 0}, {"transpose_tiled", transpose_tiled, 0},
		{"transpose_vector", transpose_vector, 0},
		{"instructions_int_mul", instructions_int_mul, 0},
		{"instructions_f64", instructions_f64, 0}, {"roof_answer", roof_answer, 0},
		{"roof_empty", roof_empty, 0}, {"roof_copy", roof_answer, 0},
		{"roof_read", roof_read, 0}, {"roof_shared", roof_answer, 0},
		{"roof_integer", roof_answer, 0}, {"roof_special", roof_answer, 0},
		{"roof_fma", roof_fma, 0}, {"roof_fma_f64", roof_answer, 0},
		{"roof_fma_f16", roof_fma_f16, 0}, {"roof_tensor", roof_tensor, 0},
		{"roof_l2", roof_l2, 0}, {"roof_l2_sum", roof_l2_sum, 0}};

	if (!has_cache)
		fake_suite_new_cache();
	fake_reset();
	fake_register();
	fake_suite_control = (struct fake_suite_control){0};
	fake_control.kernels = rows;
	fake_control.kernel_count = sizeof rows / sizeof *rows;
	fake_control.info.limits.global_bytes = 256 << 20;
	fake_control.info.limits.max_buffer_bytes = 128 << 20;
	fake_control.info.limits.compute_units = 1;
	fake_control.info.limits.cache_bytes = 64 << 10;
}
