/* kernels/right.cu and .cl: the same answer in every order, in the plain and the traced build. */
#include "tests/emulator/emulator.h"

#include <float.h>

#define LENGTH(array) (int)(sizeof(array) / sizeof *(array))

typedef void check_fn(struct emu *emu);

static void check_add(struct emu *emu)
{
	float a[1000], b[1000], c[1000];

	for (int i = 0; i < LENGTH(a); i++) {
		a[i] = (float)i * 0.5f;
		b[i] = (float)(i % 17) - 8.0f;
		c[i] = NAN;
	}
	EMU_RUN(emu, "add", 4, 256, WORDS(a), WORDS(b), WORDS(c), INT(LENGTH(a)));
	for (int i = 0; i < LENGTH(a); i++)
		IS(c[i] == a[i] + b[i]);
}

static float random_value(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(int32_t)*state * 0x1p-31f;
}

static void check_matmul(struct emu *emu)
{
	enum {
		M = 19,
		N = 27,
		K = 13
	};
	float a[M * K], b[K * N], c[M * N];
	uint32_t state = 1;

	for (size_t i = 0; i < M * K; i++)
		a[i] = random_value(&state);
	for (size_t i = 0; i < K * N; i++)
		b[i] = random_value(&state);
	memset(c, 0xff, sizeof c);
	test_ok(emu_run(emu, &(struct emu_run){"matmul", .groups = {4, 3}, .block = {8, 8},
				     .args = {WORDS(a), WORDS(b), WORDS(c), INT(M), INT(N), INT(K)},
				     .arg_count = 6}));
	for (size_t row = 0; row < M; row++) {
		for (size_t col = 0; col < N; col++) {
			double sum = 0, terms = 0;

			for (size_t k = 0; k < K; k++) {
				double term = (double)a[row * K + k] * (double)b[k * N + col];

				sum += term;
				terms += fabs(term);
			}
			test_near((double)c[row * N + col], sum, K * (double)FLT_EPSILON * terms);
		}
	}
}

static void check_sum_shuffled(struct emu *emu)
{
	int in[5000], out[1] = {0}, sum = 0;

	for (int i = 0; i < LENGTH(in); i++)
		sum += in[i] = i * 7 % 1001 - 400;
	EMU_RUN(emu, "sum_shuffled", 20, 256, WORDS(in), WORDS(out), INT(LENGTH(in)));
	EQUAL(out[0], sum);
}

static void check_sum_syncwarp(struct emu *emu)
{
	int in[201], out[1] = {0}, sum = 0;

	for (int i = 0; i < LENGTH(in); i++)
		sum += in[i] = i * i;
	test_ok(emu_run(
		emu, &(struct emu_run){"sum_syncwarp", .block = {256}, .shared_bytes = 1024,
			     .args = {WORDS(in), WORDS(out), INT(LENGTH(in))}, .arg_count = 3}));
	EQUAL(out[0], sum);
}

static void check_uneven_warp(struct emu *emu)
{
	int out[32];

	EMU_RUN(emu, "uneven_warp", 1, 32, WORDS(out));
	for (int t = 0; t < 32; t++)
		EQUAL(out[t], 7 + (t < 16 ? t ^ 1 : 0));
}

static void check_shuffles(struct emu *emu)
{
	int out[32 * 6];

	EMU_RUN(emu, "shuffles", 1, 32, WORDS(out));
	for (int t = 0; t < 32; t++) {
		const int *own = out + 6 * t;

		CHECK(EQUAL(own[0], 5), EQUAL(own[1], t < 3 ? t : t - 3),
			EQUAL(own[2], t % 8 == 7 ? t : t + 1), EQUAL(own[3], t ^ 7),
			EQUAL(own[4], (t + 1) % 32), EQUAL(own[5], t / 16 * 16 + 2));
	}
}

