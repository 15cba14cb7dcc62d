#include "host/cli/shipped_files.h"

#include <stdlib.h>

#include "host/contribute/contribute.h"
#include "host/record/shipped.h"

enum pmpp_status result_files_load_shipped(
	const char *with, struct result_files *files, struct pmpp_error *error)
{
	struct shipped_list devices = {0};
	struct text_list names = {0};
	size_t first = files->shipped.count, own = files->count;
	enum pmpp_status status = with ? shipped_find(&devices, error) : PMPP_OK;

	if (with && status == PMPP_OK)
		status = shipped_choose(&devices, with, &names, error);
	for (size_t i = 0; i < names.count && status == PMPP_OK; i++) {
		char *path = shipped_path(&devices, names.items[i]);
		if (!path || !text_list_add(&files->shipped, path))
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for the shipped devices");
		free(path);
	}
	if (status == PMPP_OK && names.count)
		status = result_files_load((const char *const *)&files->shipped.items[first],
			files->shipped.count - first, false, files, error);
	for (size_t i = own; i < files->count; i++)
		files->items[i].shipped = true;
	if (status == PMPP_OK && !contribution_join_devices(files->items, files->count))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
	text_list_finish(&names);
	shipped_finish(&devices);
	return status;
}
