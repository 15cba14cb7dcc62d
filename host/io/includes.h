/*
 * Included files of kernel sources. The program puts them into the text, so that every compiler reads
 * the same files, and the key of a program in the cache covers them.
 */
#ifndef PMPP_HOST_IO_INCLUDES_H
#define PMPP_HOST_IO_INCLUDES_H

#include "common/status.h"

#include <stdbool.h>

/* Loads a kernel source as source_load_file(). Replaces each line `#include "name"` by the file, and
 * adds #line directives, so that messages of the compiler have the right file and line. Included files
 * may include other files.
 *
 * A name is searched in the folder of the including file, then in root, then among the embedded files
 * beside `path`. If no file has the name, the line stays: the compiler searches it. PMPP_USAGE: also if
 * an included file cannot be read. */
enum pmpp_status source_load(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error);

/* Whether the compiler reads other files for this text. A program with such a text can only be kept
 * if these files are known. except_system: lines `#include <name>` do not count. The result can be
 * true for a text without included files, never false for one with them. */
bool source_reads_files(const char *text, bool except_system);

#endif
