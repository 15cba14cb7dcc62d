#include "host/run/worker.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/io/atomic_file.h"
#include "host/io/clock.h"
#include "host/io/os.h"
#include "host/record/document.h"
#include "host/record/record.h"
#include "host/report/terminal.h"
#include "host/run/runner.h"
#include "host/run/stop.h"

/* ---- Text of drivers ------------------------------------------------------------------------ */

/* Text that drivers and compilers write to stderr in a worker process: warnings, messages of dlopen(),
 * assertions. It is kept for the row, so that it does not mix with the table. */

#define MAX_BYTES ((off_t)64 << 10)
#define LIMIT_BYTES ((off_t)1 << 20)

/* Returns a temporary file without a name, which the caller closes; -1: none could be made. */
static int driver_text_open(void)
{
	FILE *file = tmpfile();
	int fd;

	if (!file)
		return -1;
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	/* The parent empties the file while the worker has it open. */
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

/* In the worker: stderr is the file from now on. fd -1: no change. */
static void driver_text_redirect(int fd)
{
	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
}

/* Returns the end of the file without white space at its end; NULL: there is no text. */
static char *read_end(int fd)
{
	off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	off_t begin = end > MAX_BYTES ? end - MAX_BYTES : 0;
	char *text = end > 0 ? malloc((size_t)(end - begin) + 1) : NULL;
	ssize_t length = text ? pread(fd, text, (size_t)(end - begin), begin) : 0;

	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	if (length <= 0) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

/* Replaces *text by the content of the file, without white space at its end, and empties the file. NULL:
 * there is none. Of a long text only the end is kept. */
static void driver_text_move(int fd, char **text)
{
	char *found = read_end(fd);

	/* A text that cannot be removed would be repeated with each row. */
	text_set(text, found && ftruncate(fd, 0) == 0 ? found : NULL);
	free(found);
}

/* Cuts a text that is longer than 1 MiB to its end, so that a driver that writes without an end does
 * not fill the disk. fd -1: no change. */
static void driver_text_limit(int fd)
{
	if (fd < 0 || lseek(fd, 0, SEEK_END) <= LIMIT_BYTES)
		return;
	char *text = read_end(fd);

	/* On a full disk the text is lost. */
	if (ftruncate(fd, 0) == 0 && text)
		dprintf(fd, "%s\n", text);
	free(text);
}

/* Writes "; " and the line that says why a worker died: the last line that is no note. Writes "" if
 * there is none. Does not empty the file. */
static void driver_text_cause(int fd, char *target, size_t size)
{
	static const char note[] = "note:";
	char *text = read_end(fd);
	const char *cause = NULL;
	size_t length = 0;

	target[0] = '\0';
	for (const char *line = text; line && *line;) {
		size_t bytes = strcspn(line, "\n");

		if (bytes > 0 && strncmp(line, note, strlen(note)) != 0) {
			cause = line;
			length = bytes;
		}
		line += bytes + (line[bytes] == '\n');
	}
	if (cause)
		snprintf(target, size, "; %.*s", (int)length, cause);
	free(text);
}

/* ---- The guard ------------------------------------------------------------------------------ */

/* A small second process. When the job ends, or the parent dies, the guard kills the processes that a worker
 * left (compilers). It then removes the job's folder of temporary files. During the job it limits the text of
 * drivers. It also works if SIGKILL ends the parent and the worker. */

/* ------------------------------------------------------------------------------ */

/* A killed process may still create a file, and a file system may be slow. */
#define REMOVE_LIMIT_S 10
/* How often the guard limits the text of drivers. */
#define GUARD_TICK_MS 100
#define MAX_PAUSE_NS 20000000L
/* Sent instead of a process group: the job has ended. */
#define GROUP_END ((pid_t)-1)

struct guard {
	pid_t pid;
	int fd;        /* socket to the guard; the job ends when its last copy is closed */
	int driver_fd; /* -1 = none */
	char folder[PATH_MAX];
	char *tmpdir; /* TMPDIR before the job; owned; NULL = not set */
	bool uses_folder;
};

/* Each pause is longer than the one before. */
static void pause_longer(struct timespec *pause)
{
	nanosleep(pause, NULL);
	pause->tv_nsec = pause->tv_nsec * 2 < MAX_PAUSE_NS ? pause->tv_nsec * 2 : MAX_PAUSE_NS;
}

/* Waits until a child process ends, at most limit_s seconds. Returns true if it ended. It stays a
 * zombie until waitpid(): until then no other process gets its number. */
static bool guard_wait(pid_t pid, double limit_s)
{
	struct timespec pause = {.tv_nsec = 50000};
	double end_ns = host_clock_ns() + 1e9 * limit_s;

	for (;;) {
		siginfo_t info = {0};
		int got = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if ((got == 0 && info.si_pid == pid) || (got < 0 && errno != EINTR))
			return true;
		if (host_clock_ns() > end_ns)
			return false;
		pause_longer(&pause);
	}
}

bool guard_end(pid_t pid, double limit_s, double kill_limit_s)
{
	if (limit_s > 0 && guard_wait(pid, limit_s))
		return true;
	kill(pid, SIGKILL);
	return guard_wait(pid, kill_limit_s);
}

/* ---- In the guard -------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)info, (void)type, (void)place;
	remove(path);
	return 0;
}

/* Repeats until the folder is removed. */
static void remove_folder(const char *folder)
{
	struct timespec pause = {.tv_nsec = 50000};
	double end_ns = host_clock_ns() + 1e9 * REMOVE_LIMIT_S;

	while (access(folder, F_OK) == 0 && host_clock_ns() < end_ns) {
		nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
		if (access(folder, F_OK) == 0)
			pause_longer(&pause);
	}
}

/* ret_folder: "" if no folder can be made. */
static void make_folder(char ret_folder[PATH_MAX])
{
	const char *base = getenv("TMPDIR");
	char absolute[PATH_MAX];
	char folder[PATH_MAX];

	ret_folder[0] = '\0';
	if (!realpath(base && *base ? base : "/tmp", absolute))
		return;
	int length = snprintf(folder, sizeof folder, "%s/pmpp-run-XXXXXX", absolute);
	if (length < (int)sizeof folder && mkdtemp(folder))
		memcpy(ret_folder, folder, (size_t)length + 1);
}

/* The guard makes the folder itself, so that a killed parent leaves no folder. */
static _Noreturn void be_guard(int fd, int driver_fd)
{
	char folder[PATH_MAX];
	pid_t group = 0;
	pid_t next;
	ssize_t got;

	setpgid(0, 0); /* so that the terminal sends no signals to the guard */
	stop_ignore();
	os_name_process("pmpp-guard");
	make_folder(folder);
	/* The guard closes all files. Otherwise the reader of the job's stdout would wait until the
	 * guard ends. */
	dup2(fd, STDIN_FILENO);
	if (driver_fd >= 0)
		driver_fd = dup2(driver_fd, STDOUT_FILENO);
	os_close_from(driver_fd >= 0 ? STDOUT_FILENO + 1 : STDOUT_FILENO);
	if (chdir("/") != 0)
		_exit(1);
	send(STDIN_FILENO, folder, strlen(folder) + 1, OS_SEND_QUIETLY);
	for (;;) {
		while (driver_fd >= 0 && os_wait_readable(STDIN_FILENO, GUARD_TICK_MS, NULL) == 0)
			driver_text_limit(driver_fd);
		got = recv(STDIN_FILENO, &next, sizeof next, MSG_WAITALL);
		if (got < 0 && errno == EINTR)
			continue;
		if (got != sizeof next || next == GROUP_END)
			break;
		group = next;
	}
	if (group > 0)
		kill(-group, SIGKILL);
	if (*folder)
		remove_folder(folder);
	_exit(0);
}

/* ---- In the parent and in the worker ------------------------------------------------------- */

/* Sets the process group to kill; 0: none. The worker calls this before it starts processes. */
static void guard_watch(const struct guard *guard, pid_t group)
{
	while (send(guard->fd, &group, sizeof group, OS_SEND_QUIETLY) < 0 && errno == EINTR)
		;
}

/* Ends the job: waits until the guard has killed and removed everything, at most a few seconds.
 * Restores TMPDIR and sets *guard to NULL. NULL is allowed. */
static void guard_destroy(struct guard **guard)
{
	struct guard *it = *guard;

	if (!it)
		return;
	/* A worker that cannot be killed has a copy of the socket. */
	guard_watch(it, GROUP_END);
	close(it->fd);
	if (it->driver_fd >= 0)
		close(it->driver_fd);
	if (it->pid > 0 && guard_wait(it->pid, 2 * REMOVE_LIMIT_S))
		waitpid(it->pid, NULL, 0);
	if (it->uses_folder && it->tmpdir)
		setenv("TMPDIR", it->tmpdir, 1);
	else if (it->uses_folder)
		unsetenv("TMPDIR");
	free(it->tmpdir);
	free(it);
	*guard = NULL;
}

/* Starts the guard, which makes the folder (in TMPDIR, or /tmp). If the folder cannot be made,
 * temporary files are in TMPDIR itself and are not removed. Errors: PMPP_OUT_OF_MEMORY,
 * PMPP_INTERNAL. */
static enum pmpp_status guard_create(struct guard **ret_guard, struct pmpp_error *error)
{
	struct guard *guard = calloc(1, sizeof *guard);
	const char *tmpdir = getenv("TMPDIR");
	int ends[2];

	if (!guard)
		return PMPP_NO_MEMORY(error, "the job");
	if (!os_message_pair(ends)) {
		free(guard);
		return PMPP_FAIL(error, PMPP_INTERNAL, "socketpair: %s", strerror(errno));
	}
	guard->tmpdir = tmpdir ? strdup(tmpdir) : NULL;
	guard->fd = ends[1];
	guard->driver_fd = driver_text_open();
	fflush(NULL); /* otherwise the guard has a copy of the buffered text */
	guard->pid = fork();
	if (guard->pid == 0) {
		close(ends[1]);
		be_guard(ends[0], guard->driver_fd);
	}
	close(ends[0]);
	if (guard->pid < 0) {
		enum pmpp_status status =
			PMPP_FAIL(error, PMPP_INTERNAL, "fork: %s", strerror(errno));
		guard_destroy(&guard);
		return status;
	}
	ssize_t got = recv(guard->fd, guard->folder, sizeof guard->folder - 1, 0);
	if (got <= 0)
		guard->folder[0] = '\0';
	*ret_guard = guard;
	return PMPP_OK;
}

/* Sets TMPDIR of this process, and of the processes that it starts, to the job's folder. */
static void guard_use_folder(struct guard *guard)
{
	if (!*guard->folder)
		return;
	guard->uses_folder = setenv("TMPDIR", guard->folder, 1) == 0;
}

/* ---- Executing a job ------------------------------------------------------------------------ */

/* Executes a job: all driver work, in a worker process (worker.h) or in this process. */

/* Before the first driver call: drivers read these variables when they create devices. */
static void set_environment(const struct job *job)
{
	if (job->engine->set_environment)
		job->engine->set_environment(job->engine_state, job->options->shard_count > 1);
	/* Programs with a mistake must not fill the user's caches. */
	if (job->action == JOB_SELFTEST && getenv("TMPDIR"))
		setenv("XDG_CACHE_HOME", getenv("TMPDIR"), 1);
	suite_set_environment();
}

static enum pmpp_status (*const actions[])(struct runner *runner) = {
	[JOB_RUN] = ladders_job,
	[JOB_VERIFY] = ladders_job,
	[JOB_PARITY] = ladders_job,
	[JOB_ROOFLINE] = ladders_job,
	[JOB_EXPLAIN] = explain_job,
	[JOB_SELFTEST] = selftest_job,
};

/* Runs the tasks from index `skip`. The order of tasks is fixed: after a crash, another execution
 * skips the tasks that are done. It also skips the devices `passed`, which are lost, or have no work
 * left. The last event is EVENT_DONE. A signal (stop.h) ends the job between tasks: PMPP_INTERRUPTED. */
static enum pmpp_status job_execute(const struct job *job, const struct job_progress *progress,
	const struct event_sink *sink, struct pmpp_error *error)
{
	struct runner runner = {.job = job, .sink = sink, .error = error, .progress = progress};
	unsigned backends = 0;
	enum pmpp_status status;

	struct event looking = event_new(EVENT_PROGRESS, -1, NULL);

	text_set(&looking.text, "looking for devices");
	runner_emit(&runner, &looking);
	set_environment(job);
	status = device_query_backends(&job->query, &backends, error);
	if (job->action == JOB_PARITY) /* --backend names one of the two sides */
		backends = EVERY_BACKEND;
	if (status == PMPP_OK)
		status = inventory_take(backends, &runner.inventory, error);
	if (status == PMPP_OK)
		status = actions[job->action](&runner);
	inventory_finish(&runner.inventory);
	if (status == PMPP_OK) {
		struct event done = event_new(EVENT_DONE, -1, NULL);
		runner_emit(&runner, &done);
	}
	return status;
}

/* The output of a job without a worker. */
struct own_output {
	const struct event_sink *sink;
	int results; /* the stdout of the sink; -1: it has no copy */
};

static void set_stdout(const struct own_output *output, int fd)
{
	if (output->results < 0)
		return;
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
}

static void emit_here(void *context, struct event *event)
{
	const struct own_output *output = context;

	set_stdout(output, output->results);
	output->sink->emit(output->sink->context, event);
	set_stdout(output, STDERR_FILENO);
}

/* For a job in this process. Kernels print on stdout, where the results are. Therefore stdout is redirected to stderr,
 * except in the sink. */
static void begin_here(struct own_output *output)
{
	output->results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	set_stdout(output, STDERR_FILENO);
	stop_admit(true);
}

static void end_here(const struct own_output *output)
{
	stop_admit(false);
	set_stdout(output, output->results);
	if (output->results >= 0)
		close(output->results);
}

/* ---- The end of a worker -------------------------------------------------------------------- */

/* The text of a row whose worker process died. */

/* wait_status: from waitpid(). needs: text of the host memory that the task needs; NULL: no task was in
 * progress. driver_fd: the worker's stderr (driver_text_open()); its cause is a part of the text.
 *
 * This process did not send a SIGKILL. The operating system sends it when memory runs out; other
 * programs can send it too. */
static void death_describe(
	int wait_status, const char *needs, int driver_fd, char *text, size_t size)
{
	size_t length;

	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL) {
		snprintf(text, size,
			"the worker ended with SIGKILL: memory ran out, or another program killed "
			"it%s%s",
			needs ? "; " : "", text_or_empty(needs));
	} else if (WIFSIGNALED(wait_status)) {
		snprintf(text, size, "the worker ended with SIG%s (%s)",
			os_signal_name(WTERMSIG(wait_status)), strsignal(WTERMSIG(wait_status)));
	} else {
		snprintf(text, size, "the worker ended with exit status %d",
			WEXITSTATUS(wait_status));
	}
	length = strlen(text);
	driver_text_cause(driver_fd, text + length, size - length);
}

/* ---- Limits --------------------------------------------------------------------------------- */

#define TICK_MS 200
#define READ_BYTES ((size_t)64 << 10)
/* A hang counts as several crashes, because it takes minutes. */
#define HANG_STALLS 10

/* ---- In the worker ------------------------------------------------------------------------- */

static enum pmpp_status send_event(int fd, const struct event *event, struct pmpp_error *error)
{
	char *line = NULL;
	enum pmpp_status status = record_write(&event_type, event, RECORD_ONE_LINE, &line, error);

	if (status == PMPP_OK && !file_write_all(fd, line, strlen(line)))
		_exit(1); /* the parent has ended */
	free(line);
	return status;
}

static void emit_fatal(int fd, const struct pmpp_error *error)
{
	struct event event = event_new(EVENT_FATAL, -1, NULL);
	struct pmpp_error other = PMPP_ERROR_INIT;

	error_record_set(&event.error, error);
	if (send_event(fd, &event, &other) != PMPP_OK)
		terminal_print(stdout, "pmpp-run: %s\n", error->message);
	fflush(stdout);
	pmpp_error_clear(&other);
	record_finish(&event_type, &event);
}

/* Stage of the task in `current`. */
enum stage {
	STAGE_NONE,
	STAGE_PREPARED, /* the worker opens the device of the task */
	STAGE_STARTED
};

struct supervisor {
	const struct job *job;
	const struct event_sink *sink;
	struct guard *guard;
	struct pmpp_error *error;

	pid_t pid;
	int fd;
	int driver_fd; /* the worker's stderr (driver_text_open()) */
	char *buffer;  /* bytes of an incomplete line; owned */
	size_t used, capacity;

	struct job_progress progress; /* of all workers; its lists are owned */
	bool progressed;              /* this worker finished a task */
	bool done;
	bool timed_out;
	enum pmpp_status status; /* of a fatal event, or of an event that cannot be read */
	struct event current;    /* event of the task in progress */
	enum stage stage;
	char doing[100]; /* text of this worker's last progress outside of a task; "" in a task */
	double limit_s, deadline_ns;

	/* If progress.unfenced: why a worker with buffers between unmapped pages ended in the task
	 * progress.skip. The task then runs once more, in a worker without these pages. */
	char fence_death[700];
	bool restart; /* the worker without these pages has done the task, or a kernel hung: replace it */

	size_t deaths; /* workers in a row that ended before they began a task */
	size_t stalls; /* tasks in a row that could not begin; see supervisor->job->limits.stalls */

	struct event place; /* EVENT_OPEN of the device in use; its label is NULL: none */
};

/* ---- In the worker ------------------------------------------------------------------------- */

/* An event that cannot be written ends the job, so that no result is lost without a message. */
static void emit_to_pipe(void *context, struct event *event)
{
	const struct supervisor *supervisor = context;
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (event->kind == EVENT_RESULT || event->kind == EVENT_PARITY ||
		event->kind == EVENT_EXPLANATION)
		driver_text_move(supervisor->driver_fd, &event->text);
	if (send_event(supervisor->fd, event, &error) == PMPP_OK)
		return;
	emit_fatal(supervisor->fd, &error);
	_exit(1);
}

/* Prepares a forked process for the job. fd: the end of the pipe for its events. */
static void become_worker(struct supervisor *supervisor, pid_t parent, int fd)
{
	os_end_with_parent(SIGKILL);
	if (getppid() != parent) /* the parent ended before that call */
		_exit(1);
	supervisor->fd = fd;
	os_name_process("pmpp-worker");
	setpgid(0, 0); /* the guard can kill the worker and its compilers together */
	guard_watch(supervisor->guard, getpid());
	guard_use_folder(supervisor->guard);
	stop_ignore(); /* the parent handles Ctrl-C; a closed stderr does not kill the worker */
	/* What kernels print must not mix with the table on stdout. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	driver_text_redirect(supervisor->driver_fd);
}

/* The process never returns to main(). */
static _Noreturn void end_worker(int fd, enum pmpp_status status, const struct pmpp_error *error)
{
	if (status != PMPP_OK)
		emit_fatal(fd, error);
	fflush(stdout);
	_exit(0);
}

/* ---- In the parent ------------------------------------------------------------------------- */

/* The time at which the worker counts as hung. */
static void set_deadline(struct supervisor *supervisor)
{
	double limit_s = supervisor->job->options->timeout_s;
	double between_s = supervisor->job->limits.between_s;

	if (supervisor->stage != STAGE_STARTED && limit_s < between_s)
		limit_s = between_s;
	supervisor->limit_s = limit_s;
	supervisor->deadline_ns = host_clock_ns() + 1e9 * limit_s;
}

/* Forks. *ret_worker: true in the worker, which executes the job. */
static enum pmpp_status supervisor_spawn(struct supervisor *supervisor, bool *ret_worker)
{
	pid_t parent = getpid();
	int ends[2];

	if (!os_pipe(ends))
		return PMPP_FAIL(supervisor->error, PMPP_INTERNAL, "pipe: %s", strerror(errno));
	fflush(NULL); /* otherwise the worker has a copy of the buffered text */
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		become_worker(supervisor, parent, ends[1]);
		*ret_worker = true;
		return PMPP_OK;
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return PMPP_FAIL(supervisor->error, PMPP_INTERNAL, "fork: %s", strerror(errno));
	}
	setpgid(pid, pid);                 /* also in the parent, to avoid a race */
	supervisor->progress.again = true; /* of the next worker */
	supervisor->pid = pid;
	supervisor->fd = ends[0];
	supervisor->used = 0;
	supervisor->progressed = supervisor->done = supervisor->timed_out = false;
	supervisor->restart = false;
	record_finish(&event_type, &supervisor->place);
	record_init(&event_type, &supervisor->place);
	supervisor->status = PMPP_OK;
	supervisor->doing[0] = '\0';
	set_deadline(supervisor);
	return PMPP_OK;
}

/* Kills the worker and its process group. Returns false if the worker does not end. */
static bool supervisor_reap(struct supervisor *supervisor, bool kill_it, int *ret_wait_status)
{
	pid_t pid = supervisor->pid;
	double end_s = supervisor->job->limits.end_s;
	bool ended = guard_end(pid, kill_it ? 0 : end_s, end_s);

	/* The group outlives its leader while a compiler runs. No other group gets its number
	 * before waitpid(). */
	kill(-pid, SIGKILL);
	if (ended) {
		guard_watch(supervisor->guard, 0);
		waitpid(pid, ret_wait_status, 0);
	}
	close(supervisor->fd);
	supervisor->fd = -1;
	supervisor->pid = 0;
	return ended;
}

/* Moves the event of the task in progress; NULL: no task is in progress. */
static void set_current(struct supervisor *supervisor, enum stage stage, struct event *event)
{
	record_finish(&event_type, &supervisor->current);
	supervisor->stage = stage;
	if (event)
		record_move(&event_type, event, &supervisor->current);
}

/* Sends an event that has only a text. */
static void emit_text(const struct event_sink *sink, enum event_kind kind, const char *text)
{
	struct event event = event_new(kind, -1, NULL);

	text_set(&event.text, text);
	event_emit(sink, &event);
}

/* No row follows that could keep the text of the driver. */
static void emit_driver_text(struct supervisor *supervisor)
{
	char *text = NULL;

	driver_text_move(supervisor->driver_fd, &text);
	if (text)
		emit_text(supervisor->sink, EVENT_DRIVER, text);
	free(text);
}

/* Keeps track of the device that the worker uses. The devices of `roofline` have no tasks: they are
 * done when their roofs arrive. */
static void take_place(struct supervisor *supervisor, const struct event *event)
{
	if (event->kind == EVENT_OPEN) {
		text_set(&supervisor->place.label, event->label);
		text_set(&supervisor->place.text, event->text);
	} else if (event->kind == EVENT_LOST ||
		   (event->kind == EVENT_DEVICE && supervisor->job->action == JOB_ROOFLINE)) {
		emit_driver_text(supervisor);
		text_list_add(&supervisor->progress.passed, event->label);
		supervisor->progressed = true;
		supervisor->deaths = 0;
	}
}

/* Judges a task that crashed between unmapped pages, and then ran without them. */
static void judge_fenced(struct supervisor *supervisor, struct event *event)
{
	char text[1000];

	if (!supervisor->progress.unfenced || event->kind != EVENT_RESULT)
		return;
	snprintf(text, sizeof text,
		"it accesses memory far outside its operands: %s between unmapped pages, but not "
		"without them",
		supervisor->fence_death);
	/* Another end, for example at the time limit, is what the row reports. */
	if (event->row.status == OUTCOME_OK || event->row.status == OUTCOME_FAILED)
		result_row_end(&event->row, OUTCOME_FAILED, text);
	supervisor->progress.unfenced = false;
	supervisor->restart = true;
}

/* An endless loop would take the time limit for each size: the next worker skips the other tasks of the kernel. */
static void note_hang(struct supervisor *supervisor, const struct event *event)
{
	char name[RUNNER_NAME_BYTES];

	if (event->kind != EVENT_RESULT || event->row.status != OUTCOME_TIMEOUT ||
		supervisor->job->options->own_count == 0)
		return;
	runner_kernel_name(&event->row, name);
	text_list_add(&supervisor->progress.hung, name);
	supervisor->restart = true;
}

/* Keeps track of the task that the worker runs; passes everything but EVENT_FATAL to the sink. */
static void take_event(struct supervisor *supervisor, struct event *event)
{
	int kind = event->kind;
	int64_t task = event->task;

	if (kind == EVENT_FATAL) {
		supervisor->status = (enum pmpp_status)event->error.status;
		error_record_get(&event->error, supervisor->error);
		return;
	}
	supervisor->done |= kind == EVENT_DONE;
	if (kind == EVENT_OPEN || kind == EVENT_PREPARE)
		supervisor->doing[0] = '\0';
	if (kind == EVENT_PROGRESS && supervisor->stage != STAGE_STARTED)
		snprintf(supervisor->doing, sizeof supervisor->doing, "%s",
			text_or_empty(event->text));
	take_place(supervisor, event);
	judge_fenced(supervisor, event);
	note_hang(supervisor, event);
	supervisor->sink->emit(supervisor->sink->context, event);
	if (kind == EVENT_PREPARE) {
		set_current(supervisor, STAGE_PREPARED, event);
	} else if (kind == EVENT_START) {
		supervisor->deaths = supervisor->stalls = 0;
		supervisor->doing[0] = '\0';
		set_current(supervisor, STAGE_STARTED, event);
		set_deadline(supervisor);
	} else if (task >= 0) {
		set_current(supervisor, STAGE_NONE, NULL);
		supervisor->progress.skip = (size_t)task + 1;
		supervisor->progressed = true;
	}
	if (supervisor->stage != STAGE_STARTED)
		set_deadline(supervisor);
}

static void take_line(struct supervisor *supervisor, const char *line, size_t length)
{
	struct event event;
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (record_read(&event_type, line, length, "worker", &event, &error) == PMPP_OK) {
		take_event(supervisor, &event);
		record_finish(&event_type, &event);
	} else {
		supervisor->status = PMPP_FAIL(supervisor->error, PMPP_INTERNAL,
			"an event cannot be read: %s", error.message);
	}
	pmpp_error_clear(&error);
}

static void take_lines(struct supervisor *supervisor)
{
	size_t start = 0;
	char *end;

	/* After `restart` the lines are of tasks that the next worker begins again. */
	while (supervisor->status == PMPP_OK && !supervisor->restart &&
		(end = memchr(supervisor->buffer + start, '\n', supervisor->used - start))) {
		size_t length = (size_t)(end - supervisor->buffer) - start;
		take_line(supervisor, supervisor->buffer + start, length);
		start += length + 1;
	}
	memmove(supervisor->buffer, supervisor->buffer + start, supervisor->used - start);
	supervisor->used -= start;
}

/* Reads once from the pipe. Returns false at the end of the pipe, or after an error that ends the
 * job. */
static bool read_some(struct supervisor *supervisor, enum pmpp_status *ret_status)
{
	if (supervisor->capacity - supervisor->used < READ_BYTES) {
		char *larger = realloc(supervisor->buffer, 2 * supervisor->capacity + READ_BYTES);
		if (!larger) {
			*ret_status = PMPP_NO_MEMORY(supervisor->error, "the worker's results");
			return false;
		}
		supervisor->buffer = larger;
		supervisor->capacity = 2 * supervisor->capacity + READ_BYTES;
	}
	ssize_t got = read(supervisor->fd, supervisor->buffer + supervisor->used, READ_BYTES);
	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0)
		return false;
	supervisor->used += (size_t)got;
	take_lines(supervisor);
	return supervisor->status == PMPP_OK;
}

