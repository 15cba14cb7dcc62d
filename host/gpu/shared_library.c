#include "host/gpu/shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *shared_symbols_find(
	const struct shared_symbol *symbols, size_t count, void *handle, void *ret_functions)
{
	for (size_t i = 0; i < count; i++) {
		const struct shared_symbol *symbol = &symbols[i];
		void *found = dlsym(handle, symbol->name);

		if (!found && symbol->older)
			found = dlsym(handle, symbol->older);
		if (!found && !symbol->optional)
			return symbol->name;
		memcpy((char *)ret_functions + symbol->offset, &found, sizeof found);
	}
	return NULL;
}

enum pmpp_status shared_library_open(const struct shared_library *library, void *ret_functions,
	void **ret_handle, struct pmpp_error *error)
{
	char why[200] = "";
	void *handle = NULL;

	for (size_t i = 0; library->names[i] && !handle; i++) {
		handle = dlopen(library->names[i], RTLD_NOW | RTLD_LOCAL);
		const char *text = handle ? NULL : dlerror();
		/* If a library exists and cannot be used, report that, not an absent one. */
		if (text && (!*why || !strstr(text, "No such file")))
			snprintf(why, sizeof why, "%s", text);
	}
	if (!handle && strstr(why, "No such file"))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s is not installed: %s not found; %s",
			library->title, library->names[0], library->install);
	if (!handle)
		return PMPP_FAIL(
			error, PMPP_UNSUPPORTED, "%s cannot be used: %s", library->title, why);
	const char *missing =
		shared_symbols_find(library->symbols, library->symbol_count, handle, ret_functions);
	if (missing) {
		dlclose(handle);
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "this version of %s has no function %s",
			library->title, missing);
	}
	*ret_handle = handle;
	return PMPP_OK;
}

/* ---- Codes of functions ------------------------------------------------------------------- */

static const struct api_code *find_code(const struct api_codes *codes, long code)
{
	for (const struct api_code *row = codes->rows; row->symbol; row++)
		if (row->code == code)
			return row;
	return NULL;
}

const char *api_symbol(const struct api_codes *codes, long code)
{
	const struct api_code *row = find_code(codes, code);

	return row ? row->symbol : codes->unknown;
}

enum pmpp_status api_result(const struct api_codes *codes, struct pmpp_error *error,
	enum pmpp_status fallback, long code, const char *call, const char *file, int line)
{
	const struct api_code *row = find_code(codes, code);

	if (code == 0)
		return PMPP_OK;
	return pmpp_error_set_call(error, row && row->status != PMPP_OK ? row->status : fallback,
		file, line, call, code, api_symbol(codes, code));
}
