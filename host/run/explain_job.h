/*
 * `explain`: traces every variant on an emulator, and measures it if there is a device.
 */
#ifndef PMPP_HOST_RUN_EXPLAIN_JOB_H
#define PMPP_HOST_RUN_EXPLAIN_JOB_H

#include "host/run/runner.h"

/* runner->inventory has the backends that --backend and --device name; this function finds the
 * emulator. */
enum pmpp_status explain_job(struct runner *runner);

#endif
