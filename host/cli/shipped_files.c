#include "host/cli/shipped_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/contribute/contribute.h"
#include "host/io/atomic_file.h"
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

void shipped_put_note(struct pmpp_error *error)
{
	fflush(stdout);
	fprintf(stderr, "note: %s\n", error->message);
	pmpp_error_clear(error);
}

void result_files_try_shipped(const char *name, struct result_files *files)
{
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (result_files_load_shipped(name, files, &error) != PMPP_OK)
		shipped_put_note(&error);
}

enum pmpp_status shipped_check_output(
	const char *option, const char *output, struct pmpp_error *error)
{
	const char *named = getenv(SHIPPED_VARIABLE);
	struct shipped_list devices = {0};
	enum pmpp_status status = shipped_find(&devices, error);

	/* The program may be used without its installed files. */
	if (status != PMPP_OK && (!named || !*named)) {
		pmpp_error_clear(error);
		status = PMPP_OK;
	}
	for (size_t i = 0; i < devices.names.count && status == PMPP_OK; i++) {
		char *path = shipped_path(&devices, devices.names.items[i]);
		if (!path)
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for the shipped devices");
		else if (strcmp(path, output) == 0 || atomic_file_same(path, output))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"%s=%s is the file of a device that ships with pmpp, and would be "
				"replaced: give another file",
				option, output);
		free(path);
	}
	shipped_finish(&devices);
	return status;
}
