/* Result files of devices that ship with the program: the value of --with. */
#ifndef PMPP_HOST_CLI_SHIPPED_FILES_H
#define PMPP_HOST_CLI_SHIPPED_FILES_H

#include "host/cli/result_files.h"
#include "host/record/shipped.h"

/* Appends the files of shipped devices. A GPU joins the same GPU of another file
 * (device_public_identity()); a CPU stays apart (contribution_set_apart()). with: the value of --with ("h200,h100",
 * "all"); NULL: none. PMPP_USAGE: shipped_find() and shipped_choose() (host/record/shipped.h),
 * result_files_load(). */
enum pmpp_status result_files_load_shipped(
	const char *with, struct result_files *files, struct pmpp_error *error);

/* Appends the file of that path, else of the shipped device of that name: the value of --like. */
enum pmpp_status result_files_load_like(
	const char *value, struct result_files *files, struct pmpp_error *error);

/* As result_files_load_shipped() for one device. If its file cannot be used, stderr gets a note,
 * and the function appends nothing. */
void result_files_try_shipped(const char *name, struct result_files *files);

/* PMPP_USAGE: `output`, the value of `option`, is the file of a shipped device and would be
 * replaced; or PMPP_DEVICES_DIR is set and names no folder. */
enum pmpp_status shipped_check_output(
	const char *option, const char *output, struct pmpp_error *error);

/* Prints an error as a note, and clears it. */
void shipped_put_note(struct pmpp_error *error);

#endif
