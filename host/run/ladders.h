/*
 * `run`, `verify`, `parity` and `roofline`: groups of tasks on one device, or on two.
 */
#ifndef PMPP_HOST_RUN_LADDERS_H
#define PMPP_HOST_RUN_LADDERS_H

#include "host/run/runner.h"

/* On every device that the job's query names. */
enum pmpp_status ladders_on_devices(struct runner *runner);

/* On OpenCL's and CUDA's view of one device, or on two devices where they have none in common. */
enum pmpp_status ladders_on_pair(struct runner *runner);

#endif
