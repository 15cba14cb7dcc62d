/* The pipe between worker and parent: no result is lost without a message. */
#include "host/io/sources.h"
#include "host/run/worker.h"
#include "tests/support/test.h"

#include <signal.h>
#include <unistd.h>

struct tally {
	size_t results;
};

static void count(void *context, struct event *event)
{
	((struct tally *)context)->results += event->kind == EVENT_RESULT;
}

static void tick(void *context)
{
	(void)context;
}

static bool judge_nothing(const void *state, struct outcome *outcome)
{
	(void)state, (void)outcome;
	return false;
}

/* The worker cannot write such a row. */
static bool lose_text(const void *state, struct outcome *outcome)
{
	(void)state;
	text_set(&outcome->row.family, NULL);
	return false;
}

/* The parent cannot read such a row. */
static bool lose_status(const void *state, struct outcome *outcome)
{
	(void)state;
	outcome->row.status = WORD_NULL;
	return false;
}

static const struct row {
	const char *name;
	bool (*judge)(const void *state, struct outcome *outcome);
	const char *message; /* part of the message; NULL: the job succeeds */
} table[] = {
	{"a whole row", judge_nothing, NULL},
	{"a row that cannot be written", lose_text, "'family'"},
	{"a row that cannot be read", lose_status, "row.status"},
};

TEST_ROWS(run, table, "%s", row->name)
{
	static const char *const words[] = {"vecadd/fine"};
	struct job_options options = {words, .word_count = 1, .backend = "cuda-emu",
		.timeout_s = 120, .shard_index = 1, .shard_count = 1};
	struct tally tally = {0};
	const struct event_sink sink = {.emit = count, .tick = tick, .context = &tally};
	struct job job;

	test_ok(job_prepare(JOB_VERIFY, &options, &job, &test_error));
	struct engine engine = *job.engine;
	engine.judge = row->judge;
	job.engine = &engine;
	enum pmpp_status status = worker_run(&job, &sink, &test_error);
	job_finish(&job);
	if (status == PMPP_UNAVAILABLE)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, test_error.message);
	if (row->message) {
		test_refused(status, PMPP_INTERNAL, row->message);
		EQUAL(tally.results, 0);
	} else {
		test_ok(status);
		IS(tally.results > 0);
	}
}

/* ---- Memory ---------------------------------------------------------------------------------- */

struct killed {
	size_t results, crashed;
	char reason[400];
};

/* In the worker: SIGKILL, as from the operating system when memory runs out. */
static bool kill_first(const void *state, struct outcome *outcome)
{
	(void)state;
	if (outcome->problem.dim[0] == 1 && outcome->problem.dtype == DTYPE_F32)
		raise(SIGKILL);
	return false;
}

static void keep_reason(void *context, struct event *event)
{
	struct killed *killed = context;

	if (event->kind != EVENT_RESULT)
		return;
	killed->results++;
	if (event->row.status != OUTCOME_CRASHED)
		return;
	killed->crashed++;
	snprintf(killed->reason, sizeof killed->reason, "%s", text_or_empty(event->row.reason));
}

/* The row has the needed memory, and the other rows run. */
TEST(killed_worker, "a worker that the operating system kills")
{
	static const char *const words[] = {"vecadd/fine"};
	const struct job_options options = {words, .word_count = 1, .backend = "cuda-emu",
		.choices.of[CHOICE_DTYPE] = "f32", .timeout_s = 120, .shard_index = 1,
		.shard_count = 1};
	struct killed killed = {0};
	const struct event_sink sink = {.emit = keep_reason, .tick = tick, .context = &killed};
	struct job job;

	test_ok(job_prepare(JOB_VERIFY, &options, &job, &test_error));
	struct engine engine = *job.engine;
	engine.judge = kill_first;
	job.engine = &engine;
	enum pmpp_status status = worker_run(&job, &sink, &test_error);
	job_finish(&job);
	if (status == PMPP_UNAVAILABLE)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, test_error.message);
	test_ok(status);
	test_note("%s", killed.reason);
	CHECK(EQUAL(killed.crashed, 1), IS(killed.results > 2),
		HAS(killed.reason, "memory ran out"), HAS(killed.reason, "vecadd n=1 needs "),
		HAS(killed.reason, "B of host memory; "));
}

/* ---- Kernel files ---------------------------------------------------------------------------- */

static char lost_path[500];

/* In the worker, before the second variant. */
static void lose_file(const void *state, const struct variant *variant, char *ret_note, size_t size)
{
	(void)state, (void)ret_note, (void)size;
	if (strcmp(variant->name, "coarse2") == 0)
		unlink(lost_path);
}

static void copy_kernel(const char *root, const char *name, char *ret_path, size_t size)
{
	const char *text = sources_embedded(name);

	SOME(text);
	snprintf(ret_path, size, "%s/%s", root, name);
	test_write_file(ret_path, text, strlen(text));
}

/* A kernel file that exists at the start and is missing later. */
static const bool truths[] = {false, true};

TEST_ROWS(lost_file, truths, "a kernel file that disappears%s", *row ? ", in one process" : "")
{
	static const char *const words[] = {"vecadd/fine", "vecadd/coarse2"};
	const char *root = test_folder();
	FINISHED(sizes_finish) struct size_list sizes = {0};
	struct tally tally = {0};
	const struct event_sink sink = {.emit = count, .tick = tick, .context = &tally};
	struct job job;

	copy_kernel(root, "cuda_kernels/vecadd/fine.cu", lost_path, sizeof lost_path);
	copy_kernel(root, "cuda_kernels/vecadd/coarse.cu", lost_path, sizeof lost_path);
	test_ok(sizes_parse("100", &sizes, &test_error));
	struct job_options options = {words, .word_count = 2, .sizes = sizes, .backend = "cuda-emu",
		.choices.of[CHOICE_DTYPE] = "f32", .suite.kernel_dir = root, .timeout_s = 120,
		.shard_index = 1, .shard_count = 1, .no_isolate = *row};
	test_ok(job_prepare(JOB_VERIFY, &options, &job, &test_error));
	struct engine engine = *job.engine;
	engine.begin_group = lose_file;
	job.engine = &engine;
	enum pmpp_status status = worker_run(&job, &sink, &test_error);
	job_finish(&job);
	if (status == PMPP_UNAVAILABLE)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, test_error.message);
	test_refused(status, PMPP_USAGE, "cuda_kernels/vecadd/coarse.cu");
	EQUAL(tally.results, 1); /* of vecadd/fine */
}