static void check_short_warp(struct emu *emu)
{
	int out[40 * 2];

	EMU_RUN(emu, "short_warp", 1, 40, WORDS(out));
	for (int t = 0; t < 40; t++) {
		EQUAL((uint32_t)out[2 * t], t < 32 ? 0xffffffffu : 0xffu);
		EQUAL(out[2 * t + 1], t ^ 1);
	}
}

static void check_votes(struct emu *emu)
{
	int out[64 * 6];

	EMU_RUN(emu, "votes", 1, 64, WORDS(out));
	for (int t = 0; t < 64; t++) {
		uint32_t ballot = 0;

		for (int lane = 0; lane < 32; lane++)
			ballot |= (uint32_t)((t / 32 * 32 + lane) % 3 == 0) << lane;
		CHECK(EQUAL((uint32_t)out[6 * t], ballot), EQUAL(out[6 * t + 1], 1),
			EQUAL(out[6 * t + 2], 0), EQUAL(out[6 * t + 3], 13),
			EQUAL(out[6 * t + 4], 1), EQUAL(out[6 * t + 5], 0));
	}
}

static void check_same_value(struct emu *emu)
{
	int in[64], out[64];

	for (int i = 0; i < 64; i++)
		in[i] = i % 3;
	EMU_RUN(emu, "same_value", 1, 64, WORDS(in), WORDS(out));
	for (int i = 0; i < 64; i++)
		EQUAL(out[i], 1);
}

static void check_histogram(struct emu *emu)
{
	int in[3000], out[16] = {0}, want[16] = {0};

	for (int i = 0; i < LENGTH(in); i++)
		want[(in[i] = i * i % 23) & 15]++;
	EMU_RUN(emu, "histogram", 5, 64, WORDS(in), WORDS(out), INT(LENGTH(in)));
	assert_memory_equal(out, want, sizeof want);
}

static void check_last_block(struct emu *emu)
{
	int in[700], partial[11] = {0}, ticket[1] = {0}, out[1] = {0}, sum = 0;

	for (int i = 0; i < LENGTH(in); i++)
		sum += in[i] = 3 * i - 500;
	EMU_RUN(emu, "last_block", LENGTH(partial), 64, WORDS(in), WORDS(partial), WORDS(ticket),
		WORDS(out), INT(LENGTH(in)));
	EQUAL(out[0], sum);
}

static void check_atomics(struct emu *emu)
{
	enum {
		N = 64 * 32
	};
	int cells[11] = {0, 0, 5, -5, 0, -1, 0, 0, 0, 0, 0};
	float sum;

	EMU_RUN(emu, "atomics", 32, 64, WORDS(cells));
	memcpy(&sum, &cells[9], sizeof sum);
	CHECK(EQUAL(cells[0], N * (N - 1) / 2), EQUAL(cells[1], -N), EQUAL(cells[2], -(N - 1)),
		EQUAL(cells[3], N - 1), EQUAL(cells[4], INT32_MAX), EQUAL(cells[5], INT32_MIN),
		EQUAL(cells[6], 0), EQUAL(cells[7], 77), EQUAL(cells[8], 2 * N),
		IS(sum == (float)N), EQUAL((uint32_t)cells[10], 0x80000000u + N - 1));
}

static void check_vectors(struct emu *emu)
{
	static const float more[4] = {1.0f, 2.0f, 2.0f, 4.0f};
	float in[4 * 75], out[4 * 75];

	for (int i = 0; i < LENGTH(in); i++)
		in[i] = (float)i;
	EMU_RUN(emu, "vectors", 2, 64, WORDS(in), WORDS(out), INT(LENGTH(in) / 4));
	for (int i = 0; i < LENGTH(in); i++)
		IS(out[i] == 2.0f * in[i] + more[i % 4]);
}

