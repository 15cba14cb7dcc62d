#include "host/cli/shipped_files.h"

#include <stdlib.h>

#include "host/contribute/contribute.h"

static enum pmpp_status no_memory(struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the shipped devices");
}

enum pmpp_status result_files_load_shipped_as_is(const struct shipped_list *devices,
	const char *name, struct result_files *files, struct pmpp_error *error)
{
	char *path = shipped_path(devices, name);
	bool added = path && text_list_add(&files->shipped, path);

	free(path);
	if (!added)
		return no_memory(error);
	const char *const *last =
		(const char *const *)&files->shipped.items[files->shipped.count - 1];
	return result_files_load(last, 1, false, files, error);
}

static enum pmpp_status load_apart(const struct shipped_list *devices, const char *name,
	struct result_files *files, struct pmpp_error *error)
{
	size_t first = files->count;
	enum pmpp_status status = result_files_load_shipped_as_is(devices, name, files, error);

	for (size_t i = first; i < files->count && status == PMPP_OK; i++) {
		files->items[i].shipped = true;
		if (!contribution_set_apart(&files->items[i].document, name))
			status = no_memory(error);
	}
	return status;
}

enum pmpp_status result_files_load_shipped(
	const char *with, struct result_files *files, struct pmpp_error *error)
{
	struct shipped_list devices = {0};
	struct text_list names = {0};
	enum pmpp_status status = with ? shipped_find(&devices, error) : PMPP_OK;

	if (with && status == PMPP_OK)
		status = shipped_choose(&devices, with, &names, error);
	for (size_t i = 0; i < names.count && status == PMPP_OK; i++)
		status = load_apart(&devices, names.items[i], files, error);
	if (status == PMPP_OK && !contribution_join_devices(files->items, files->count))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
	text_list_finish(&names);
	shipped_finish(&devices);
	return status;
}
