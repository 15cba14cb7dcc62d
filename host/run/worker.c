#include "host/run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/results/encode.h"

#define TICK_MS 200
/* Between variants drivers start and roofs are measured, which no --timeout means. */
#define LEAST_START_S 120
#define READ_BYTES ((size_t)64 << 10)

static volatile sig_atomic_t stop_requested;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- In the worker ------------------------------------------------------------------------- */

static void write_line(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t written = write(fd, text, left);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return; /* the other end is gone, and so will be this process */
		text += written;
		left -= (size_t)written;
	}
}

static void emit_to_pipe(void *context, json_t *event)
{
	int fd = *(int *)context;
	char *line = json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(17));

	if (!line)
		return;
	write_line(fd, line);
	write_line(fd, "\n");
	free(line);
}

static void emit_fatal(int fd, enum pmpp_status status, const struct pmpp_error *error)
{
	json_t *log = error->log ? json_string(error->log) : NULL;
	json_t *event = json_pack("{s:s, s:i, s:s, s:o*}", "event", "fatal", "status", (int)status,
		"message", error->message, "log", log);

	emit_to_pipe(&fd, event);
	json_decref(event);
}

/* What a forked process does; it never returns to main. */
static _Noreturn void be_worker(const struct job *job, size_t skip, int fd)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct event_sink sink = {emit_to_pipe, &fd};

	setpgid(0, 0); /* so that the compilers it starts can be killed with it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The terminal's Ctrl-C is the parent's affair; a closed pipe means that it is gone. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	/* Drivers that print must not get between the table's rows. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	enum pmpp_status status = job_execute(job, skip, &sink, &stop_requested, &error);
	if (status != PMPP_OK)
		emit_fatal(fd, status, &error);
	pmpp_error_clear(&error);
	_exit(0);
}

/* ---- In the parent ------------------------------------------------------------------------- */

struct watch {
	const struct job *job;
	const struct event_sink *sink;
	struct pmpp_error *error;

	pid_t pid;
	int fd;
	char *buffer; /* bytes of a line not yet ended; owned */
	size_t used, capacity;

	size_t skip;     /* tasks that are done */
	bool progressed; /* this worker finished a task */
	bool done;
	bool timed_out;
	enum pmpp_status status; /* of a fatal event */
	json_t *current;         /* start event of the task in progress; NULL = between tasks */
	double deadline_s;
};

/* From now until the worker is taken for hung. */
static void set_deadline(struct watch *watch)
{
	double timeout_s = watch->job->options->timeout_s;

	if (!watch->current && timeout_s < LEAST_START_S)
		timeout_s = LEAST_START_S;
	watch->deadline_s = now_s() + timeout_s;
}

static enum pmpp_status watch_spawn(struct watch *watch)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return PMPP_FAIL(watch->error, PMPP_INTERNAL, "pipe: %s", strerror(errno));
	fflush(NULL); /* or the worker would hold a copy of what is not yet written */
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		be_worker(watch->job, watch->skip, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return PMPP_FAIL(watch->error, PMPP_INTERNAL, "fork: %s", strerror(errno));
	}
	setpgid(pid, pid); /* here too: whoever comes first */
	watch->pid = pid;
	watch->fd = ends[0];
	watch->used = 0;
	watch->progressed = watch->done = watch->timed_out = false;
	watch->status = PMPP_OK;
	set_deadline(watch);
	return PMPP_OK;
}

