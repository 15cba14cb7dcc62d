/*
 * The state of a GPU from NVIDIA's management library (NVML), which is part of NVIDIA's driver. The
 * library is opened at run time. Without it all members of the state stay unknown.
 *
 * Source: NVML API Reference Guide, docs.nvidia.com/deploy/nvml-api. The functions, constants and
 * structs that are used here are declared in nvml.c.
 */
#ifndef PMPP_HOST_SENSORS_NVML_H
#define PMPP_HOST_SENSORS_NVML_H

#include "host/record/measurement.h"

struct nvml_device; /* a handle of the library */

/* Zero-initialised: not open. */
struct nvml {
	void *library;              /* of dlopen(); NULL = not open */
	struct nvml_device *device; /* not owned */
};

/* Opens the library and finds the device by UUID, else by PCI address ("": unknown). Leaves it
 * closed if there is no library or no such device. */
void nvml_open(struct nvml *nvml, const char *library, const char *uuid, const char *pci);

/* Sets the members that the library reports. other_processes is set only if the library's list
 * contains this process. If it does not, for example in a container, the process numbers have
 * another meaning. */
void nvml_read(const struct nvml *nvml, struct device_state_record *state);

void nvml_close(struct nvml *nvml);

#endif
