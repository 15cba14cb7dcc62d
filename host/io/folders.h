/* Folders of the user's data and caches. */
#ifndef PMPP_HOST_IO_FOLDERS_H
#define PMPP_HOST_IO_FOLDERS_H

#include <stdbool.h>

/* Makes a folder and its parents with mode 0700. Existing folders stay as they are. path is
 * absolute; the function changes it and restores it. false: a folder cannot be made, errno has the
 * reason. */
bool folders_make(char *path);

#endif
