/*
 * Warnings in the log of a kernel's compiler: gcc, clang, NVRTC, and the compilers of OpenCL
 * drivers.
 */
#ifndef PMPP_COMMON_COMPILER_LOG_H
#define PMPP_COMMON_COMPILER_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum warning_kind {
	WARNING_OTHER,
	WARNING_MAYBE_UNINITIALISED, /* on some path, which may never be taken */
	WARNING_UNINITIALISED /* each execution of the use reads a variable without a value */
};

struct compiler_warning {
	char file[200]; /* as the log has it */
	int line;       /* from 1 */
	enum warning_kind kind;
	char name[80];  /* of the variable, both kinds of uninitialised; "" = not in the text */
	char text[300]; /* one line; cut if it is longer */
};

/* Finds the next warning with a file and a line, from *at on, and sets *at behind it. false: there
 * is none. *ret_warning is then untouched. Lines of other forms (source lines, notes, remarks,
 * reports of the assembler) are no warnings. */
bool compiler_log_next(const char **at, struct compiler_warning *ret_warning);

#endif
