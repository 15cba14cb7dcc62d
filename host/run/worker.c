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

#include "host/record/json.h"
#include "host/run/execute.h"

#define TICK_MS 200
/* Driver start and roof measurement happen between variants and are not subject to --timeout. */
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
			return; /* the parent has ended, and this process ends too */
		text += written;
		left -= (size_t)written;
	}
}

static enum pmpp_status send_event(int fd, const struct event *event, struct pmpp_error *error)
{
	char *line = NULL;
	enum pmpp_status status = record_write(&event_type, event, RECORD_ONE_LINE, &line, error);

	if (status == PMPP_OK)
		write_line(fd, line);
	free(line);
	return status;
}

static void emit_fatal(int fd, const struct pmpp_error *error)
{
	struct event event;
	struct pmpp_error other = PMPP_ERROR_INIT;

	record_init(&event_type, &event);
	event.kind = EVENT_FATAL;
	error_record_set(&event.error, error);
	if (send_event(fd, &event, &other) != PMPP_OK)
		fprintf(stderr, "pmpp-run: %s\n", error->message);
	pmpp_error_clear(&other);
	record_finish(&event_type, &event);
}

/* An event that cannot be written ends the job: no result gets lost in silence. */
static void emit_to_pipe(void *context, struct event *event)
{
	int fd = *(int *)context;
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (send_event(fd, event, &error) == PMPP_OK)
		return;
	emit_fatal(fd, &error);
	_exit(1);
}

/* What a forked process does; it never returns to main. */
static _Noreturn void be_worker(const struct job *job, size_t skip, int fd)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct event_sink sink = {.emit = emit_to_pipe, .context = &fd};

	setpgid(0, 0); /* so that the compilers it starts can be killed with it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent handles Ctrl-C. A closed pipe means that the parent has ended. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	/* The output of drivers must not mix with the table on stdout. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	enum pmpp_status status = job_execute(job, skip, &sink, &stop_requested, &error);
	if (status != PMPP_OK)
		emit_fatal(fd, &error);
	pmpp_error_clear(&error);
	_exit(0);
}

/* ---- In the parent ------------------------------------------------------------------------- */

struct supervisor {
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
	enum pmpp_status status; /* of a fatal event, or of one that cannot be read */
	struct event current;    /* start event of the task in progress */
	bool busy;               /* a task is in progress */
	double deadline_s;
};

/* The time at which the worker counts as hung. */
static void set_deadline(struct supervisor *supervisor)
{
	double timeout_s = supervisor->job->options->timeout_s;

	if (!supervisor->busy && timeout_s < LEAST_START_S)
		timeout_s = LEAST_START_S;
	supervisor->deadline_s = now_s() + timeout_s;
}

static enum pmpp_status supervisor_spawn(struct supervisor *supervisor)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return PMPP_FAIL(supervisor->error, PMPP_INTERNAL, "pipe: %s", strerror(errno));
	fflush(NULL); /* else the worker would write a copy of the buffered text */
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		be_worker(supervisor->job, supervisor->skip, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return PMPP_FAIL(supervisor->error, PMPP_INTERNAL, "fork: %s", strerror(errno));
	}
	setpgid(pid, pid); /* also in the parent, to avoid a race */
	supervisor->pid = pid;
	supervisor->fd = ends[0];
	supervisor->used = 0;
	supervisor->progressed = supervisor->done = supervisor->timed_out = false;
	supervisor->status = PMPP_OK;
	set_deadline(supervisor);
	return PMPP_OK;
}