/* Returns when the worker has sent its last event, has ended, or has passed its deadline. Also
 * returns when a signal has arrived. */
static enum pmpp_status supervisor_poll(struct supervisor *supervisor)
{
	enum pmpp_status status = PMPP_OK;

	while (!supervisor->done && !supervisor->restart) {
		int ready = os_wait_readable(supervisor->fd, TICK_MS, stop_mask());
		status = stop_check(supervisor->error);
		if (status != PMPP_OK)
			break;
		if (ready > 0 && !read_some(supervisor, &status))
			break;
		if (host_clock_ns() > supervisor->deadline_ns && !supervisor->done) {
			supervisor->timed_out = true;
			break;
		}
		if (ready == 0)
			supervisor->sink->tick(supervisor->sink->context);
	}
	return status;
}

/* ---- Rescue -------------------------------------------------------------------------------- */

/* Reports the task in progress, whose result is lost. */
static void end_current(
	struct supervisor *supervisor, enum outcome_status status, const char *reason)
{
	struct event event;

	record_move(&event_type, &supervisor->current, &event);
	driver_text_move(supervisor->driver_fd, &event.text);
	if (event.explanations.count) {
		event.kind = EVENT_EXPLANATION;
		explanation_record_end(&event.explanations.items[0], status, reason);
	} else {
		event.kind = EVENT_RESULT;
		result_row_end(&event.row, status, reason);
	}
	take_event(supervisor, &event);
	record_finish(&event_type, &event);
}

