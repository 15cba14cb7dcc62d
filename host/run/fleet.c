#include "host/run/fleet.h"

#include "host/io/os_channel.h"
#include "host/io/os_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/run/fleet_config.h"

#define AGENT_NAME "pmpp-fleet-agent"

/* ---- Agent --------------------------------------------------------------------------------- */

/* The agent is in the folder of this program, or in PMPP_LIBEXECDIR. */
static bool find_program(char ret_path[PATH_MAX])
{
	char *name = os_program_path(ret_path) ? strrchr(ret_path, '/') + 1 : NULL;

	if (name && (size_t)(ret_path + PATH_MAX - name) >= sizeof AGENT_NAME) {
		strcpy(name, AGENT_NAME);
		if (access(ret_path, X_OK) == 0)
			return true;
	}
	snprintf(ret_path, PATH_MAX, "%s/" AGENT_NAME, PMPP_LIBEXECDIR);
	return access(ret_path, X_OK) == 0;
}

bool fleet_find_agent(char *ret_text, size_t size)
{
	char path[PATH_MAX];
	bool found = *PMPP_MPI && find_program(path);

	if (found)
		snprintf(ret_text, size, "%s, %s", PMPP_MPI, path);
	else if (*PMPP_MPI)
		snprintf(ret_text, size,
			AGENT_NAME " is not in the folder of pmpp-run, and not in " PMPP_LIBEXECDIR
				   ": build all of the program (ninja program), or install it");
	else
		snprintf(ret_text, size, "%s", PMPP_MPI_MISSING);
	return found;
}

/* Replaces this process, which mpirun started, by the agent. Returns on failure only. */
static enum pmpp_status become_agent(const char *path, int fd, pid_t job, struct pmpp_error *error)
{
	char fd_text[16], pid_text[16];
	int failed;

	snprintf(fd_text, sizeof fd_text, "%d", fd);
	snprintf(pid_text, sizeof pid_text, "%d", (int)job);
	fcntl(fd, F_SETFD, 0);
	execl(path, AGENT_NAME, fd_text, pid_text, (char *)NULL);
	failed = errno;
	kill(job, SIGKILL);
	waitpid(job, NULL, 0);
	return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s: %s", path, strerror(failed));
}

static enum pmpp_status mpi_ended(struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_UNAVAILABLE,
		"MPI ended before all ranks had started: see the messages of mpirun");
}

enum pmpp_status fleet_create(struct fleet **ret_fleet, struct pmpp_error *error)
{
	char path[PATH_MAX], reason[PATH_MAX + 200];
	struct fleet *fleet;
	int ends[2];

	if (!fleet_find_agent(reason, sizeof reason))
		return PMPP_FAIL(error, PMPP_USAGE, "--fleet needs MPI: %s", reason);
	find_program(path);
	fleet = calloc(1, sizeof *fleet);
	if (!fleet)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the fleet");
	if (!os_stream_pair(ends)) {
		free(fleet);
		return PMPP_FAIL(error, PMPP_INTERNAL, "socketpair: %s", strerror(errno));
	}
	fflush(NULL); /* otherwise both processes write the buffered text */
	pid_t job = fork();
	fleet->fd = ends[job != 0];
	fleet->lock = -1;
	close(ends[job == 0]);
	if (job != 0) {
		enum pmpp_status status =
			job > 0 ? become_agent(path, fleet->fd, job, error)
				: PMPP_FAIL(error, PMPP_INTERNAL, "fork: %s", strerror(errno));
		fleet_destroy(&fleet);
		return status;
	}
	setsid();
	gethostname(fleet->host_name, sizeof fleet->host_name - 1);
	if (!fleet_wire_receive(fleet->fd, &fleet->hello, sizeof fleet->hello)) {
		fleet_destroy(&fleet);
		return mpi_ended(error);
	}
	*ret_fleet = fleet;
	return PMPP_OK;
}

void fleet_destroy(struct fleet **fleet)
{
	if (!*fleet)
		return;
	if ((*fleet)->fd >= 0)
		close((*fleet)->fd);
	if ((*fleet)->lock >= 0)
		close((*fleet)->lock);
	free(*fleet);
	*fleet = NULL;
}

