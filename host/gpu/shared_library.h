/*
 * Functions of a shared library that is opened at run time.
 */
#ifndef PMPP_HOST_GPU_SHARED_LIBRARY_H
#define PMPP_HOST_GPU_SHARED_LIBRARY_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A function of the library, and the place of its address in the struct of functions. */
struct shared_symbol {
	const char *name;
	size_t offset;
	const char *older; /* name in older versions; NULL: none */
	bool optional;     /* NULL in libraries that lack it */
};

/* Sets the functions of an open library. ret_functions: the struct of pointers. Returns the name of the first
 * missing function; NULL: none. */
const char *shared_symbols_find(
	const struct shared_symbol *symbols, size_t count, void *handle, void *ret_functions);

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

/* ---- Codes of functions ------------------------------------------------------------------- */

/* A code, and the status that it means in all functions; PMPP_OK: the status depends on the function. */
struct api_code {
	long code;
	enum pmpp_status status;
	const char *symbol;
};

/* The codes of a library. 0 is success. */
struct api_codes {
	const struct api_code *rows; /* ended by a row without a symbol */
	const char *unknown;         /* symbol of other codes */
};

/* The codes of a map of XX(symbol, code, status). */
#define API_CODES(MAP, unknown)                                                         \
	{                                                                               \
		(const struct api_code[]){MAP(API_CODE_ROW){0, PMPP_OK, NULL}}, unknown \
	}
#define API_CODE_ROW(symbol, code, status) {code, PMPP_##status, #symbol},

/* "CL_OUT_OF_RESOURCES" */
const char *api_symbol(const struct api_codes *codes, long code);

/* Returns PMPP_OK for 0. Otherwise records the call. fallback: the status of codes that have none. */
enum pmpp_status api_result(const struct api_codes *codes, struct pmpp_error *error,
	enum pmpp_status fallback, long code, const char *call, const char *file, int line);

#endif
