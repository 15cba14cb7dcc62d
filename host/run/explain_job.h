/*
 * `explain`: every variant is traced on the emulator, and measured where there is a device for
 * that.
 */
#ifndef PMPP_HOST_RUN_EXPLAIN_JOB_H
#define PMPP_HOST_RUN_EXPLAIN_JOB_H

#include "host/run/runner.h"

/* runner->inventory has the backends that --backend and --device name; the emulator is looked for
 * here. */
enum pmpp_status explain_job(struct runner *runner);

#endif
