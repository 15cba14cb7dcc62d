#include "host/io/os_process.h"

#include <mach-o/dyld.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

bool os_program_path(char ret_path[PATH_MAX])
{
	char path[PATH_MAX];
	uint32_t size = sizeof path;

	return _NSGetExecutablePath(path, &size) == 0 && realpath(path, ret_path);
}

void os_end_with_parent(int signal_number)
{
	(void)signal_number;
}

void os_name_process(const char *name)
{
	(void)name;
}

void os_close_from(int first)
{
	long count = sysconf(_SC_OPEN_MAX);

	for (int fd = first; fd < count; fd++)
		close(fd);
}
