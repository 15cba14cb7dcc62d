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
	WARNING_MAYBE_UNINITIALISED, /* uninitialised on a path that may never be taken */
	WARNING_UNINITIALISED /* each execution of the line reads an uninitialised variable */
};

struct compiler_warning {
	char file[200]; /* as written in the log */
	int line;       /* from 1 */
	enum warning_kind kind;
	char name[80];  /* name of the uninitialised variable; "" = not in the text */
	char text[300]; /* one line; cut if it is longer */
};

/* Finds the first warning with a file and a line at or after *at, and moves *at behind it. Returns
 * false if there is none; *ret_warning is then unchanged. Lines of other forms (source lines,
 * notes, remarks, reports of the assembler) are not warnings. */
bool compiler_log_next(const char **at, struct compiler_warning *ret_warning);

#endif