/* The worker and all it started; returns its wait status. */
static int watch_reap(struct watch *watch, bool kill_it)
{
	int wait_status = 0;

	if (kill_it)
		kill(watch->pid, SIGKILL);
	/* The group outlives its leader while a compiler runs. */
	while (waitpid(watch->pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	kill(-watch->pid, SIGKILL);
	close(watch->fd);
	watch->fd = -1;
	watch->pid = 0;
	return wait_status;
}

static void set_current(struct watch *watch, json_t *start)
{
	json_decref(watch->current);
	watch->current = json_incref(start);
}

static void take_fatal(struct watch *watch, json_t *event)
{
	const char *message = json_string_value(json_object_get(event, "message"));
	const char *log = json_string_value(json_object_get(event, "log"));

	watch->status = (enum pmpp_status)json_integer_value(json_object_get(event, "status"));
	pmpp_error_set(watch->error, watch->status, __FILE__, __LINE__, "%s", message);
	watch->error->log = log ? strdup(log) : NULL;
}

/* Keeps track of what the worker is at; everything but `fatal` goes on to the sink. */
static void take_event(struct watch *watch, json_t *event)
{
	const char *kind = json_string_value(json_object_get(event, "event"));
	json_t *task = json_object_get(event, "task");

	if (!kind)
		return;
	if (strcmp(kind, "fatal") == 0) {
		take_fatal(watch, event);
		return;
	}
	if (strcmp(kind, "start") == 0) {
		set_current(watch, event);
		set_deadline(watch);
	} else if (task) {
		set_current(watch, NULL);
		watch->skip = (size_t)json_integer_value(task) + 1;
		watch->progressed = true;
	}
	if (!watch->current)
		set_deadline(watch);
	watch->done |= strcmp(kind, "done") == 0;
	watch->sink->emit(watch->sink->context, event);
}

static void take_lines(struct watch *watch)
{
	size_t start = 0;
	char *end;

	while ((end = memchr(watch->buffer + start, '\n', watch->used - start))) {
		size_t length = (size_t)(end - watch->buffer) - start;
		json_t *event = json_loadb(watch->buffer + start, length, 0, NULL);
		take_event(watch, event);
		json_decref(event);
		start += length + 1;
	}
	memmove(watch->buffer, watch->buffer + start, watch->used - start);
	watch->used -= start;
}

/* One read; false at the end of the pipe. */
static bool read_some(struct watch *watch, enum pmpp_status *ret_status)
{
	if (watch->capacity - watch->used < READ_BYTES) {
		char *larger = realloc(watch->buffer, 2 * watch->capacity + READ_BYTES);
		if (!larger) {
			*ret_status = PMPP_FAIL(watch->error, PMPP_OUT_OF_MEMORY,
				"no memory for the worker's results");
			return false;
		}
		watch->buffer = larger;
		watch->capacity = 2 * watch->capacity + READ_BYTES;
	}
	ssize_t got = read(watch->fd, watch->buffer + watch->used, READ_BYTES);
	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0)
		return false;
	watch->used += (size_t)got;
	take_lines(watch);
	return true;
}

/* Until the worker is through, too slow, or not wanted any more. */
static enum pmpp_status watch_events(struct watch *watch, const sigset_t *waiting)
{
	enum pmpp_status status = PMPP_OK;
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
	struct pollfd source = {.fd = watch->fd, .events = POLLIN};
	json_t *tick_event = json_pack("{s:s}", "event", "tick");

	for (;;) {
		int ready = ppoll(&source, 1, &tick, waiting);
		if (stop_requested) {
			status = PMPP_FAIL(watch->error, PMPP_INTERRUPTED, "interrupted");
			break;
		}
		if (ready > 0 && !read_some(watch, &status))
			break;
		if (ready == 0 && now_s() > watch->deadline_s) {
			watch->timed_out = true;
			break;
		}
		if (ready == 0 && tick_event)
			watch->sink->emit(watch->sink->context, tick_event);
	}
	json_decref(tick_event);
	return status;
}

/* ---- Rescue -------------------------------------------------------------------------------- */

static void describe_death(int wait_status, char *text, size_t size)
{
	if (WIFSIGNALED(wait_status)) {
		const char *name = sigabbrev_np(WTERMSIG(wait_status));
		snprintf(text, size, "the worker died of SIG%s (%s)", name ? name : "?",
			strsignal(WTERMSIG(wait_status)));
	} else {
		snprintf(text, size, "the worker left with exit status %d",
			WEXITSTATUS(wait_status));
	}
}

/* The row of the task in progress, which will not come any more. */
static void end_current(struct watch *watch, enum outcome_status status, const char *reason)
{
	json_t *row = json_copy(json_object_get(watch->current, "row"));
	json_t *event;

	encode_row_ending(row, status, reason);
	event = json_pack("{s:s, s:O, s:O, s:o}", "event", "result", "task",
		json_object_get(watch->current, "task"), "label",
		json_object_get(watch->current, "label"), "row", row);
	take_event(watch, event);
	json_decref(event);
}

/* After a worker ended before it was done: PMPP_OK when another can go on behind it. */
static enum pmpp_status rescue(struct watch *watch, int wait_status)
{
	char text[200];

	/* A device that a variant took down serves a new process again. */
	if (watch->status == PMPP_UNAVAILABLE && watch->progressed) {
		pmpp_error_clear(watch->error);
		set_current(watch, NULL);
		return PMPP_OK;
	}
	if (watch->status != PMPP_OK)
		return watch->status;
	if (watch->timed_out)
		snprintf(text, sizeof text, "no end after %g s", watch->job->options->timeout_s);
	else
		describe_death(wait_status, text, sizeof text);
	if (watch->current) {
		end_current(watch, watch->timed_out ? OUTCOME_TIMEOUT : OUTCOME_CRASHED, text);
		return PMPP_OK;
	}
	return PMPP_FAIL(watch->error, watch->timed_out ? PMPP_TIMEOUT : PMPP_LAUNCH,
		"outside of any variant: %s", text);
}

static enum pmpp_status run_isolated(const struct job *job, const struct event_sink *sink,
	const sigset_t *waiting, struct pmpp_error *error)
{
	struct watch watch = {.job = job, .sink = sink, .error = error, .fd = -1};
	enum pmpp_status status;

	do {
		status = watch_spawn(&watch);
		if (status != PMPP_OK)
			break;
		status = watch_events(&watch, waiting);
		int wait_status = watch_reap(&watch, status != PMPP_OK || watch.timed_out);
		if (status == PMPP_OK && !watch.done)
			status = rescue(&watch, wait_status);
	} while (status == PMPP_OK && !watch.done);
	set_current(&watch, NULL);
	free(watch.buffer);
	return status;
}

/* ---- Signals ------------------------------------------------------------------------------- */

static void request_stop(int signal_number)
{
	(void)signal_number;
	stop_requested = 1;
}

enum pmpp_status worker_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error)
{
	/* Once: a second Ctrl-C ends the process at once. */
	const struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESETHAND};
	struct sigaction old_int, old_term;
	sigset_t blocked, waiting;
	enum pmpp_status status;

	stop_requested = 0;
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	if (job->options->no_isolate) {
		status = job_execute(job, 0, sink, &stop_requested, error);
	} else {
		/* Delivered inside ppoll only, so that none slips in between test and wait. */
		sigemptyset(&blocked);
		sigaddset(&blocked, SIGINT);
		sigaddset(&blocked, SIGTERM);
		sigprocmask(SIG_BLOCK, &blocked, &waiting);
		status = run_isolated(job, sink, &waiting, error);
		sigprocmask(SIG_SETMASK, &waiting, NULL);
	}
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	return status;
}