/* The kernel's steps, on the bytes of a little-endian machine. */
static void check_parts(struct emu *emu)
{
	uint8_t bytes[64];
	int out[64];

	for (int i = 0; i < 64; i++)
		bytes[i] = (uint8_t)(i + (i % 4 == 0 ? i / 16 : 0));
	for (int i = 0; i < 64; i += 2) /* + 1 to each half, + 1 to each word; no byte overflows */
		bytes[i] += i % 4 == 0 ? 2 : 1;
	EMU_RUN(emu, "parts", 1, 64, WORDS(out));
	for (int i = 0; i < 64; i++)
		EQUAL(out[i], bytes[i / 16 * 16 + (3 - i / 4 % 4) * 4 + i % 4]);
}

static void check_alone(struct emu *emu)
{
	int out[65];

	EMU_RUN(emu, "alone", 1, 65, WORDS(out));
	for (int i = 0; i < 65; i++)
		EQUAL(out[i], 1);
}

static void check_shapes(struct emu *emu)
{
	enum {
		THREADS = 5 * 3 * 2,
		BLOCKS = 2 * 3 * 2
	};
	static const int factors[4] = {1, 10, 100, 1000};
	int out[BLOCKS * THREADS];

	test_ok(emu_run(emu, &(struct emu_run){"shapes", .groups = {2, 3, 2}, .block = {5, 3, 2},
				     .args = {WORDS(out)}, .arg_count = 1}));
	for (int i = 0; i < BLOCKS * THREADS; i++)
		EQUAL(out[i], 2 * factors[i % THREADS % 4] + 10000 * (i % THREADS / 15) +
				      20000 * (i / THREADS / 6));
}

static void check_exchange(struct emu *emu)
{
	int out[32];

	EMU_RUN(emu, "exchange", 1, 32, WORDS(out));
	for (int i = 0; i < 32; i++)
		EQUAL(out[i], 31 - i);
}

static const struct right {
	const char *name;
	check_fn *check;
	bool cuda_only; /* the built-in functions of OpenCL have tests of their own: builtins.c */
} checks[] = {
	{"exchange", check_exchange},
	{"add", check_add},
	{"matmul", check_matmul},
	{"sum by shuffles", check_sum_shuffled},
	{"sum by __syncwarp", check_sum_syncwarp},
	{"uneven warp", check_uneven_warp, true},
	{"shuffles", check_shuffles, true},
	{"short warp", check_short_warp, true},
	{"votes", check_votes, true},
	{"one value from many threads", check_same_value},
	{"histogram", check_histogram},
	{"last block", check_last_block},
	{"atomics", check_atomics},
	{"vector types", check_vectors},
	{"parts of vectors", check_parts},
	{"operations of one thread", check_alone},
	{"shapes", check_shapes},
};

static void in_all_orders(const struct right *right, bool traced)
{
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "right", traced);
	gpu_set_order(emu.device, GPU_ORDER_FORWARD, 0);
	right->check(&emu);
	gpu_set_order(emu.device, GPU_ORDER_REVERSED, 0);
	right->check(&emu);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		gpu_set_order(emu.device, GPU_ORDER_SHUFFLED, seed);
		right->check(&emu);
	}
}

static bool has_language(const struct right *right)
{
	return !right->cuda_only || emu_language() == &emu_cuda;
}

TEST_ROWS_ON_CALL(test_right, checks, has_language(row), "right: %s", row->name)
{
	in_all_orders(row, false);
}

TEST_ROWS_ON_CALL(test_right_traced, checks, has_language(row), "right, traced: %s", row->name)
{
	in_all_orders(row, true);
}

/* Watched, the answer is the same at every number of lanes that run in lockstep: more or fewer than
 * the 32 lanes of a warp operation. */
