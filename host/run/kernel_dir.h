/*
 * Checks the files of --kernel-dir before any variant runs.
 */
#ifndef PMPP_HOST_RUN_KERNEL_DIR_H
#define PMPP_HOST_RUN_KERNEL_DIR_H

#include "host/run/device_select.h"
#include "host/run/targets.h"

/* Returns PMPP_USAGE unless root is a folder with a readable file for each target on each of the
 * backends (bits: BACKEND_BIT). The message has the folder, the first file that cannot be read, and
 * the number of other such files. root: NULL = the built-in kernels. */
enum pmpp_status kernel_dir_check(const char *root, const struct target_list *targets,
	unsigned backends, struct pmpp_error *error);

#endif
