#include "host/io/os.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/sysctl.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- Processes ------------------------------------------------------------------------------- */

bool os_program_path(char ret_path[PATH_MAX])
{
	char path[PATH_MAX];
	uint32_t size = sizeof path;

	return _NSGetExecutablePath(path, &size) == 0 && realpath(path, ret_path);
}

void os_end_with_parent(int signal_number)
{
	(void)signal_number;
}

void os_name_process(const char *name)
{
	(void)name;
}

const char *os_signal_name(int number)
{
	static char name[16];
	size_t i = 0;

	if (number < 1 || number >= NSIG)
		return "?";
	/* The names of the system are in lower case. */
	for (; sys_signame[number][i] && i + 1 < sizeof name; i++)
		name[i] = (char)toupper((unsigned char)sys_signame[number][i]);
	name[i] = '\0';
	return name;
}

void os_close_from(int first)
{
	long count = sysconf(_SC_OPEN_MAX);

	for (int fd = first; fd < count; fd++)
		close(fd);
}

/* ---- Machine --------------------------------------------------------------------------------- */

size_t os_usable_processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : (size_t)count;
}

void os_run_on_all_processors(void (*run)(void *context), void *context)
{
	run(context);
}

void os_processor_name(char *ret_text, size_t size)
{
	if (sysctlbyname("machdep.cpu.brand_string", ret_text, &size, NULL, 0) != 0)
		ret_text[0] = '\0';
}

uint64_t os_last_cache_bytes(void)
{
	/* Processors of Apple have no third level. The second belongs to a cluster of cores. */
	static const char *const names[] = {"hw.l3cachesize", "hw.perflevel0.l2cachesize"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uint64_t bytes = 0;
		size_t size = sizeof bytes;

		if (sysctlbyname(names[i], &bytes, &size, NULL, 0) == 0 && bytes > 0)
			return bytes;
	}
	return 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

int os_nameless_open(int folder, const char *path)
{
	(void)folder, (void)path;
	errno = ENOTSUP;
	return -1;
}

bool os_nameless_link(int file, int folder, const char *path)
{
	(void)file, (void)folder, (void)path;
	errno = ENOTSUP;
	return false;
}

int os_memory_file(const char *name, char ret_path[OS_MEMORY_PATH_BYTES])
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	int length = snprintf(
		path, sizeof path, "%s/%s-XXXXXX", folder && *folder ? folder : "/tmp", name);

	if (length >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int file = mkstemp(path);
	if (file >= 0)
		unlink(path);
	snprintf(ret_path, OS_MEMORY_PATH_BYTES, "/dev/fd/%d", file);
	return file;
}

/* ---- Pipes and sockets ----------------------------------------------------------------------- */

/* Not atomic, unlike the flags of Linux. pmpp-run forks and executes from one thread. */
static bool close_at_exec(int ends[2])
{
	if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
		return true;
	close(ends[0]);
	close(ends[1]);
	return false;
}

bool os_pipe(int ret_ends[2])
{
	return pipe(ret_ends) == 0 && close_at_exec(ret_ends);
}

/* SOCK_SEQPACKET does not exist for local sockets. The end of a stream is reported; the end of
 * datagrams is not. */
bool os_message_pair(int ret_ends[2])
{
	const int on = 1;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ret_ends) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		setsockopt(ret_ends[i], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
	return close_at_exec(ret_ends);
}

int os_wait_readable(int fd, int wait_ms, const sigset_t *mask)
{
	const struct timespec limit = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
	fd_set sources;

	if (fd < 0 || fd >= FD_SETSIZE) {
		errno = EBADF;
		return -1;
	}
	FD_ZERO(&sources);
	FD_SET(fd, &sources);
	return pselect(fd + 1, &sources, NULL, NULL, &limit, mask);
}
