/*
 * Functions that differ between operating systems: processes, the machine, files without a name, pipes and
 * sockets. The build takes os_linux.c or os_darwin.c.
 */
#ifndef PMPP_HOST_IO_OS_H
#define PMPP_HOST_IO_OS_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* ---- Processes ------------------------------------------------------------------------------- */

/* Path of the running program. Returns false if the path is unknown, or longer than PATH_MAX. */
bool os_program_path(char ret_path[PATH_MAX]);

/* Lets the system send a signal to this process when its parent ends. macOS: no effect; the guard
 * (host/run/worker.c) kills the worker. */
void os_end_with_parent(int signal_number);

/* Name of this process in ps and top, of at most 15 characters. macOS: no effect. */
void os_name_process(const char *name);

/* Returns "KILL" for SIGKILL; "?" for an unknown number. */
const char *os_signal_name(int number);

/* Closes all files from the descriptor `first` on. */
void os_close_from(int first);

/* ---- The machine ----------------------------------------------------------------------------- */

/* Number of processors that this process is allowed to use, at least 1. macOS: those that are
 * online. */
size_t os_usable_processors(void);

/* Runs a function on the calling thread, which may use every processor of the process meanwhile, and so may the
 * threads that it starts. (PoCL's threads have one processor each.) macOS: threads have no fixed processors. */
void os_run_on_all_processors(void (*run)(void *context), void *context);

/* Model of the processor, such as "AMD EPYC 9654"; "" if the system does not report one. */
void os_processor_name(char *ret_text, size_t size);

/* Sum of the last-level caches of the processors that this process is allowed to use, in bytes; 0 if
 * the system does not report one. macOS: one cache. */
uint64_t os_last_cache_bytes(void);

/* ---- Files without a name -------------------------------------------------------------------- */

/* Opens a file without a name for writing. It is in the folder `path`, which is relative to the
 * open folder `folder` (or AT_FDCWD). A killed process leaves no such file. Returns -1 if the system
 * or the file system has no such files, or if the file could not get a name later. macOS: always -1,
 * so callers use a temporary name. */
int os_nameless_open(int folder, const char *path);

/* Gives the file the name `path`, relative to `folder`. Returns false, with errno set, on failure;
 * EEXIST: the name is in use. */
bool os_nameless_link(int file, int folder, const char *path);

#define OS_MEMORY_PATH_BYTES 32

/* Opens a file without a name for reading and writing. The system removes the file with its last
 * descriptor. This process and its forks can open the file again by ret_path. Linux: the file is in
 * memory. macOS: the file is in TMPDIR. Returns -1, with errno set, on failure. */
int os_memory_file(const char *name, char ret_path[OS_MEMORY_PATH_BYTES]);

/* ---- Pipes and sockets ----------------------------------------------------------------------- */

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
