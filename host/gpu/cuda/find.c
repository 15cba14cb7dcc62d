#include "host/gpu/cuda/find.h"

#include "host/io/cache_file.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	const struct wanted_library *wanted;
	library_visitor *visit;
	void *context;
	const char *origin;
};

/* Returns false if the path does not fit. */
static bool __attribute__((format(printf, 2, 3)))
path_print(char path[FIND_PATH_BYTES], const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(path, FIND_PATH_BYTES, format, arguments);
	va_end(arguments);
	return length >= 0 && length < FIND_PATH_BYTES;
}

/* ---- Folders ------------------------------------------------------------------------------- */

/* Every search returns true when a visitor has ended it. */
typedef bool search_fn(const struct search *search, const char *folder);

/* A toolkit, or a package with the same folders. */
static bool search_toolkit(const struct search *search, const char *root)
{
	static const char *const folders[] = {"lib64", "lib"};
	char path[FIND_PATH_BYTES];

	for (size_t i = 0; search->wanted->names[i].name; i++)
		for (size_t j = 0; j < sizeof folders / sizeof *folders; j++)
			if (path_print(path, "%s/%s/%s", root, folders[j],
				    search->wanted->names[i].name) &&
				access(path, F_OK) == 0 &&
				search->visit(search->context, path, search->wanted->names[i].major,
					search->origin))
				return true;
	return false;
}

static int starts_with_cu(const struct dirent *entry)
{
	return strncmp(entry->d_name, "cu", 2) == 0 && strchr("123456789", entry->d_name[2]) &&
	       entry->d_name[2];
}

static int starts_with_python(const struct dirent *entry)
{
	return strncmp(entry->d_name, "python3", strlen("python3")) == 0;
}

/* Searches the subfolders that the filter accepts, the newest version first. `tail` is appended. */
static bool search_each(const struct search *search, const char *folder,
	int (*filter)(const struct dirent *), const char *tail, search_fn *next)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, filter, versionsort);
	char path[FIND_PATH_BYTES];
	bool ended = false;

	while (count > 0) {
		struct dirent *entry = entries[--count];

		if (!ended && path_print(path, "%s/%s%s", folder, entry->d_name, tail))
			ended = next(search, path);
		free(entry);
	}
	free(entries);
	return ended;
}

/* The packages of NVIDIA: CUDA 13 and newer share the folder cu13, cu14, ...; each package of CUDA
 * 12 and older has its own folder. */
static bool search_packages(const struct search *search, const char *packages)
{
	char path[FIND_PATH_BYTES];

	if (path_print(path, "%s/nvidia", packages) &&
		search_each(search, path, starts_with_cu, "", search_toolkit))
		return true;
	return path_print(path, "%s/nvidia/%s", packages, search->wanted->package) &&
	       search_toolkit(search, path);
}

/* The folder that an installation of Python, or a virtual environment, has as its prefix. Debian
 * names its folders dist-packages. */
static bool search_prefix(const struct search *search, const char *prefix)
{
	static const char *const folders[] = {"lib", "lib64"};
	static const char *const tails[] = {"/site-packages", "/dist-packages"};
	char path[FIND_PATH_BYTES];

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		for (size_t j = 0; j < sizeof tails / sizeof *tails; j++)
			if (path_print(path, "%s/%s", prefix, folders[i]) &&
				search_each(search, path, starts_with_python, tails[j],
					search_packages))
				return true;
	return false;
}

/* A conda environment has the folders of a toolkit and the packages of a Python. */
static bool search_conda(const struct search *search, const char *prefix)
{
	return search_toolkit(search, prefix) || search_prefix(search, prefix);
}

/* ---- Places -------------------------------------------------------------------------------- */

static bool search_linker(const struct search *search, const char *unused)
{
	(void)unused;
	for (size_t i = 0; search->wanted->names[i].name; i++)
		if (search->visit(search->context, search->wanted->names[i].name,
			    search->wanted->names[i].major, search->origin))
			return true;
	return false;
}

/* The prefix of the first python3 in PATH. It is that of a virtual environment if the user has put
 * its folder into PATH without activating it. */
static bool search_path(const struct search *search, const char *unused)
{
	const char *path = getenv("PATH");
	char file[FIND_PATH_BYTES];

	(void)unused;
	while (path && *path) {
		int length = (int)strcspn(path, ":");

		if (path[0] == '/' && path_print(file, "%.*s/python3", length, path) &&
			access(file, X_OK) == 0) {
			*strrchr(file, '/') = '\0'; /* PREFIX/bin */
			*strrchr(file, '/') = '\0';
			return search_prefix(search, file);
		}
		path += length + (path[length] == ':');
	}
	return false;
}

/* The same folders as Python's module `site`. */
static bool search_user(const struct search *search, const char *unused)
{
	const char *base = getenv("PYTHONUSERBASE");
	const char *home = getenv("HOME");
	char path[FIND_PATH_BYTES];

	(void)unused;
	if (base && base[0] == '/')
		return search_prefix(search, base);
	return home && home[0] == '/' && path_print(path, "%s/.local", home) &&
	       search_prefix(search, path);
}

static bool search_cache(const struct search *search, const char *unused)
{
	char folder[CACHE_TEXT_BYTES];

	(void)unused;
	return cache_file_folder(FIND_CACHE_FOLDER, folder) && search_packages(search, folder);
}

bool find_library(const struct wanted_library *wanted, library_visitor *visit, void *context)
{
	/* variable: a folder that the environment may name. folder: a fixed one. */
	static const struct {
		const char *variable, *folder, *origin;
		search_fn *search;
	} places[] = {
		{"CUDA_HOME", NULL, "CUDA_HOME", search_toolkit},
		{"CUDA_PATH", NULL, "CUDA_PATH", search_toolkit},
		{NULL, "", "the dynamic linker", search_linker},
		{"VIRTUAL_ENV", NULL, "VIRTUAL_ENV", search_prefix},
		{"CONDA_PREFIX", NULL, "CONDA_PREFIX", search_conda},
		{NULL, "", "packages of python3 in PATH", search_path},
		{NULL, "", "Python packages of the user", search_user},
		{NULL, "/usr/local", "Python packages of the system", search_prefix},
		{NULL, "/usr", "Python packages of the system", search_prefix},
		{NULL, "/usr/lib/python3/dist-packages", "Python packages of the system",
			search_packages},
		{NULL, "", "the cache directory", search_cache},
		{NULL, "/usr/local/cuda", "/usr/local/cuda", search_toolkit},
	};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const struct search search = {wanted, visit, context, places[i].origin};
		const char *folder = places[i].folder;

		if (places[i].variable) {
			folder = getenv(places[i].variable);
			if (!folder || folder[0] != '/')
				continue;
		}
		if (places[i].search(&search, folder))
			return true;
	}
	return false;
}
