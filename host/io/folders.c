#include "host/io/folders.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
