/*
 * Device records for result files, from the driver's description of the device.
 */
#ifndef PMPP_HOST_SUITE_FILL_DEVICE_H
#define PMPP_HOST_SUITE_FILL_DEVICE_H

#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* Bytes of a device's key, with the ending zero. */
#define DEVICE_KEY_BYTES 320

/* The key of a device in files: its UUID, else its PCI address, else its name. It does not contain
 * the driver, so an update of the driver does not change it. */
void fill_device_key(const struct gpu_device_info *info, char *ret_key, size_t size);

/* The title of the device: that of its record (device_record_title()). */
void fill_device_title(const struct gpu_device_info *info, char *ret_title, size_t size);

/* Initialises *ret_device with one view; roofs and timer are not present. */
enum pmpp_status device_record_fill(const struct gpu_device_info *info,
	struct device_record *ret_device, struct pmpp_error *error);

/* Copies the roofs and the timer that were measured through the record's only view into the
 * record. NULL: not measured. */
void device_record_measured(struct device_record *device, const struct roofs_record *roofs,
	const struct timer_record *timer);

#endif