TEST_ROWS_ON_CALL(
	test_right_watched, checks, has_language(row), "right, at every width: %s", row->name)
{
	static const struct gpu_watch watched = {.step_limit = 1 << 24};

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "right", true);
	for (uint32_t lanes = MIN_LANES; lanes <= MAX_LANES; lanes *= 2) {
		FINISHED(trace_finish) struct trace trace = {0};

		gpu_set_model(
			emu.device, access_model_with_lanes(access_model_default(), lanes), false);
		EQUAL(emu.device->info.limits.warp_size, lanes);
		gpu_watch(emu.device, &watched, &trace);
		row->check(&emu);
		gpu_watch(emu.device, NULL, NULL);
		EQUAL(trace.model->lanes, lanes);
	}
}

/* ---- Order --------------------------------------------------------------------------------- */

#define ORDER_THREADS 96

static void who_when(struct emu *emu, enum gpu_order order, uint64_t seed, int *ret_who)
{
	int ticket[1] = {0}, out[ORDER_THREADS];

	gpu_set_order(emu->device, order, seed);
	EMU_RUN(emu, "who_when", 3, 32, WORDS(ticket), WORDS(out));
	memcpy(ret_who, out, sizeof out);
}

TEST_ON_CALL(test_order, "order of threads and blocks")
{
	int who[ORDER_THREADS], again[ORDER_THREADS], other[ORDER_THREADS];
	bool seen[ORDER_THREADS] = {false};

	EMU emu = emu_start("1", NULL);
	emu_build_file(&emu, "right", false);
	who_when(&emu, GPU_ORDER_FORWARD, 0, who);
	for (int i = 0; i < ORDER_THREADS; i++)
		EQUAL(who[i], i);
	who_when(&emu, GPU_ORDER_REVERSED, 0, who);
	for (int i = 0; i < ORDER_THREADS; i++)
		EQUAL(who[i], ORDER_THREADS - 1 - i);
	who_when(&emu, GPU_ORDER_SHUFFLED, 1, who);
	who_when(&emu, GPU_ORDER_SHUFFLED, 1, again);
	who_when(&emu, GPU_ORDER_SHUFFLED, 2, other);
	assert_memory_equal(who, again, sizeof who);
	assert_memory_not_equal(who, other, sizeof who);
	for (int i = 0; i < ORDER_THREADS; i++)
		seen[who[i]] = true;
	for (int i = 0; i < ORDER_THREADS; i++)
		IS(seen[i]);
}

/* The two builds give the same bits: neither fuses, reorders or widens. */
TEST_ON_CALL(test_same_bits, "plain and traced build give the same bits")
{
	enum {
		M = 17,
		K = 31
	};
	float a[M * K], b[K * M], plain[M * M], traced[M * M];
	uint32_t state = 7;

	for (size_t i = 0; i < M * K; i++) {
		a[i] = random_value(&state);
		b[i] = random_value(&state);
	}
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	for (int build = 0; build < 2; build++) {
		float c[M * M];

		emu_build_file(&emu, "right", build == 1);
		test_ok(emu_run(&emu,
			&(struct emu_run){"matmul", .groups = {3, 3}, .block = {8, 8},
				.args = {WORDS(a), WORDS(b), WORDS(c), INT(M), INT(M), INT(K)},
				.arg_count = 6}));
		memcpy(build ? traced : plain, c, sizeof c);
	}
	assert_memory_equal(plain, traced, sizeof plain);
}

/* The header in front of a kernel, and the instrumentation, add no warning. */
TEST_ON_CALL(test_quiet, "builds say nothing")
{
	static const char *const files[] = {"right", "defects"};

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	setenv("PMPP_NO_CACHE", "1", 1); /* an object from the cache has no log */
	for (size_t i = 0; i < 4; i++) {
		emu_build_file(&emu, files[i / 2], i % 2);
		if (strcmp(emu.program->log, "") != 0)
			test_note("%s", emu.program->log);
		STRING(emu.program->log, "");
	}
	unsetenv("PMPP_NO_CACHE");
}

void emulator_add_right(void)
{
	test_right_add();
	test_right_traced_add();
	test_right_watched_add();
	test_quiet_add();
	test_order_add();
	test_same_bits_add();
}