/* ---- Messages ------------------------------------------------------------------------------ */

void fleet_texts_finish(struct fleet_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
	free(texts->lengths);
	*texts = (struct fleet_texts){0};
}

/* false: the agent has ended. */
static bool receive_length(struct fleet *fleet, int64_t *ret_length)
{
	do {
		if (!fleet_wire_receive(fleet->fd, ret_length, sizeof *ret_length))
			return false;
		fleet->noticed |= *ret_length == FLEET_NOTICE;
	} while (*ret_length == FLEET_NOTICE);
	return true;
}

static bool receive_texts(struct fleet *fleet, struct fleet_texts *texts)
{
	for (; texts->count < (size_t)fleet->hello.ranks; texts->count++) {
		int64_t length = -1;
		if (!receive_length(fleet, &length))
			return false;
		texts->lengths[texts->count] = length;
		if (length < 0)
			continue;
		char *text = calloc(1, (size_t)length + 1);
		texts->items[texts->count] = text;
		if (!text || !fleet_wire_receive(fleet->fd, text, (size_t)length)) {
			texts->count++;
			return false;
		}
	}
	return true;
}

enum pmpp_status fleet_exchange(struct fleet *fleet, const char *text,
	struct fleet_texts *ret_texts, struct pmpp_error *error)
{
	struct fleet_texts texts = {0};
	int64_t length = (int64_t)strlen(text);
	bool good = fleet->fd >= 0;

	texts.items = calloc((size_t)fleet->hello.ranks, sizeof *texts.items);
	texts.lengths = calloc((size_t)fleet->hello.ranks, sizeof *texts.lengths);
	if (!texts.items || !texts.lengths) {
		fleet_texts_finish(&texts);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the fleet");
	}
	good = good && fleet_wire_send(fleet->fd, &length, sizeof length) &&
	       fleet_wire_send(fleet->fd, text, (size_t)length);
	/* Messages are read also if the agent has ended: its notice may be in the socket. */
	if (fleet->fd >= 0)
		good = receive_texts(fleet, &texts) && good;
	if (!good) {
		fleet_texts_finish(&texts);
		if (fleet->fd >= 0)
			close(fleet->fd);
		fleet->fd = -1;
		return mpi_ended(error);
	}
	*ret_texts = texts;
	return PMPP_OK;
}

/* ---- Folder -------------------------------------------------------------------------------- */

static enum pmpp_status make_folder(const char *folder, struct pmpp_error *error)
{
	struct stat info;

	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return PMPP_FAIL(error, PMPP_IO, "%s: %s", folder, strerror(errno));
	/* Another user may have made the folder. */
	if (lstat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
		(info.st_mode & 077))
		return PMPP_FAIL(error, PMPP_IO, "%s is not a private folder: remove it", folder);
	return PMPP_OK;
}

enum pmpp_status fleet_join(struct fleet *fleet, const char *id, struct pmpp_error *error)
{
	const char *base = getenv("TMPDIR");
	char folder[PATH_MAX], path[PATH_MAX + 32];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	snprintf(folder, sizeof folder, "%s/pmpp-fleet-%s", base && *base ? base : "/tmp", id);
	enum pmpp_status status = make_folder(folder, error);
	if (status != PMPP_OK)
		return status;
	snprintf(path, sizeof path, "%s/%lld.lock", folder, (long long)fleet->hello.rank);
	/* Locks of fcntl() are not inherited: they end with this process, whatever its workers do.
	 */
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0) {
		status = PMPP_FAIL(error, PMPP_IO, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return status;
	}
	fleet->lock = fd;
	memcpy(fleet->folder, folder, sizeof folder);
	return PMPP_OK;
}

/* ---- Paths --------------------------------------------------------------------------------- */

void fleet_path(const char *path, int64_t rank, char *ret_path, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);

	snprintf(ret_path, size, "%.*s.rank%lld%s", (int)stem, path, (long long)rank, path + stem);
}
