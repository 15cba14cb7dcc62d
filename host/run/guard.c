#include "host/run/guard.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/io/clock.h"
#include "host/io/os_channel.h"
#include "host/io/os_process.h"
#include "host/record/record.h"
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

void driver_text_redirect(int fd)
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

void driver_text_move(int fd, char **text)
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

void driver_text_cause(int fd, char *target, size_t size)
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

/* A killed process may still create a file, and a file system may be slow. */
#define REMOVE_LIMIT_S 10
/* How often the guard limits the text of drivers. */
#define TICK_MS 100
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
		while (driver_fd >= 0 && os_wait_readable(STDIN_FILENO, TICK_MS, NULL) == 0)
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

enum pmpp_status guard_create(struct guard **ret_guard, struct pmpp_error *error)
{
	struct guard *guard = calloc(1, sizeof *guard);
	const char *tmpdir = getenv("TMPDIR");
	int ends[2];

	if (!guard)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the job");
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

void guard_destroy(struct guard **guard)
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

int guard_driver_fd(const struct guard *guard)
{
	return guard->driver_fd;
}

void guard_watch(const struct guard *guard, pid_t group)
{
	while (send(guard->fd, &group, sizeof group, OS_SEND_QUIETLY) < 0 && errno == EINTR)
		;
}

void guard_use_folder(struct guard *guard)
{
	if (!*guard->folder)
		return;
	guard->uses_folder = setenv("TMPDIR", guard->folder, 1) == 0;
}
