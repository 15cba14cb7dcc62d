#include "host/io/os_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int os_nameless_open(int folder, const char *path)
{
	(void)folder, (void)path;
	errno = ENOTSUP;
	return -1;
}

bool os_nameless_link(int file, int folder, const char *path)
{
	(void)file, (void)folder, (void)path;
	errno = ENOTSUP;
	return false;
}

int os_memory_file(const char *name, char ret_path[OS_MEMORY_PATH_BYTES])
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	int length = snprintf(
		path, sizeof path, "%s/%s-XXXXXX", folder && *folder ? folder : "/tmp", name);

	if (length >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int file = mkstemp(path);
	if (file >= 0)
		unlink(path);
	snprintf(ret_path, OS_MEMORY_PATH_BYTES, "/dev/fd/%d", file);
	return file;
}
