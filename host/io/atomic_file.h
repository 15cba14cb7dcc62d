/*
 * Output files that are whole or absent. The data are written to a file without a name in the same
 * folder (O_TMPFILE). The complete file gets the name of the target. If the target exists, the file
 * first gets a temporary name, and then replaces the target. A killed process leaves no temporary
 * file, except between these two calls. On file systems without O_TMPFILE the file has its temporary
 * name from the start. An existing target that is not a regular file (/dev/stdout, a pipe) is written
 * directly. A symbolic link stays, and its target is replaced.
 */
#ifndef PMPP_HOST_IO_ATOMIC_FILE_H
#define PMPP_HOST_IO_ATOMIC_FILE_H

#include "common/status.h"

#include <stdbool.h>
#include <sys/uio.h>

/* Checks that path can be written: creates and removes a temporary file. A pipe is not opened,
 * because its reader would see the end of the data. PMPP_USAGE with the reason. */
enum pmpp_status atomic_file_check(const char *path, struct pmpp_error *error);

/* true: a file at one path would replace the file at the other path. Always false for devices and
 * pipes, and if a path cannot be resolved. */
bool atomic_file_same(const char *path, const char *other);

/* Writes the parts one after another. PMPP_IO if the file cannot be made or filled; the target is
 * then unchanged. atomic_file_check() finds a wrong path before the command begins. The wait for
 * the reader of a named pipe ends with PMPP_INTERRUPTED when SIGINT, SIGTERM or SIGHUP arrives. The
 * caller may block these signals. */
enum pmpp_status atomic_file_write(
	const char *path, const struct iovec *parts, size_t part_count, struct pmpp_error *error);

/* Writes the parts to a new file with mode 0600, which then replaces the file `name`. The name is
 * relative to the open folder. Returns false, with errno set, on failure. */
bool file_replace(int folder, const char *name, const struct iovec *parts, size_t part_count);

/* Writes all bytes to an open file. Returns false, with errno set, on failure. */
bool file_write_all(int file, const void *bytes, size_t size);

/* Reads `size` bytes of an open file; the caller frees them. A zero byte follows. NULL, with errno set:
 * the file is shorter, cannot be read, or there is no memory. */
char *file_read_all(int file, size_t size);

#endif
