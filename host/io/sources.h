/*
 * Kernel sources: embedded in the binary, or read from a checkout's root with --kernel-dir.
 */
#ifndef PMPP_HOST_IO_SOURCES_H
#define PMPP_HOST_IO_SOURCES_H

#include "common/status.h"

#include <stddef.h>

struct embedded_file {
	const char *path; /* "cl_kernels/matmul/tiled.cl" */
	const char *text;
};

/* Made by tools/embed.py, sorted by path. */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_file_count;

/* The embedded text of path; NULL when there is none. */
const char *sources_embedded(const char *path);

/* PMPP_USAGE unless root is a folder. */
enum pmpp_status source_check_root(const char *root, struct pmpp_error *error);

/* Text of path, below root when root is not NULL, embedded otherwise. *ret_text is malloc'ed (the
 * caller frees). PMPP_USAGE when the file cannot be read, is empty or contains a NUL byte. */
enum pmpp_status source_load(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error);

#endif