/* Whether the job may have several devices, or several views of one device. */
static bool has_several_devices(const struct job *job)
{
	return job->query.rule != DEVICE_RULE_ONE || device_word_is_all(job->query.backend) ||
	       device_word_is_all(job->query.device);
}

/* The job continues without the device in use, if it has others. */
static bool lose_device(struct supervisor *supervisor, const char *reason)
{
	const char *label = supervisor->place.label;

	if (!label || !has_several_devices(supervisor->job) ||
		text_list_has(&supervisor->progress.passed, label))
		return false;
	struct event event = event_new(EVENT_LOST, -1, label);
	event_set_lost(&event, supervisor->place.text, reason);
	take_event(supervisor, &event);
	record_finish(&event_type, &event);
	set_current(supervisor, STAGE_NONE, NULL);
	supervisor->deaths = supervisor->stalls = 0;
	return true;
}

/* The worker ended between two tasks, or before the first. The first time a new worker runs the
 * rest; the second time the row of the prepared task ends. */
static enum pmpp_status rescue_between(struct supervisor *supervisor, const char *what)
{
	bool timed_out = supervisor->timed_out;
	char text[800];

	supervisor->deaths++;
	if (supervisor->progressed || (supervisor->deaths < 2 && !timed_out)) {
		snprintf(text, sizeof text, "between variants: %s; a new worker runs the rest",
			what);
		emit_text(supervisor->sink, EVENT_NOTE, text);
		set_current(supervisor, STAGE_NONE, NULL);
		return PMPP_OK;
	}
	supervisor->stalls += timed_out ? HANG_STALLS : 1;
	if (supervisor->stage == STAGE_PREPARED &&
		supervisor->stalls < supervisor->job->limits.stalls) {
		snprintf(text, sizeof text, "before the variant began: %s", what);
		end_current(supervisor, timed_out ? OUTCOME_TIMEOUT : OUTCOME_CRASHED, text);
		supervisor->deaths = 0;
		return PMPP_OK;
	}
	if (lose_device(supervisor, what))
		return PMPP_OK;
	return PMPP_FAIL(supervisor->error, timed_out ? PMPP_TIMEOUT : PMPP_LAUNCH,
		"outside of any variant: %s", what);
}

