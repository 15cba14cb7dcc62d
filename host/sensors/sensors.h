/*
 * The state of a device and of its machine while a row is timed: clocks, temperature, power limit,
 * reasons for reduced clocks, other processes, load.
 *
 * Sources: NVIDIA's management library and files of the Linux drivers. What no source reports stays
 * unknown. There are no errors: a state never decides whether a row is valid.
 */
#ifndef PMPP_HOST_SENSORS_SENSORS_H
#define PMPP_HOST_SENSORS_SENSORS_H

#include "host/record/measurement.h"

#define SENSORS_PATH_BYTES 512 /* the longest path that is read */

/* Paths of the sources. NULL: the default path. Tests set other paths. */
struct sensor_places {
	const char *sysfs_root;   /* "/sys" */
	const char *nvml_library; /* "libnvidia-ml.so.1" */
};

/* Zero-initialised: closed. */
struct sensors {
	bool open;
	void *nvml;                      /* NVIDIA's library, of dlopen(); NULL = not open */
	struct nvml_device *gpu;         /* its handle of the device */
	char folder[SENSORS_PATH_BYTES]; /* "/sys/bus/pci/devices/0000:03:00.0"; "" = none */
};

/* Opens the sources of one device. uuid: "8-4-4-4-12" hex digits; pci: "0000:0f:00.0"; "": unknown.
 * If both are unknown, only the machine's load is read. The first call may take some 10 ms, because
 * NVIDIA's library starts. Do not call it between samples. */
void sensors_init(struct sensors *sensors, const struct sensor_places *places, const char *uuid,
	const char *pci);

/* Reads the state now: *ret_state is present, and its unknown members are null. The caller finishes
 * it. The function reads a few files, or makes a few calls of NVIDIA's library: a few ms at
 * most. */
void sensors_read(const struct sensors *sensors, struct device_state_record *ret_state);

void sensors_finish(struct sensors *sensors);

#endif
