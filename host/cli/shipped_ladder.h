/* Ladders of devices that ship with the program. */
#ifndef PMPP_HOST_CLI_SHIPPED_LADDER_H
#define PMPP_HOST_CLI_SHIPPED_LADDER_H

#include "host/cli/cli_options.h"
#include "host/record/result.h"

/* show --results=NAME FAMILY[/VARIANT]...: prints each ladder as the table of `run`, that of CUDA if the device has
 * it. PMPP_USAGE: an unknown name, or a device without these rows. */
enum pmpp_status shipped_ladder_show(const struct cli_options *options, struct pmpp_error *error);

/* Prints the ladder of a shipped GPU beside the times of `run`, if `run` showed one family on a CPU, on a terminal, and
 * the user named no device. run: the rows. Prints nothing if the file of the GPU cannot be read. */
void shipped_ladder_beside(const struct cli_options *options, const struct result_document *run);

#endif
