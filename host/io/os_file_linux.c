#include "host/io/os_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Entry of an open file. linkat() on it gives the file a name (open(2), O_TMPFILE). */
#define ENTRY_FORMAT "/proc/self/fd/%d"

int os_nameless_open(int folder, const char *path)
{
	int file = openat(folder, path, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char entry[OS_MEMORY_PATH_BYTES];
	struct stat info;

	snprintf(entry, sizeof entry, ENTRY_FORMAT, file);
	if (file >= 0 && stat(entry, &info) != 0) {
		close(file);
		file = -1;
	}
	return file;
}

bool os_nameless_link(int file, int folder, const char *path)
{
	char entry[OS_MEMORY_PATH_BYTES];

	snprintf(entry, sizeof entry, ENTRY_FORMAT, file);
	return linkat(AT_FDCWD, entry, folder, path, AT_SYMLINK_FOLLOW) == 0;
}

int os_memory_file(const char *name, char ret_path[OS_MEMORY_PATH_BYTES])
{
	int file = memfd_create(name, 0);

	snprintf(ret_path, OS_MEMORY_PATH_BYTES, ENTRY_FORMAT, file);
	return file;
}
