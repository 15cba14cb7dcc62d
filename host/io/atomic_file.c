#include "host/io/atomic_file.h"

#include "host/io/os.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_LINKS 40
#define PIPE_PAUSE_NS 20000000L

/* A file that replaces another one when it is complete. */
struct new_file {
	int fd;
	int folder;      /* names are relative to this open folder */
	char *temporary; /* its name until it is complete; owned */
	bool named;      /* it has that name */
};

struct target {
	struct new_file file;
	char *resolved; /* the target with symbolic links followed; NULL: file.fd is the target itself */
};

#define TARGET_INIT ((struct target){.file.fd = -1})

/* ---- New files ------------------------------------------------------------------------------ */

/* Opens a file without a name, which disappears with the process. If the file system has no such
 * files, the file gets its temporary name. Returns false, with errno set, on failure. */
static bool new_file_open(int folder, const char *name, struct new_file *file)
{
	unsigned long long random;
	char *copy = strdup(name); /* dirname() modifies its argument */
	const char *place = copy ? dirname(copy) : NULL;

	*file = (struct new_file){.fd = -1, .folder = folder};
	if (!place || getentropy(&random, sizeof random) != 0 ||
		asprintf(&file->temporary, "%s/.pmpp-%016llx", place, random) < 0)
		file->temporary = NULL;
	else
		file->fd = os_nameless_open(folder, place);
	free(copy);
	if (file->fd >= 0 || !file->temporary)
		return file->fd >= 0;
	file->fd = openat(folder, file->temporary,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	file->named = file->fd >= 0;
	return file->named;
}

/* Removes a file that was not committed. Keeps errno. */
static void new_file_close(struct new_file *file)
{
	int code = errno;

	if (file->fd >= 0)
		close(file->fd);
	if (file->named)
		unlinkat(file->folder, file->temporary, 0);
	free(file->temporary);
	*file = (struct new_file){.fd = -1};
	errno = code;
}

/* Gives the file its name, and replaces an existing file of this name. To replace a file, a nameless
 * file first gets its temporary name. Returns false, with errno set, on failure. */
static bool new_file_commit(struct new_file *file, const char *name)
{
	/* close() reports late errors of a full disk or a network file system. */
	int copy = dup(file->fd);

	if (copy < 0 || close(copy) != 0)
		return false;
	if (!file->named && os_nameless_link(file->fd, file->folder, name))
		return true;
	if (!file->named)
		file->named = os_nameless_link(file->fd, file->folder, file->temporary);
	if (!file->named || renameat(file->folder, file->temporary, file->folder, name) != 0)
		return false;
	file->named = false;
	return true;
}

bool file_write_all(int file, const void *bytes, size_t size)
{
	const char *next = bytes;

	while (size > 0) {
		ssize_t written = write(file, next, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		next += written;
		size -= (size_t)written;
	}
	return true;
}

static bool write_parts(int file, const struct iovec *parts, size_t part_count)
{
	for (size_t i = 0; i < part_count; i++)
		if (!file_write_all(file, parts[i].iov_base, parts[i].iov_len))
			return false;
	return true;
}

bool file_replace(int folder, const char *name, const struct iovec *parts, size_t part_count)
{
	struct new_file file;
	bool replaced = new_file_open(folder, name, &file) &&
			write_parts(file.fd, parts, part_count) && new_file_commit(&file, name);

	new_file_close(&file);
	return replaced;
}

/* ---- Targets -------------------------------------------------------------------------------- */

/* Returns the mode of the replaced file, or the mode that open() gives to a new file. */
static mode_t target_mode(const struct stat *old)
{
	if (old)
		return old->st_mode & 07777;
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static void target_close(struct target *target)
{
	new_file_close(&target->file);
	free(target->resolved);
	*target = TARGET_INIT;
}

/* Follows symbolic links to a file that does not exist. Returns the path of the file; the caller
 * frees it. NULL: errno is set. */
static char *new_path(const char *path)
{
	char *at = strdup(path);
	char link[PATH_MAX];
	ssize_t length;

	for (int links = 0; at && (length = readlink(at, link, sizeof link - 1)) >= 0; links++) {
		const char *slash = strrchr(at, '/');
		int folder = slash ? (int)(slash + 1 - at) : 0;
		char *next = NULL;
		link[length] = '\0';
		if (links == MAX_LINKS)
			errno = ELOOP;
		else if (asprintf(&next, "%.*s%s", *link == '/' ? 0 : folder, at, link) < 0)
			next = NULL;
		free(at);
		at = next;
	}
	return at;
}

/* The reason is in errno. */
static enum pmpp_status refuse(const char *path, struct pmpp_error *error)
{
	return PMPP_FAIL(error, errno == ENOMEM ? PMPP_OUT_OF_MEMORY : PMPP_USAGE,
		"%s: cannot be written: %s", path, strerror(errno));
}

static enum pmpp_status open_temporary(
	const char *path, const struct stat *old, struct target *target, struct pmpp_error *error)
{
	target->resolved = old ? realpath(path, NULL) : new_path(path);
	if (!target->resolved || !new_file_open(AT_FDCWD, target->resolved, &target->file))
		return refuse(path, error);
	fchmod(target->file.fd, target_mode(old));
	return PMPP_OK;
}

/* Opening a named pipe waits for its reader. The signals that end a job are blocked while results
 * are written, so a plain open() could wait forever. Returns -1, with errno set; EINTR: such a
 * signal arrived. */
static int open_pipe(const char *path)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const struct timespec pause = {.tv_nsec = PIPE_PAUSE_NS};
	sigset_t pending;

	for (;;) {
		int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && fcntl(fd, F_SETFL, O_WRONLY) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
		if (errno != ENXIO || nanosleep(&pause, NULL) != 0)
			return -1;
		sigpending(&pending);
		for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
			if (sigismember(&pending, signals[i])) {
				errno = EINTR;
				return -1;
			}
	}
}

static enum pmpp_status open_special(
	const char *path, const struct stat *info, struct target *target, struct pmpp_error *error)
{
	target->file.fd =
		S_ISFIFO(info->st_mode) ? open_pipe(path) : open(path, O_WRONLY | O_CLOEXEC);
	if (target->file.fd >= 0)
		return PMPP_OK;
	if (errno == EINTR)
		return PMPP_FAIL(error, PMPP_INTERRUPTED,
			"%s: interrupted: no process reads the pipe", path);
	return refuse(path, error);
}

static enum pmpp_status target_open(
	const char *path, bool only_check, struct target *target, struct pmpp_error *error)
{
	struct stat old;
	bool exists = stat(path, &old) == 0;

	*target = TARGET_INIT;
	if (!*path)
		return PMPP_FAIL(error, PMPP_USAGE, "an output file has an empty name");
	if (exists && S_ISDIR(old.st_mode))
		return PMPP_FAIL(error, PMPP_USAGE, "%s: is a folder, not a file", path);
	if (!exists || S_ISREG(old.st_mode))
		return open_temporary(path, exists ? &old : NULL, target, error);
	if (!only_check)
		return open_special(path, &old, target, error);
	return access(path, W_OK) == 0 ? PMPP_OK : refuse(path, error);
}

enum pmpp_status atomic_file_check(const char *path, struct pmpp_error *error)
{
	struct target target;
	enum pmpp_status status = target_open(path, true, &target, error);

	target_close(&target);
	return status;
}

/* The path that a file at this path replaces, without symbolic links. The caller frees it. NULL: no
 * file is replaced (a device, a pipe), or the folder does not exist. */
static char *replaced_path(const char *path)
{
	struct stat info;
	char *copies[2] = {NULL, NULL}; /* dirname() and basename() modify their argument */
	char *result = NULL;

	if (stat(path, &info) == 0)
		return S_ISREG(info.st_mode) ? realpath(path, NULL) : NULL;
	copies[0] = new_path(path);
	copies[1] = copies[0] ? strdup(copies[0]) : NULL;
	char *folder = copies[0] ? realpath(dirname(copies[0]), NULL) : NULL;
	if (folder && copies[1] && asprintf(&result, "%s/%s", folder, basename(copies[1])) < 0)
		result = NULL;
	free(folder);
	free(copies[0]);
	free(copies[1]);
	return result;
}

bool atomic_file_same(const char *path, const char *other)
{
	char *first = replaced_path(path);
	char *second = replaced_path(other);
	bool same = first && second && strcmp(first, second) == 0;

	free(first);
	free(second);
	return same;
}

enum pmpp_status atomic_file_write(
	const char *path, const struct iovec *parts, size_t part_count, struct pmpp_error *error)
{
	struct target target;
	enum pmpp_status status = target_open(path, false, &target, error);

	/* The path was valid when the command began, so the file system has changed. */
	if (status == PMPP_USAGE)
		error->status = status = PMPP_IO;
	if (status == PMPP_OK &&
		(!write_parts(target.file.fd, parts, part_count) ||
			(target.resolved && !new_file_commit(&target.file, target.resolved))))
		status = PMPP_FAIL(error, PMPP_IO, "%s: %s", path, strerror(errno));
	target_close(&target);
	return status;
}

char *file_read_all(int file, size_t size)
{
	char *bytes = malloc(size + 1);

	for (size_t done = 0; bytes && done < size;) {
		ssize_t got = read(file, bytes + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int code = got < 0 ? errno : EIO;
			free(bytes);
			errno = code;
			return NULL;
		}
		done += (size_t)got;
	}
	if (bytes)
		bytes[size] = '\0';
	return bytes;
}