/* Returns whether a signal that unmapped pages can cause ended the worker. If so, the next worker
 * runs the task without these pages. */
static bool try_unfenced(struct supervisor *supervisor, int wait_status, const char *text)
{
	if (supervisor->timed_out || !supervisor->current.fenced || supervisor->progress.unfenced ||
		!WIFSIGNALED(wait_status) ||
		(WTERMSIG(wait_status) != SIGSEGV && WTERMSIG(wait_status) != SIGBUS))
		return false;
	snprintf(supervisor->fence_death, sizeof supervisor->fence_death, "%s", text);
	supervisor->progress.unfenced = true;
	set_current(supervisor, STAGE_NONE, NULL);
	return true;
}

/* A worker ended before the job was complete. PMPP_OK: a new worker can run the tasks that are
 * left. */
static enum pmpp_status rescue(struct supervisor *supervisor, int wait_status)
{
	char text[700];

	/* A device that failed under a variant works again in a new process. */
	if (supervisor->status == PMPP_UNAVAILABLE && supervisor->progressed) {
		pmpp_error_clear(supervisor->error);
		set_current(supervisor, STAGE_NONE, NULL);
		return PMPP_OK;
	}
	/* The device failed twice with one variant. Later tasks may have another device. */
	if (supervisor->status == PMPP_UNAVAILABLE && supervisor->stage == STAGE_STARTED &&
		has_several_devices(supervisor->job)) {
		end_current(supervisor, OUTCOME_LAUNCH_ERROR, supervisor->error->message);
		pmpp_error_clear(supervisor->error);
		return PMPP_OK;
	}
	if (supervisor->status != PMPP_OK)
		return supervisor->status;
	if (supervisor->timed_out)
		snprintf(text, sizeof text, "no end after %g s%s%s", supervisor->limit_s,
			supervisor->doing[0] ? ", " : "", supervisor->doing);
	else
		death_describe(wait_status, supervisor->current.text, supervisor->driver_fd, text,
			sizeof text);
	if (supervisor->stage != STAGE_STARTED)
		return rescue_between(supervisor, text);
	if (try_unfenced(supervisor, wait_status, text))
		return PMPP_OK;
	/* The sizes of --like are those of another device. */
	if (supervisor->timed_out && supervisor->job->options->like)
		end_current(supervisor, OUTCOME_SKIPPED,
			"its check and times take longer than --timeout: raise it");
	else
		end_current(supervisor, supervisor->timed_out ? OUTCOME_TIMEOUT : OUTCOME_CRASHED,
			text);
	return PMPP_OK;
}

