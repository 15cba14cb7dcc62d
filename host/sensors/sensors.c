#include "host/sensors/sensors.h"

#include <stdlib.h>

#define SYSFS_ROOT "/sys"
#define NVML_LIBRARY "libnvidia-ml.so.1"

void sensors_init(struct sensors *sensors, const struct sensor_places *places, const char *uuid,
	const char *pci)
{
	const char *library = places->nvml_library ? places->nvml_library : NVML_LIBRARY;
	const char *root = places->sysfs_root ? places->sysfs_root : SYSFS_ROOT;

	*sensors = (struct sensors){.open = true};
	if (*uuid || *pci)
		nvml_open(&sensors->nvml, library, uuid, pci);
	sysfs_open(&sensors->sysfs, root, pci);
}

void sensors_read(const struct sensors *sensors, struct device_state_record *ret_state)
{
	double load;

	record_init(&device_state_type, ret_state);
	nvml_read(&sensors->nvml, ret_state);
	sysfs_read(&sensors->sysfs, ret_state);
	if (getloadavg(&load, 1) == 1)
		ret_state->load_average = load;
}

void sensors_finish(struct sensors *sensors)
{
	nvml_close(&sensors->nvml);
	*sensors = (struct sensors){0};
}
