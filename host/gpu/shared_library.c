#include "host/gpu/shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static enum pmpp_status find_symbols(const struct shared_library *library, void *handle,
	void *ret_functions, struct pmpp_error *error)
{
	for (size_t i = 0; i < library->symbol_count; i++) {
		const struct shared_symbol *symbol = &library->symbols[i];
		void *found = dlsym(handle, symbol->name);

		if (!found)
			return PMPP_FAIL(error, PMPP_UNSUPPORTED,
				"this version of %s has no function %s", library->title,
				symbol->name);
		memcpy((char *)ret_functions + symbol->offset, &found, sizeof found);
	}
	return PMPP_OK;
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
	enum pmpp_status status = find_symbols(library, handle, ret_functions, error);
	if (status == PMPP_OK)
		*ret_handle = handle;
	else
		dlclose(handle);
	return status;
}