/* A worker that does not end after SIGKILL waits in its driver. No new worker is started. */
static enum pmpp_status give_up(struct supervisor *supervisor, pid_t pid, enum pmpp_status status)
{
	char text[200];

	if (status == PMPP_OK)
		status = supervisor->status;
	snprintf(text, sizeof text,
		"the worker (process %d) has not ended %g s after SIGKILL: its driver hangs; "
		"reset the device, or restart the machine",
		(int)pid, supervisor->job->limits.end_s);
	if (supervisor->stage == STAGE_STARTED && supervisor->timed_out)
		end_current(supervisor, OUTCOME_TIMEOUT, text);
	if (status == PMPP_OK)
		return PMPP_FAIL(supervisor->error, PMPP_TIMEOUT, "%s", text);
	emit_text(supervisor->sink, EVENT_NOTE, text);
	return status;
}

/* Forks workers until the job is complete. Returns true in a worker, which executes the job, and
 * false in the parent, after the last worker. */
static bool supervise(struct supervisor *supervisor, enum pmpp_status *ret_status)
{
	enum pmpp_status status;
	bool is_worker = false;

	do {
		int wait_status = 0;
		status = supervisor_spawn(supervisor, &is_worker);
		if (is_worker)
			return true;
		if (status != PMPP_OK)
			break;
		pid_t pid = supervisor->pid;
		status = supervisor_poll(supervisor);
		bool kill_it = status != PMPP_OK || supervisor->status != PMPP_OK ||
			       supervisor->timed_out || supervisor->restart;
		if (!supervisor_reap(supervisor, kill_it, &wait_status))
			status = give_up(supervisor, pid, status);
		else if (status == PMPP_OK && !supervisor->done && !supervisor->restart)
			status = rescue(supervisor, wait_status);
	} while (status == PMPP_OK && !supervisor->done);
	emit_driver_text(supervisor);
	*ret_status = status;
	return false;
}

