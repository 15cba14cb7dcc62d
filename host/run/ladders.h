/*
 * `run`, `verify`, `parity` and `roofline`: groups of tasks on one device, or on two.
 */
#ifndef PMPP_HOST_RUN_LADDERS_H
#define PMPP_HOST_RUN_LADDERS_H

#include "host/run/runner.h"

/* Runs on every device that the job's query names. */
enum pmpp_status ladders_on_devices(struct runner *runner);

/* Runs on one device through OpenCL and CUDA, or on two devices if the backends share none. */
enum pmpp_status ladders_on_pair(struct runner *runner);

#endif
