#include "host/record/shipped.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/nearest.h"
#include "host/io/os.h"
#include "host/record/shipped_config.h"

#define SUBFOLDER "pmpp/devices"
#define SUFFIX ".json"

/* ---- The folder ------------------------------------------------------------------------------ */

/* Gets the folder of this program. Returns false if it is unknown. */
static bool program_folder(char ret_path[PATH_MAX])
{
	if (!os_program_path(ret_path))
		return false;
	*strrchr(ret_path, '/') = '\0';
	return true;
}

/* Returns the data folder of an installed program. If possible, the path is relative to the
 * program, so that the user can move an installation. */
static char *installed_folder(const char *program)
{
	size_t length = strlen(program), bin = strlen(PMPP_BINDIR);
	const char *prefix = PMPP_PREFIX;
	char *text = NULL;

	if (length > bin && strcmp(program + length - bin, PMPP_BINDIR) == 0 &&
		program[length - bin - 1] == '/') {
		prefix = program;
		length -= bin + 1;
	} else {
		length = strlen(prefix);
	}
	int made = *PMPP_DATADIR == '/' ? asprintf(&text, "%s/" SUBFOLDER, PMPP_DATADIR)
					: asprintf(&text, "%.*s/%s/" SUBFOLDER, (int)length, prefix,
						  PMPP_DATADIR);
	return made < 0 ? NULL : text;
}

static bool is_folder(const char *path)
{
	struct stat properties;

	return path && stat(path, &properties) == 0 && S_ISDIR(properties.st_mode);
}

static enum pmpp_status find_folder(char **ret_folder, struct pmpp_error *error)
{
	const char *named = getenv(SHIPPED_VARIABLE);
	char program[PATH_MAX] = "";
	enum pmpp_status status = PMPP_OK;

	if (named && *named) {
		if (!is_folder(named))
			return PMPP_FAIL(error, PMPP_USAGE,
				SHIPPED_VARIABLE "=%s is not a folder: give the folder of the "
						 "devices' result files, or unset it",
				named);
		*ret_folder = strdup(named);
	} else {
		bool known = program_folder(program);
		*ret_folder = known && strcmp(program, PMPP_BUILD_ROOT) == 0
				      ? strdup(PMPP_SOURCE_DEVICES)
				      : installed_folder(program);
	}
	if (!*ret_folder)
		return PMPP_NO_MEMORY(error, "the shipped devices");
	if (!is_folder(*ret_folder)) {
		status = PMPP_FAIL(error, PMPP_USAGE,
			"the results of devices that ship with pmpp are not installed: there is no "
			"folder %s. Install pmpp (meson install), or set " SHIPPED_VARIABLE
			" to docs/results/devices of a checkout",
			*ret_folder);
		free(*ret_folder);
		*ret_folder = NULL;
	}
	return status;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Returns whether a file is the file of a device, by its name. */
static int is_device(const struct dirent *entry)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	const char *file = entry->d_name;
	size_t length = strlen(file), suffix = strlen(SUFFIX);

	return *file != '.' && length > suffix && strcmp(file + length - suffix, SUFFIX) == 0 &&
	       strspn(file, letters) == length;
}

static enum pmpp_status read_names(struct shipped_list *list, struct pmpp_error *error)
{
	struct dirent **entries = NULL;
	int count = scandir(list->folder, &entries, is_device, alphasort);
	bool stored = true;

	if (count < 0)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: %s", list->folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *name = entries[i]->d_name;
		name[strlen(name) - strlen(SUFFIX)] = '\0';
		stored = stored && text_list_add(&list->names, name);
		free(entries[i]);
	}
	free(entries);
	return stored ? PMPP_OK : PMPP_NO_MEMORY(error, "the shipped devices");
}

/* ---- Public ---------------------------------------------------------------------------------- */

enum pmpp_status shipped_find(struct shipped_list *ret_list, struct pmpp_error *error)
{
	struct shipped_list list = {0};
	enum pmpp_status status = find_folder(&list.folder, error);

	if (status == PMPP_OK)
		status = read_names(&list, error);
	if (status == PMPP_OK)
		*ret_list = list;
	else
		shipped_finish(&list);
	return status;
}

void shipped_finish(struct shipped_list *list)
{
	free(list->folder);
	text_list_finish(&list->names);
	*list = (struct shipped_list){0};
}

char *shipped_path(const struct shipped_list *list, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s" SUFFIX, list->folder, name) < 0 ? NULL : path;
}

char *shipped_names_text(void)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct shipped_list list = {0};
	char text[NAMES_TEXT_BYTES] = "";

	if (shipped_find(&list, &ignored) == PMPP_OK)
		names_text((const char *const *)list.names.items, list.names.count, text);
	pmpp_error_clear(&ignored);
	shipped_finish(&list);
	return strdup(text);
}
