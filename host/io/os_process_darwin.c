#include "host/io/os_process.h"

#include <ctype.h>
#include <mach-o/dyld.h>
#include <signal.h>
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

const char *os_signal_name(int number)
{
	static char name[16];
	size_t i = 0;

	if (number < 1 || number >= NSIG)
		return "?";
	/* The names of the system are in lower case. */
	for (; sys_signame[number][i] && i + 1 < sizeof name; i++)
		name[i] = (char)toupper((unsigned char)sys_signame[number][i]);
	name[i] = '\0';
	return name;
}

void os_close_from(int first)
{
	long count = sysconf(_SC_OPEN_MAX);

	for (int fd = first; fd < count; fd++)
		close(fd);
}
