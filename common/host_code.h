/*
 * Host code in CUDA files: functions that start kernels, main(), and what only they use.
 */
#ifndef PMPP_COMMON_HOST_CODE_H
#define PMPP_COMMON_HOST_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces the host code of a file, and its headers, by blanks; lines keep their numbers. A file without
 * main(), kernel launches and calls of the CUDA runtime stays, and a file whose brackets do not match.
 * Writes the names of the functions, "check(), main()", cut at the size; "": the file stays. Returns false if
 * there is no memory. */
bool host_code_blank(char *text, char *ret_names, size_t size);

#endif
