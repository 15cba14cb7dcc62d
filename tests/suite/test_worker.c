/* The pipe between worker and parent: no result is lost without a message. */
#include "host/io/sources.h"
#include "tests/support/test.h"
#include "tests/support/worker_jobs.h"

#include <signal.h>
#include <unistd.h>

struct tally {
	size_t results;
};

static void count(void *context, struct event *event)
{
	((struct tally *)context)->results += event->kind == EVENT_RESULT;
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
	const struct job_options options = {.words = words, .word_count = 1};
	struct tally tally = {0};
	struct worker_job job;

	worker_job_begin(&job, JOB_VERIFY, NULL, &options);
	job.engine.judge = row->judge;
	enum pmpp_status status = worker_job_run(&job, count, &tally);
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
	const struct job_options options = {
		.words = words, .word_count = 1, .choices.of[CHOICE_DTYPE] = "f32"};
	struct killed killed = {0};
	struct worker_job job;

	worker_job_begin(&job, JOB_VERIFY, NULL, &options);
	job.engine.judge = kill_first;
	test_ok(worker_job_run(&job, keep_reason, &killed));
	test_note("%s", killed.reason);
	CHECK(EQUAL(killed.crashed, 1), IS(killed.results > 2),
		HAS(killed.reason, "memory ran out"), HAS(killed.reason, "vecadd n=1 needs "),
		HAS(killed.reason, "B of host memory; "));
}

/* ---- Kernel files ---------------------------------------------------------------------------- */

static char lost_path[500];

/* In the worker, before the second variant. */
static void lose_file(const struct variant *variant, char *ret_note, size_t size)
{
	(void)ret_note, (void)size;
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

static const bool truths[] = {false, true};

/* A kernel file that exists at the start and is missing later. */
TEST_ROWS(lost_file, truths, "a kernel file that disappears%s", *row ? ", in one process" : "")
{
	static const char *const words[] = {"vecadd/fine", "vecadd/coarse2"};
	const char *root = test_folder();
	const struct job_options options = {.words = words,
		.word_count = 2,
		.choices.of[CHOICE_DTYPE] = "f32",
		.suite.kernel_dir = root,
		.no_isolate = *row};
	struct tally tally = {0};
	struct worker_job job;

	copy_kernel(root, "cuda_kernels/vecadd/fine.cu", lost_path, sizeof lost_path);
	copy_kernel(root, "cuda_kernels/vecadd/coarse.cu", lost_path, sizeof lost_path);
	worker_job_begin(&job, JOB_VERIFY, "100", &options);
	job.engine.begin_group = lose_file;
	test_refused(
		worker_job_run(&job, count, &tally), PMPP_USAGE, "cuda_kernels/vecadd/coarse.cu");
	EQUAL(tally.results, 1); /* of vecadd/fine */
}