static void supervisor_finish(struct supervisor *supervisor)
{
	set_current(supervisor, STAGE_NONE, NULL);
	record_finish(&event_type, &supervisor->place);
	text_list_finish(&supervisor->progress.passed);
	text_list_finish(&supervisor->progress.hung);
	free(supervisor->buffer);
}

/* ---- Public -------------------------------------------------------------------------------- */

enum pmpp_status worker_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error)
{
	bool isolated = !job->options->no_isolate;
	struct supervisor supervisor = {.job = job, .sink = sink, .error = error, .fd = -1};
	struct own_output output = {.sink = sink};
	const struct event_sink pipe = {.emit = emit_to_pipe, .context = &supervisor};
	const struct event_sink here = {.emit = emit_here, .context = &output};
	enum pmpp_status status = guard_create(&supervisor.guard, error);

	if (status != PMPP_OK)
		return status;
	supervisor.driver_fd = supervisor.guard->driver_fd;
	if (!isolated) {
		guard_use_folder(supervisor.guard);
		begin_here(&output);
	}
	if (!isolated || supervise(&supervisor, &status)) {
		status = job_execute(job, &supervisor.progress, isolated ? &pipe : &here, error);
		if (isolated)
			end_worker(supervisor.fd, status, error);
		end_here(&output);
	}
	supervisor_finish(&supervisor);
	guard_destroy(&supervisor.guard);
	return status;
}
