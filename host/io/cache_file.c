#include "host/io/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clean_text.h"
#include "host/io/atomic_file.h"

/* ---- Folders -------------------------------------------------------------------------------- */

/* Folders of the user's data and caches. */

bool folders_make(char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		bool made;

		if (slash)
			*slash = '\0';
		made = mkdir(path, 0700) == 0 || errno == EEXIST;
		if (slash)
			*slash = '/';
		if (!made || !slash)
			return made;
	}
}

#define PATH_BYTES 4096
#define SHOWN_BYTES 300 /* of a path in a message */
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* ---- Problems ------------------------------------------------------------------------------ */

static pthread_mutex_t problem_lock =
	PTHREAD_MUTEX_INITIALIZER;     /* programs are also built in threads */
static char problem[CACHE_TEXT_BYTES]; /* the most recent one; "" = none */
static bool problem_reported;

/* Returns false. cache_file_problem() reports the same problem only once. */
static bool __attribute__((format(printf, 2, 3)))
set_problem(const char *path, const char *format, ...)
{
	char reason[256], shown[SHOWN_BYTES], text[CACHE_TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	clean_text(path, strlen(path), CLEAN_LINE, shown, sizeof shown);
	snprintf(text, sizeof text, "%s: %s", shown, reason);
	pthread_mutex_lock(&problem_lock);
	if (strcmp(text, problem) != 0) {
		memcpy(problem, text, sizeof problem);
		problem_reported = false;
	}
	pthread_mutex_unlock(&problem_lock);
	return false;
}

bool cache_file_problem(char ret_text[CACHE_TEXT_BYTES])
{
	if (!problem[0] || problem_reported)
		return false;
	problem_reported = true;
	memcpy(ret_text, problem, sizeof problem);
	return true;
}

/* ---- Trust --------------------------------------------------------------------------------- */

/* The reason not to trust a file or folder; "" = none. */
static const char *distrust(const struct stat *info, bool root_may_own)
{
	if (info->st_uid != geteuid() && !(root_may_own && info->st_uid == 0))
		return "it belongs to another user";
	if (info->st_mode & OTHERS_WRITE)
		return "other users can write to it (chmod go-w removes this permission)";
	return "";
}

/* ---- Folders ------------------------------------------------------------------------------- */

/* An open folder. */
struct place {
	int fd;
	char path[PATH_BYTES];
};

#define PLACE_INIT ((struct place){.fd = -1})

static void place_close(struct place *place)
{
	if (place->fd >= 0)
		close(place->fd);
	place->fd = -1;
}

/* The cache directory itself. */
static bool open_base(struct place *place)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	struct stat info;
	int length = 0;

	/* The XDG base directory specification requires that relative paths are ignored. */
	if (cache && cache[0] == '/')
		length = snprintf(place->path, PATH_BYTES, "%s", cache);
	else if (home && home[0] == '/')
		length = snprintf(place->path, PATH_BYTES, "%s/.cache", home);
	if (length <= 0 || length >= PATH_BYTES)
		return set_problem("XDG_CACHE_HOME and HOME",
			"neither is an absolute path: set XDG_CACHE_HOME to a folder");
	if (folders_make(place->path))
		place->fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->fd < 0 || fstat(place->fd, &info) != 0)
		return set_problem(place->path,
			"%s: set XDG_CACHE_HOME to a folder that can be written", strerror(errno));
	if (info.st_mode & S_ISVTX)
		info.st_mode &= ~(mode_t)OTHERS_WRITE;
	if (*distrust(&info, true))
		return set_problem(place->path, "%s: set XDG_CACHE_HOME to a folder that you own",
			distrust(&info, true));
	return true;
}

