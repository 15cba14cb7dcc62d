#include "host/io/os_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

bool os_pipe(int ret_ends[2])
{
	return pipe2(ret_ends, O_CLOEXEC) == 0;
}

bool os_message_pair(int ret_ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_ends) == 0;
}

int os_wait_readable(int fd, int wait_ms, const sigset_t *mask)
{
	struct pollfd source = {.fd = fd, .events = POLLIN};
	const struct timespec limit = {wait_ms / 1000, wait_ms % 1000 * 1000000L};

	return ppoll(&source, 1, &limit, mask);
}
