#include "host/io/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
	int fd;
	char *temporary; /* NULL: fd is the target itself */
	char *resolved;  /* the target with symbolic links followed */
};

#define TARGET_INIT ((struct target){.fd = -1})

/* Mode of the file that is replaced, or what open would give a new one. */
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
	if (target->fd >= 0)
		close(target->fd);
	if (target->temporary)
		unlink(target->temporary);
	free(target->temporary);
	free(target->resolved);
	*target = TARGET_INIT;
}

static enum pmpp_status open_temporary(
	const char *path, const struct stat *old, struct target *target, struct pmpp_error *error)
{
	target->resolved = old ? realpath(path, NULL) : strdup(path);
	if (!target->resolved || asprintf(&target->temporary, "%s.XXXXXX", target->resolved) < 0) {
		target->temporary = NULL;
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: %s", path, strerror(errno));
	}
	target->fd = mkostemp(target->temporary, O_CLOEXEC);
	if (target->fd < 0) {
		enum pmpp_status status = PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be written: %s", path, strerror(errno));
		free(target->temporary);
		target->temporary = NULL;
		return status;
	}
	fchmod(target->fd, target_mode(old));
	return PMPP_OK;
}

static enum pmpp_status target_open(
	const char *path, struct target *target, struct pmpp_error *error)
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
	target->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (target->fd < 0)
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be written: %s", path, strerror(errno));
	return PMPP_OK;
}

enum pmpp_status atomic_file_check(const char *path, struct pmpp_error *error)
{
	struct target target;
	enum pmpp_status status = target_open(path, &target, error);

	target_close(&target);
	return status;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
	const char *next = bytes;

	while (size > 0) {
		ssize_t written = write(fd, next, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		next += written;
		size -= (size_t)written;
	}
	return true;
}

enum pmpp_status atomic_file_write(
	const char *path, const struct iovec *parts, size_t part_count, struct pmpp_error *error)
{
	struct target target;
	enum pmpp_status status = target_open(path, &target, error);

	if (status != PMPP_OK)
		goto out;
	for (size_t i = 0; i < part_count; i++) {
		if (!write_all(target.fd, parts[i].iov_base, parts[i].iov_len)) {
			status = PMPP_FAIL(error, PMPP_IO, "%s: %s", path, strerror(errno));
			goto out;
		}
	}
	if (!target.temporary)
		goto out;
	/* close reports what a full disk or a network file system held back. */
	int closed = close(target.fd);
	target.fd = -1;
	if (closed != 0 || rename(target.temporary, target.resolved) != 0) {
		status = PMPP_FAIL(error, PMPP_IO, "%s: %s", path, strerror(errno));
		goto out;
	}
	free(target.temporary);
	target.temporary = NULL;
out:
	target_close(&target);
	return status;
}
