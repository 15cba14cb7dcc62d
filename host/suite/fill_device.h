/*
 * Devices as records: what the driver reports of a device, for result files.
 */
#ifndef PMPP_HOST_SUITE_FILL_DEVICE_H
#define PMPP_HOST_SUITE_FILL_DEVICE_H

#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* Bytes of a device's key, with the ending zero. */
#define DEVICE_KEY_BYTES 320

/* The name of a device in files: UUID, else PCI address, else name. The driver is not part of it: a
 * device stays the same device after an update of its driver. */
void fill_device_key(const struct gpu_device_info *info, char *ret_key, size_t size);

/* A record with one view; roofs and timer are not present. *ret_device is initialised here. */
enum pmpp_status device_record_fill(const struct gpu_device_info *info,
	struct device_record *ret_device, struct pmpp_error *error);

/* Copies what was measured through the record's only view into the record. NULL:
 * not measured. */
void device_record_measured(struct device_record *device, const struct roofs_record *roofs,
	const struct timer_record *timer);

#endif
