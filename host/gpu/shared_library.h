/*
 * Functions of a shared library that is opened at run time.
 */
#ifndef PMPP_HOST_GPU_SHARED_LIBRARY_H
#define PMPP_HOST_GPU_SHARED_LIBRARY_H

#include "common/status.h"

#include <stddef.h>

/* A function of the library, and the place of its address in the struct of functions. */
struct shared_symbol {
	const char *name;
	size_t offset;
};

struct shared_library {
	const char *title;        /* "OpenBLAS" */
	const char *const *names; /* names of its file, the preferred one first; ended by NULL */
	const char *install;      /* what to do if it is absent */
	const struct shared_symbol *symbols;
	size_t symbol_count;
};

/* Opens the first library that exists, and sets all functions. ret_functions: the struct of
 * pointers. *ret_handle: for dlclose(). PMPP_UNSUPPORTED: no library exists, the linker refuses it,
 * or a function is missing; the message has the reason. */
enum pmpp_status shared_library_open(const struct shared_library *library, void *ret_functions,
	void **ret_handle, struct pmpp_error *error);

#endif
