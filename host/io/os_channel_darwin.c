#include "host/io/os_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

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
