#include "host/cli/shipped_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/family.h"
#include "host/contribute/contribute.h"
#include "host/io/atomic_file.h"
#include "host/report/terminal.h"

static enum pmpp_status no_memory(struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the shipped devices");
}

static enum pmpp_status load_apart(const struct shipped_list *devices, const char *name,
	struct result_files *files, struct pmpp_error *error)
{
	size_t first = files->count;
	char *path = shipped_path(devices, name);
	bool added = path && text_list_add(&files->shipped, path);

	free(path);
	if (!added)
		return no_memory(error);
	const char *const *last =
		(const char *const *)&files->shipped.items[files->shipped.count - 1];
	enum pmpp_status status = result_files_load(last, 1, false, files, error);
	for (size_t i = first; i < files->count && status == PMPP_OK; i++) {
		files->items[i].shipped = true;
		if (!contribution_set_apart(&files->items[i].document, name))
			status = no_memory(error);
	}
	return status;
}

static enum pmpp_status load_chosen(
	const char *option, const char *with, struct result_files *files, struct pmpp_error *error)
{
	struct shipped_list devices = {0};
	struct text_list names = {0};
	enum pmpp_status status = with ? shipped_find(&devices, error) : PMPP_OK;

	if (with && status == PMPP_OK)
		status = shipped_choose(&devices, option, with, &names, error);
	for (size_t i = 0; i < names.count && status == PMPP_OK; i++)
		status = load_apart(&devices, names.items[i], files, error);
	text_list_finish(&names);
	shipped_finish(&devices);
	return status;
}

enum pmpp_status result_files_load_shipped(
	const char *with, struct result_files *files, struct pmpp_error *error)
{
	return load_chosen("--with", with, files, error);
}

enum pmpp_status result_files_load_like(
	const char *value, struct result_files *files, struct pmpp_error *error)
{
	if (strpbrk(value, "/.") || access(value, F_OK) == 0)
		return result_files_load(&value, 1, false, files, error);
	if (family_find(value))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--like=%s: %s is a family: give --like=FILE or --like=DEVICE", value,
			value);
	return load_chosen("--like", value, files, error);
}

void shipped_put_note(struct pmpp_error *error)
{
	fflush(stdout);
	terminal_print(stderr, "note: %s\n", error->message);
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
			status = no_memory(error);
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