/* The worker and all it started; returns its wait status. */
static int supervisor_reap(struct supervisor *supervisor, bool kill_it)
{
	int wait_status = 0;

	if (kill_it)
		kill(supervisor->pid, SIGKILL);
	/* The group outlives its leader while a compiler runs. */
	while (waitpid(supervisor->pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	kill(-supervisor->pid, SIGKILL);
	close(supervisor->fd);
	supervisor->fd = -1;
	supervisor->pid = 0;
	return wait_status;
}

/* Moves the start event of the task in progress; NULL: no task is in progress. */
static void set_current(struct supervisor *supervisor, struct event *start)
{
	record_finish(&event_type, &supervisor->current);
	supervisor->busy = start != NULL;
	if (start)
		record_move(&event_type, start, &supervisor->current);
}

/* Keeps track of the task that the worker runs; passes everything but EVENT_FATAL to the sink. */
static void take_event(struct supervisor *supervisor, struct event *event)
{
	bool starts = event->kind == EVENT_START;
	int64_t task = event->task;

	if (event->kind == EVENT_FATAL) {
		supervisor->status = (enum pmpp_status)event->error.status;
		error_record_get(&event->error, supervisor->error);
		return;
	}
	supervisor->done |= event->kind == EVENT_DONE;
	supervisor->sink->emit(supervisor->sink->context, event);
	if (starts) {
		set_current(supervisor, event);
		set_deadline(supervisor);
	} else if (task >= 0) {
		set_current(supervisor, NULL);
		supervisor->skip = (size_t)task + 1;
		supervisor->progressed = true;
	}
	if (!supervisor->busy)
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

	while (supervisor->status == PMPP_OK &&
		(end = memchr(supervisor->buffer + start, '\n', supervisor->used - start))) {
		size_t length = (size_t)(end - supervisor->buffer) - start;
		take_line(supervisor, supervisor->buffer + start, length);
		start += length + 1;
	}
	memmove(supervisor->buffer, supervisor->buffer + start, supervisor->used - start);
	supervisor->used -= start;
}

/* One read; false at the end of the pipe, and after what the job cannot go on from. */
static bool read_some(struct supervisor *supervisor, enum pmpp_status *ret_status)
{
	if (supervisor->capacity - supervisor->used < READ_BYTES) {
		char *larger = realloc(supervisor->buffer, 2 * supervisor->capacity + READ_BYTES);
		if (!larger) {
			*ret_status = PMPP_FAIL(supervisor->error, PMPP_OUT_OF_MEMORY,
				"no memory for the worker's results");
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

/* Returns when the worker has ended, is over its deadline, or the user has interrupted. */
static enum pmpp_status supervisor_poll(struct supervisor *supervisor, const sigset_t *waiting)
{
	enum pmpp_status status = PMPP_OK;
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
	struct pollfd source = {.fd = supervisor->fd, .events = POLLIN};

	for (;;) {
		int ready = ppoll(&source, 1, &tick, waiting);
		if (stop_requested) {
			status = PMPP_FAIL(supervisor->error, PMPP_INTERRUPTED, "interrupted");
			break;
		}
		if (ready > 0 && !read_some(supervisor, &status))
			break;
		if (ready == 0 && now_s() > supervisor->deadline_s) {
			supervisor->timed_out = true;
			break;
		}
		if (ready == 0)
			supervisor->sink->tick(supervisor->sink->context);
	}
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

/* Reports the task in progress, whose result is lost. */
static void end_current(
	struct supervisor *supervisor, enum outcome_status status, const char *reason)
{
	struct event event;

	record_move(&event_type, &supervisor->current, &event);
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

/* A worker ended before the job was complete. PMPP_OK: a new worker can run the tasks that are
 * left. */
static enum pmpp_status rescue(struct supervisor *supervisor, int wait_status)
{
	char text[200];

	/* A device that failed under a variant works again in a new process. */
	if (supervisor->status == PMPP_UNAVAILABLE && supervisor->progressed) {
		pmpp_error_clear(supervisor->error);
		set_current(supervisor, NULL);
		return PMPP_OK;
	}
	if (supervisor->status != PMPP_OK)
		return supervisor->status;
	if (supervisor->timed_out)
		snprintf(text, sizeof text, "no end after %g s",
			supervisor->job->options->timeout_s);
	else
		describe_death(wait_status, text, sizeof text);
	if (supervisor->busy) {
		end_current(supervisor, supervisor->timed_out ? OUTCOME_TIMEOUT : OUTCOME_CRASHED,
			text);
		return PMPP_OK;
	}
	return PMPP_FAIL(supervisor->error, supervisor->timed_out ? PMPP_TIMEOUT : PMPP_LAUNCH,
		"outside of any variant: %s", text);
}

static enum pmpp_status run_isolated(const struct job *job, const struct event_sink *sink,
	const sigset_t *waiting, struct pmpp_error *error)
{
	struct supervisor supervisor = {.job = job, .sink = sink, .error = error, .fd = -1};
	enum pmpp_status status;

	do {
		status = supervisor_spawn(&supervisor);
		if (status != PMPP_OK)
			break;
		status = supervisor_poll(&supervisor, waiting);
		bool kill_it =
			status != PMPP_OK || supervisor.status != PMPP_OK || supervisor.timed_out;
		int wait_status = supervisor_reap(&supervisor, kill_it);
		if (status == PMPP_OK && !supervisor.done)
			status = rescue(&supervisor, wait_status);
	} while (status == PMPP_OK && !supervisor.done);
	set_current(&supervisor, NULL);
	free(supervisor.buffer);
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
	/* Handled once: a second Ctrl-C kills the process. */
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
		/* Signals are delivered only inside ppoll(), so none is lost between test and wait.
		 */
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
