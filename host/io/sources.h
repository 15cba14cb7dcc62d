/*
 * Kernel sources: embedded in the binary, or read from the folder of --kernel-dir.
 */
#ifndef PMPP_HOST_IO_SOURCES_H
#define PMPP_HOST_IO_SOURCES_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

struct embedded_file {
	const char *path; /* "cl_kernels/matmul/tiled.cl" */
	const char *text;
};

/* Written by tools/embed.py, sorted by path. */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_file_count;

/* Returns the embedded text of path; NULL if there is none. */
const char *sources_embedded(const char *path);

/* PMPP_USAGE unless root is a folder. */
enum pmpp_status source_check_root(const char *root, struct pmpp_error *error);

/* Returns the text of path: from the folder root, or the embedded text if root is NULL.
 * *ret_text is malloc'ed; the caller frees it. PMPP_USAGE: the file cannot be read, is empty or
 * contains a NUL byte. PMPP_INTERNAL: no such embedded file. PMPP_OUT_OF_MEMORY. */
enum pmpp_status source_load_file(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error);

#define SOURCE_PATH_BYTES 4096 /* of the path of a source, with its terminating zero */

/* Loads a kernel source with source_load_file(). Replaces each line `#include "name"` by the file,
 * and adds #line directives, so that messages of the compiler have the right file and line.
 * Included files may include other files.
 *
 * Searches for a file in the folder of the including file, then in root, then among the embedded
 * files beside `path`. If there is no such file, the line stays, and the compiler searches for the
 * file. PMPP_USAGE: also if an included file cannot be read, or if there are too many of them. */
enum pmpp_status source_load(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error);

/* Replaces the characters that a name in #line cannot have. */
void source_clean_name(char *name);

/* Whether the compiler reads other files for this text. Such a program can be kept in the cache
 * only if these files are known. except_system: lines `#include <name>` do not count. The result
 * can be true for a text without included files, never false for one with them. */
bool source_reads_files(const char *text, bool except_system);

#endif