/* Replaces the open folder by its subfolder `name`, which is made if it is missing. */
static bool open_below(struct place *place, const char *name)
{
	size_t used = strlen(place->path);
	struct stat info;
	int fd = -1;

	if (snprintf(place->path + used, PATH_BYTES - used, "/%s", name) >=
		(int)(PATH_BYTES - used))
		return set_problem(place->path, "the path is too long");
	if (mkdirat(place->fd, name, 0700) == 0 || errno == EEXIST)
		fd = openat(place->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		int code = errno;
		bool link = fstatat(place->fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISLNK(info.st_mode);
		return set_problem(place->path, "%s: %s",
			link ? "it is a symbolic link" : strerror(code),
			link ? "replace it with a folder"
			     : "set XDG_CACHE_HOME to a folder that can be written");
	}
	place_close(place);
	place->fd = fd;
	if (fstat(fd, &info) != 0)
		return set_problem(place->path, "%s", strerror(errno));
	if (*distrust(&info, false))
		return set_problem(place->path, "%s", distrust(&info, false));
	return true;
}

static bool open_folder(const char *folder, struct place *place)
{
	*place = PLACE_INIT;
	if (open_base(place) && open_below(place, "pmpp") && open_below(place, folder))
		return true;
	place_close(place);
	return false;
}

bool cache_file_folder(const char *folder, char ret_text[CACHE_TEXT_BYTES])
{
	struct place place;
	bool usable = open_folder(folder, &place);

	if (usable && faccessat(place.fd, ".", R_OK | W_OK | X_OK, AT_EACCESS) != 0)
		usable = set_problem(place.path, "%s", strerror(errno));
	if (usable)
		clean_text(place.path, strlen(place.path), CLEAN_LINE, ret_text, CACHE_TEXT_BYTES);
	else
		memcpy(ret_text, problem, sizeof problem);
	problem_reported |= !usable;
	place_close(&place);
	return usable;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Whether the file may be used. path: path of its folder, for messages. */
static bool is_trusted(int file, size_t max, const char *path, struct stat *ret_info)
{
	if (fstat(file, ret_info) != 0)
		return false;
	if (!S_ISREG(ret_info->st_mode))
		return set_problem(path, "a link or a folder in the place of a file was ignored");
	if (*distrust(ret_info, false))
		return set_problem(path, "a file was ignored: %s", distrust(ret_info, false));
	return (uint64_t)ret_info->st_size <= max;
}

enum cache_read cache_read(const char *folder, const char *name, size_t max,
	bool (*is_sound)(const char *bytes, size_t size), void **ret_bytes, size_t *ret_size)
{
	struct place place;
	struct stat info;
	char *bytes = NULL;

	if (!open_folder(folder, &place))
		return CACHE_READ_NONE;
	/* Without O_NONBLOCK, opening a pipe would wait for its writer. */
	int file = openat(place.fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0 && errno == ENOENT) {
		place_close(&place);
		return CACHE_READ_NONE;
	}
	if (file < 0 && errno == ELOOP)
		set_problem(place.path, "a link or a folder in the place of a file was ignored");
	if (file >= 0 && is_trusted(file, max, place.path, &info))
		bytes = file_read_all(file, (size_t)info.st_size);
	if (file >= 0)
		close(file);
	if (bytes && is_sound && !is_sound(bytes, (size_t)info.st_size)) {
		free(bytes);
		bytes = NULL;
	}
	if (!bytes)
		unlinkat(place.fd, name, 0);
	place_close(&place);
	if (!bytes)
		return CACHE_READ_REFUSED;
	*ret_bytes = bytes;
	*ret_size = (size_t)info.st_size;
	return CACHE_READ_OK;
}

/* ---- Writing ------------------------------------------------------------------------------- */

void cache_file_write(
	const char *folder, const char *name, const struct iovec *parts, size_t part_count)
{
	struct place place;

	if (!open_folder(folder, &place))
		return;
	if (!file_replace(place.fd, name, parts, part_count))
		set_problem(place.path,
			"a file cannot be written: %s: set XDG_CACHE_HOME to a folder with free space",
			strerror(errno));
	place_close(&place);
}
