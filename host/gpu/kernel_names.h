/*
 * The names of the kernels in a source text.
 */
#ifndef PMPP_HOST_GPU_KERNEL_NAMES_H
#define PMPP_HOST_GPU_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the names of the functions that are declared __global__, __kernel or kernel, in their order:
 * "fine, coarse". "": none. A name that a macro makes is not found. */
void kernel_names_text(const char *source, char *ret_text, size_t size);

/* Whether the list has a name of this length. */
bool kernel_names_have(const char *names, const char *name, size_t length);

#endif
