#include "host/io/os_process.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

bool os_program_path(char ret_path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", ret_path, PATH_MAX - 1);

	if (length < 0 || length >= PATH_MAX - 1)
		return false;
	ret_path[length] = '\0';
	return true;
}

void os_end_with_parent(int signal_number)
{
	prctl(PR_SET_PDEATHSIG, signal_number);
}

void os_name_process(const char *name)
{
	prctl(PR_SET_NAME, name);
}

const char *os_signal_name(int number)
{
	const char *name = sigabbrev_np(number);

	return name ? name : "?";
}

void os_close_from(int first)
{
	closefrom(first);
}
