/* A launch that was stopped anywhere is an error; limits that the user sets. */
#include "tests/emulator/emulator.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#define LAUNCHES 100
#define BLOCKS 8192

/* Blocks of many threads that do almost nothing. Most of the time is spent in the emulator, where
 * the signal of the watchdog cannot end a thread. */
static const char tick[] = "extern \"C\" __global__ void tick(int *out)\n"
			   "{\n"
			   "	if (threadIdx.x == 0)\n"
			   "		out[blockIdx.x] = 1;\n"
			   "}\n";

static const struct stop_case {
	const char *name;
	bool traced;
	const char *workers;
} stop_cases[] = {
	{"plain", false, "2"},
	{"plain, one worker", false, "1"},
	{"traced", true, "2"},
};

static size_t count_of(const int *values, int value)
{
	size_t count = 0;

	for (size_t i = 0; i < BLOCKS; i++)
		count += values[i] == value;
	return count;
}

/* A launch runs every block, or it is a timeout. */
TEST_ROWS_ON_CALL(test_stopped, stop_cases, true, "stopped between blocks: %s", row->name)
{
	static int out[BLOCKS];
	size_t timeouts = 0, incomplete = 0, min = BLOCKS;

	struct emu emu = emu_start(row->workers, "0.001");
	test_ok(emu_build_text(&emu, tick, row->traced));
	for (int i = 0; i < LAUNCHES; i++) {
		memset(out, 0, sizeof out);
		enum pmpp_status status = EMU_LAUNCH(&emu, "tick", BLOCKS, 1024, WORDS(out));
		if (status == PMPP_OK) {
			size_t done = count_of(out, 1);
			incomplete += done < BLOCKS;
			min = done < min ? done : min;
			continue;
		}
		timeouts++;
		test_refused(status, PMPP_TIMEOUT, "PMPP_EMU_TIMEOUT_S");
	}
	emu_stop(&emu);
	test_note("%zu timeouts of %d launches", timeouts, LAUNCHES);
	if (incomplete > 0)
		test_fail("%zu of %d launches are \"ok\" with blocks left, one with %zu of %d done",
			incomplete, LAUNCHES, min, BLOCKS);
	IS(timeouts > 0);
}

/* ---- Threads that do not start --------------------------------------------------------------- */

static size_t threads_left = SIZE_MAX; /* threads that may still start */

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Replaces pthread_create() of the C library in this program. Fails when threads_left is 0. */
int pthread_create(pthread_t *restrict ret_thread, const pthread_attr_t *restrict attributes,
	void *(*entry)(void *), void *restrict argument)
{
	create_fn *real;

	if (threads_left == 0)
		return EAGAIN;
	threads_left--;
	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	return real(ret_thread, attributes, entry, argument);
}

/* The started threads run all blocks. Without any thread the launch fails. */
TEST_ON_CALL(test_few_threads, "threads that do not start")
{
	static int out[BLOCKS];

	EMU emu = emu_start("4", NULL);
	test_ok(emu_build_text(&emu, tick, false));
	for (size_t count = 0; count < 4; count++) {
		memset(out, 0, sizeof out);
		threads_left = count;
		enum pmpp_status status = EMU_LAUNCH(&emu, "tick", BLOCKS, 32, WORDS(out));
		threads_left = SIZE_MAX;
		if (count == 0) {
			test_refused(status, PMPP_OUT_OF_MEMORY, "thread");
			continue;
		}
		test_ok(status);
		EQUAL(count_of(out, 1), BLOCKS);
	}
}

/* ---- The environment ------------------------------------------------------------------------- */

#define SECONDS "0.001 to 86400"
#define WORKERS "1 to 16"

static const struct bad_limit {
	const char *name, *value, *range;
} bad_limits[] = {
	{"PMPP_EMU_TIMEOUT_S", "", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "abc", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "0", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "0.0009", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "-1", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "86401", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "1e400", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "inf", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "nan", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "5x", SECONDS},
	{"PMPP_EMU_TIMEOUT_S", "5 ", SECONDS},
	{"PMPP_EMU_WORKERS", "", WORKERS},
	{"PMPP_EMU_WORKERS", "two", WORKERS},
	{"PMPP_EMU_WORKERS", "0", WORKERS},
	{"PMPP_EMU_WORKERS", "-2", WORKERS},
	{"PMPP_EMU_WORKERS", "17", WORKERS},
	{"PMPP_EMU_WORKERS", "1.5", WORKERS},
	{"PMPP_EMU_WORKERS", "2 threads", WORKERS},
	{"PMPP_EMU_WORKERS", "99999999999999999999", WORKERS},
};

TEST_ROWS_ON_CALL(test_bad_limit, bad_limits, true, "bad limit: %s='%s'", row->name, row->value)
{
	FREED struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state = {0};
	size_t count = 0;
	char text[200];

	struct emu emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_stop(&emu);
	test_variable(row->name, row->value);
	enum pmpp_status status =
		gpu_enumerate(GPU_BACKEND_CUDA_EMU, &infos, &count, &state, &test_error);
	if (status == PMPP_OK)
		test_fail("%s='%s' is accepted", row->name, row->value);
	HAS(test_error.message, row->range);
	snprintf(text, sizeof text, "%s is '%s'", row->name, row->value);
	test_refused(status, PMPP_USAGE, text);
}

TEST_ON_CALL(test_good_limits, "limits at the ends of their ranges")
{
	static const char *const seconds[] = {"0.001", "5", "2.5e1", "86400"};
	static const char *const workers[] = {"1", "16"};

	for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
		EMU emu = emu_start(workers[i % 2], seconds[i]);
	}
}

void emulator_add_stopped(void)
{
	test_stopped_add();
	test_few_threads_add();
	test_bad_limit_add();
	test_good_limits_add();
}
