/*
 * Included files of kernel sources. The program puts them into the text. So every compiler reads
 * the same files, and the key of the program cache depends on them.
 */
#ifndef PMPP_HOST_IO_INCLUDES_H
#define PMPP_HOST_IO_INCLUDES_H

#include "common/status.h"

#include <stdbool.h>

/* Loads a kernel source with source_load_file(). Replaces each line `#include "name"` by the file,
 * and adds #line directives, so that messages of the compiler have the right file and line.
 * Included files may include other files.
 *
 * Searches for a file in the folder of the including file, then in root, then among the embedded
 * files beside `path`. If there is no such file, the line stays, and the compiler searches for the
 * file. PMPP_USAGE: also if an included file cannot be read, or if there are too many of them. */
enum pmpp_status source_load(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error);

/* Whether the compiler reads other files for this text. Such a program can be kept in the cache
 * only if these files are known. except_system: lines `#include <name>` do not count. The result
 * can be true for a text without included files, never false for one with them. */
bool source_reads_files(const char *text, bool except_system);

#endif
