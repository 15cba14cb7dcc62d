/*
 * --fleet: a command that runs as one rank of a fleet, which is one of several processes that a
 * launcher starts at the same time (mpirun, srun, torchrun, GNU parallel). Ranks do not communicate:
 * each one takes a device, runs the job on it and writes its own files.
 */
#ifndef PMPP_HOST_CLI_FLEET_H
#define PMPP_HOST_CLI_FLEET_H

#include "host/cli/cli_options.h"
#include "host/run/collector.h"

/* Finds the rank of this process: from --rank=I/N, else from the variables of a launcher. text:
 * I/N; NULL: not given. label: the id if there is no launcher, or if it sets no id; NULL: not
 * given. Makes the folder of the locks. PMPP_USAGE: no rank, a wrong rank, or no id. PMPP_IO: no
 * folder. */
enum pmpp_status fleet_rank_find(
	const char *text, const char *label, struct fleet_rank *ret_rank, struct pmpp_error *error);

/* "out.3.json" for "out.json" and rank 3; "out.3" for "out". */
void fleet_path(const char *path, int64_t rank, char *ret_path, size_t size);

/* Runs the job on the device of the rank. Output files get the number of the rank in their names. If
 * there are several ranks, the rank prints one line in place of tables. The exit code of the
 * launcher's process is 130 or 141 if a signal or a closed pipe ended the job, else 0. */
enum pmpp_status command_fleet(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error);

#endif
