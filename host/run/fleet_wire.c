#include "host/run/fleet_wire.h"

#include "host/io/os_channel.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

int64_t fleet_wire_ended(int wait_status)
{
	return -1 - (int64_t)wait_status;
}

int fleet_wire_status(int64_t length)
{
	return (int)(-1 - length);
}

bool fleet_wire_send(int fd, const void *data, size_t size)
{
	const char *next = data;

	while (size > 0) {
		ssize_t sent = send(fd, next, size, OS_SEND_QUIETLY);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		next += sent;
		size -= (size_t)sent;
	}
	return true;
}

bool fleet_wire_receive(int fd, void *ret_data, size_t size)
{
	char *next = ret_data;

	while (size > 0) {
		ssize_t got = recv(fd, next, size, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		next += got;
		size -= (size_t)got;
	}
	return true;
}
