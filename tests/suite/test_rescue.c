/* Workers that die or hang at any place: the job continues, and it ends. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/run/worker.h"
#include "tests/support/test.h"
#include "tests/support/worker_jobs.h"

/* ---- Faults ------------------------------------------------------------------------- */

/* Memory that all processes of a job share. */
struct shared {
	int starts; /* number of started workers */
	int faults; /* number of faults */
	pid_t last; /* process of the last worker */
};

static struct shared *shared;
static bool is_worker;    /* true in workers only */
static bool stays;        /* workers do not end by themselves */
static bool unkillable;   /* waitid() never reports the end of the last worker */
static bool kills_others; /* a group was killed that may not be a worker's */

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
__typeof__(kill) __real_kill, __wrap_kill;
__typeof__(waitid) __real_waitid, __wrap_waitid;

/* Linked in place of _exit(). */
void __wrap__exit(int code)
{
	while (is_worker && stays)
		pause();
	__real__exit(code);
}

/* Linked in place of kill(): records whether a group is killed after its leader was waited for. Its
 * number may then belong to other processes. */
int __wrap_kill(pid_t pid, int sign)
{
	siginfo_t info = {0};

	if (pid < 0 && __real_waitid(P_PID, (id_t)-pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		kills_others = true;
	return __real_kill(pid, sign);
}

/* Linked in place of waitid(): a worker in an uninterruptible wait does not end after SIGKILL. */
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	return unkillable && id == (id_t)shared->last ? 0 : __real_waitid(type, id, info, options);
}

static void crash(void)
{
	raise(SIGKILL);
}

/* A driver that ends its process. */
static void leave(void)
{
	__real__exit(3);
}

/* What a compiler in the driver writes. */
static void warn(void)
{
	fputs("13 warnings generated.\n", stderr);
}

/* What a driver writes that does not end: its text does not fill the disk, and its end is kept. */
static void write_much(void)
{
	struct stat file;

	fprintf(stderr, "%*s", 8 << 20, "");
	warn();
	fflush(stderr);
	for (int i = 0; i < 600; i++) {
		if (fstat(STDERR_FILENO, &file) == 0 && file.st_size < 1 << 20)
			return;
		usleep(100000);
	}
	raise(SIGKILL);
}

#define CRASH_TEXT \
	"13 warnings generated.\ncompiler.cc:67: Assertion `entry' failed.\nnote: no bug report"

static void crash_with_text(void)
{
	fputs(CRASH_TEXT "\n\n", stderr);
	fflush(stderr);
	raise(SIGKILL);
}

static void hang(void)
{
	for (;;)
		pause();
}

/* A fault, its place, and how often it happens. */
static void (*fault)(void);
static int max_faults;

static void make_fault(void)
{
	if (shared->faults++ < max_faults)
		fault();
}

static void count_start(const void *state, bool sharded)
{
	(void)state, (void)sharded;
	is_worker = true;
	shared->last = getpid();
	shared->starts++;
}

static void fault_at_start(const void *state, bool sharded)
{
	count_start(state, sharded);
	make_fault();
}

static void fault_between(const struct variant *variant, char *ret_note, size_t size)
{
	(void)ret_note, (void)size;
	if (strcmp(variant->name, "coarse2") == 0)
		make_fault();
}

/* ---- Rows ------------------------------------------------------------------------------------ */

struct tally {
	size_t of_status[OUTCOME_STATUS_COUNT];
	char reason[300]; /* of the last row that is not ok */
	char driver[300]; /* last text of the driver, without spaces before it */
};

static void count(void *context, struct event *event)
{
	struct tally *tally = context;

	if ((event->kind == EVENT_RESULT || event->kind == EVENT_DRIVER) && event->text)
		snprintf(tally->driver, sizeof tally->driver, "%s",
			event->text + strspn(event->text, " "));
	if (event->kind != EVENT_RESULT)
		return;
	tally->of_status[event->row.status]++;
	if (event->row.status != OUTCOME_OK && event->row.status != OUTCOME_SKIPPED)
		snprintf(tally->reason, sizeof tally->reason, "%s: %s", event->row.variant,
			event->row.reason);
}

enum place {
	NOWHERE,
	AT_START,
	BETWEEN
};

static const struct row {
	const char *name;
	enum place place;
	void (*fault)(void);
	int max; /* number of faults */
	bool stays, unkillable;
	struct worker_limits limits;
	double timeout_s;
	enum pmpp_status status;
	const char *message;
	size_t ok, crashed, timeout; /* rows */
	int workers;
	const char *reason; /* part of the reason of the row that is not ok */
	const char *driver; /* text of the driver; NULL: none */
} table[] = {
	{"a crash at the start, once", AT_START, crash, 1, .ok = 3, .workers = 2},
	{"a crash at each start", AT_START, crash, 1000, .status = PMPP_LAUNCH,
		.message = "outside of any variant: the worker ended with SIGKILL", .workers = 2},
	{"an exit at each start", AT_START, leave, 1000, .status = PMPP_LAUNCH,
		.message = "outside of any variant: the worker ended with exit status 3",
		.workers = 2},
	{"a hang at the start", AT_START, hang, 1000, .limits.between_s = 1, .timeout_s = 0.5,
		.status = PMPP_TIMEOUT,
		.message = "outside of any variant: no end after 1 s, looking for devices",
		.workers = 1},
	{"a crash between variants, once", BETWEEN, crash, 1, .ok = 3, .workers = 2},
	{"a crash between variants, twice", BETWEEN, crash, 2, .ok = 2, .crashed = 1, .workers = 3,
		.reason = "coarse2: before the variant began: the worker ended with SIGKILL"},
	{"a crash before one variant, each time", BETWEEN, crash, 1000, .ok = 2, .crashed = 1,
		.workers = 3, .reason = "coarse2: before the variant began"},
	{"a driver that writes to stderr", BETWEEN, warn, 1, .ok = 3, .workers = 1,
		.driver = "13 warnings generated."},
	{"a driver that writes without an end", BETWEEN, write_much, 1, .ok = 3, .workers = 1,
		.driver = "13 warnings generated."},
	{"a crash with a text at each start", AT_START, crash_with_text, 1000,
		.status = PMPP_LAUNCH, .message = "; compiler.cc:67: Assertion `entry' failed.",
		.workers = 2, .driver = CRASH_TEXT "\n\n" CRASH_TEXT},
	{"a crash with a text", BETWEEN, crash_with_text, 2, .ok = 2, .crashed = 1, .workers = 3,
		.reason = "; compiler.cc:67: Assertion `entry' failed.",
		.driver = CRASH_TEXT "\n\n" CRASH_TEXT},
	{"a hang between variants", BETWEEN, hang, 1000, .limits.between_s = 20, .timeout_s = 20,
		.ok = 2, .timeout = 1, .workers = 3,
		.reason = "coarse2: before the variant began: no end after 20 s"},
	{"a worker that does not exit", NOWHERE, .stays = true,
		.limits = {.between_s = 1000, .end_s = 0.2}, .ok = 3, .workers = 1},
	{"a worker that SIGKILL does not end", NOWHERE, .unkillable = true, .limits.end_s = 0.2,
		.ok = 3, .workers = 1, .status = PMPP_TIMEOUT, .message = "0.2 s after SIGKILL"},
};

static void set_up(const struct row *row, struct engine *engine)
{
	engine->set_environment = count_start;
	if (row->place == AT_START)
		engine->set_environment = fault_at_start;
	if (row->place == BETWEEN)
		engine->begin_group = fault_between;
	*shared = (struct shared){0};
	fault = row->fault;
	max_faults = row->max;
	stays = row->stays;
	unkillable = row->unkillable;
}

static void run(const void *context)
{
	static const char *const words[] = {"vecadd/fine", "vecadd/coarse2", "vecadd/coarse4"};
	const struct row *row = context;
	const struct job_options options = {.words = words,
		.word_count = 3,
		.backend = "cuda-emu",
		.choices.of[CHOICE_DTYPE] = "f32",
		.timeout_s = row->timeout_s};
	struct tally tally = {{0}};
	struct worker_job job;

	worker_job_begin(&job, JOB_VERIFY, "100", &options);
	set_up(row, &job.engine);
	if (row->limits.between_s > 0)
		job.job.limits.between_s = row->limits.between_s;
	if (row->limits.end_s > 0)
		job.job.limits.end_s = row->limits.end_s;
	int screen = dup(STDERR_FILENO);
	FILE *shown = tmpfile();
	dup2(fileno(shown), STDERR_FILENO);
	enum pmpp_status status = worker_job_run(&job, count, &tally);
	dup2(screen, STDERR_FILENO);
	close(screen);
	stays = unkillable = false;
	if (status == PMPP_UNAVAILABLE)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, test_error.message);
	if (row->status == PMPP_OK)
		test_ok(status);
	else
		test_refused(status, row->status, row->message);
	CHECK(NOT(kills_others), EQUAL(shared->starts, row->workers),
		EQUAL(tally.of_status[OUTCOME_OK], row->ok),
		EQUAL(tally.of_status[OUTCOME_CRASHED], row->crashed),
		EQUAL(tally.of_status[OUTCOME_TIMEOUT], row->timeout));
	if (row->reason)
		HAS(tally.reason, row->reason);
	STRING(tally.driver, row->driver ? row->driver : "");
	if (fseek(shown, 0, SEEK_END) != 0 || ftell(shown) != 0)
		test_fail("the driver's text is on the screen");
	fclose(shown);
}

/* The wait for a process that SIGKILL does not end is limited. */
TEST(end_unkillable, "the end of a process that SIGKILL does not end")
{
	pid_t child = fork();

	if (child == 0)
		hang();
	shared->last = child;
	unkillable = true;
	bool ended = guard_end(child, 0, 0.1);
	unkillable = false;
	CHECK(NOT(ended), IS(guard_end(child, 0, 600)));
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	shared = mmap(
		NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		test_add(run, &table[i], "%s", table[i].name);
		if (table[i].timeout_s >= 20)
			test_mark_long();
	}
	return test_run(argc, argv);
}
