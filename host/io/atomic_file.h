/*
 * Output files that are whole or absent: written to a file without a name in the same folder
 * (O_TMPFILE), which then gets the name of the target. A process that is killed leaves nothing,
 * except between the two calls that replace a target that is there. File systems without O_TMPFILE
 * get a temporary file with a name. A target that is there and is no regular file (/dev/stdout, a
 * pipe) is written directly; a symbolic link keeps pointing at what is replaced.
 */
#ifndef PMPP_HOST_IO_ATOMIC_FILE_H
#define PMPP_HOST_IO_ATOMIC_FILE_H

#include "common/status.h"

#include <sys/uio.h>

/* Whether path can be written: creates and removes the temporary. A pipe is not opened, so that its
 * reader waits. PMPP_USAGE with the reason. */
enum pmpp_status atomic_file_check(const char *path, struct pmpp_error *error);

/* Writes the parts one after another. PMPP_USAGE when the file cannot be made, PMPP_IO when it
 * cannot be filled; the target is then as it was. */
enum pmpp_status atomic_file_write(
	const char *path, const struct iovec *parts, size_t part_count, struct pmpp_error *error);

#endif
