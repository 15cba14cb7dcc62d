/*
 * The files that a compiler read for a program: their paths and digests. A program in the cache is
 * used only while these files are unchanged.
 */
#ifndef PMPP_HOST_GPU_READ_FILES_H
#define PMPP_HOST_GPU_READ_FILES_H

#include <stdbool.h>
#include <time.h>

/* The variables with folders of included files, separated by colons; ends with NULL. */
extern const char *const read_files_variables[];

/* Makes the list from the dependency file `name` of a compiler that ran in `folder`. Files in the
 * folder are left out. The caller frees the list. NULL: do not keep the program: the files are not
 * known, one of them may have changed since `start`, or one of them is in a folder of
 * read_files_variables. A new file in an earlier folder would hide that file. */
char *read_files_list(const char *folder, const char *name, const struct timespec *start);

/* Whether all files of the list are unchanged. */
bool read_files_unchanged(const char *list);

#endif
