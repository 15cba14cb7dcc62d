/*
 * Host code in CUDA files: functions that start kernels, main(), and what only they use.
 */
#ifndef PMPP_COMMON_HOST_CODE_H
#define PMPP_COMMON_HOST_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces host code and headers of the host by blanks; lines keep their numbers. Does not change a file that has no
 * host function (main(), or one with <<<, the CUDA runtime or std), or whose braces do not match.
 * Writes the names of the functions, "check(), main()", cut at the size; "": no change. Returns false if
 * there is no memory. */
bool host_code_blank(char *text, char *ret_names, size_t size);

/* Replaces the lines that include headers of the host by blanks. and_constants: also those of headers with constants and
 * types, such as <math.h> and <stdint.h>. */
void host_code_blank_headers(char *text, bool and_constants);

/* Returns a copy of a source in which comments and strings are blank, and directives consist of the character
 * '\1'. Places and lines stay the same. The caller frees it. NULL: no memory. */
char *source_code_copy(const char *text);

#endif
