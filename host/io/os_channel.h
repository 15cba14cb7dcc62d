/*
 * Pipes and sockets between processes. Operating systems differ in their flags. The build takes
 * os_channel_linux.c or os_channel_darwin.c.
 */
#ifndef PMPP_HOST_IO_OS_CHANNEL_H
#define PMPP_HOST_IO_OS_CHANNEL_H

#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>

/* Flag of send(): a closed other end gives EPIPE and no signal. macOS: the pairs below have a socket
 * option with this effect, because older systems lack the flag. */
#ifdef __APPLE__
#define OS_SEND_QUIETLY 0
#else
#define OS_SEND_QUIETLY MSG_NOSIGNAL
#endif

/* Create two connected ends, which exec closes. They return false, with errno set, on failure.
 *   os_pipe          ret_ends[0] reads what ret_ends[1] writes
 *   os_message_pair  both ends read and write messages, of at most PATH_MAX bytes. Linux: recv()
 *                    returns one message. macOS: recv() can return several messages, so a reader
 *                    passes the size of its message. */
bool os_pipe(int ret_ends[2]);
bool os_message_pair(int ret_ends[2]);

/* Waits until fd can be read. mask: signals that are blocked during the wait; NULL: no change.
 * Returns 1: it can be read, or its other end is closed; 0: wait_ms have passed; -1: errno says
 * why, EINTR for a signal. */
int os_wait_readable(int fd, int wait_ms, const sigset_t *mask);

#endif
