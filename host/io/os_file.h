/*
 * Files without a name. Operating systems differ in them. The build takes os_file_linux.c or
 * os_file_darwin.c.
 */
#ifndef PMPP_HOST_IO_OS_FILE_H
#define PMPP_HOST_IO_OS_FILE_H

#include <stdbool.h>

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

#endif
