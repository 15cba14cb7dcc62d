/* Result files of devices that ship with the program: the value of --with. */
#ifndef PMPP_HOST_CLI_SHIPPED_FILES_H
#define PMPP_HOST_CLI_SHIPPED_FILES_H

#include "host/cli/result_files.h"
#include "host/record/shipped.h"

/* Appends the files of shipped devices. A GPU joins the same GPU of another file; a CPU stays apart
 * (contribution_set_apart(), contribution_join_devices()). with: the value of --with ("h200,h100",
 * "all"); NULL: none. PMPP_USAGE: shipped_find() and shipped_choose() (host/record/shipped.h),
 * result_files_load(). */
enum pmpp_status result_files_load_shipped(
	const char *with, struct result_files *files, struct pmpp_error *error);

/* Appends the file of one shipped device without a change of its devices. */
enum pmpp_status result_files_load_shipped_as_is(const struct shipped_list *devices,
	const char *name, struct result_files *files, struct pmpp_error *error);

#endif
