/*
 * The files of the user among the arguments of a command: kernels (.cu, .cl), and the C file of their problem.
 */
#ifndef PMPP_HOST_CLI_OWN_FILES_H
#define PMPP_HOST_CLI_OWN_FILES_H

#include "common/own/problem_file.h"
#include "host/cli/cli_options.h"

/* An argument. */
struct own_file {
	const char *word; /* not owned */
	struct own_kernel
		*kernel; /* owned; NULL: the argument is not a kernel file, or could not be read */
	char *unread; /* why there is no kernel in the file; owned; NULL: it was read or is not a kernel file */
};

/* Zero-initialise. */
struct own_files {
	struct own_file items[CLI_MAX_WORDS]; /* the arguments without the problem file */
	size_t count;
	struct own_problem *problem; /* owned; NULL: the problem of the kernels is a family */
	bool unread; /* the failure is that of a kernel file which is there: it has no kernel of the problem */
};

/* Reads the kernels, and their problem: an argument, --problem, or a comment. family_find() then finds the problem.
 * Prints a line for each kernel. With --write, adds comments to its file. PMPP_USAGE: a file cannot be read, or the
 * message of own_kernel_read() or own_problem_read(). If there are other files, `try` reads them. The
 * caller calls own_files_finish() in all cases. */
enum pmpp_status own_files_read(
	const struct cli_options *options, struct own_files *ret_files, struct pmpp_error *error);
void own_files_finish(struct own_files *files);

/* Prints a line on stdout, wrapped at the width of the terminal, unless stdout has other output. */
void own_files_print(const struct cli_options *options, const char *text);

#endif
