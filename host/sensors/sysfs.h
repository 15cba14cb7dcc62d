/*
 * The state of a GPU from the files of its Linux driver: amdgpu, i915, xe, and others that use the
 * same names.
 *
 * Sources, in the documentation of the Linux kernel: Documentation/gpu/amdgpu/thermal.rst
 * (pp_dpm_*, hwmon), Documentation/hwmon/sysfs-interface.rst (units),
 * Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and sysfs-driver-intel-xe-hwmon, and the
 * chapters "Xe GT Frequency Management" and "Xe GT Throttle" of Documentation/gpu/xe. The files of
 * i915 below drm/card*: drivers/gpu/drm/i915/i915_sysfs.c and gt/intel_gt_sysfs_pm.c.
 */
#ifndef PMPP_HOST_SENSORS_SYSFS_H
#define PMPP_HOST_SENSORS_SYSFS_H

#include "host/record/measurement.h"

/* The longest path that is read. */
#define SYSFS_PATH_BYTES 512

/* Zero-initialised: no device. */
struct sysfs_device {
	char folder[SYSFS_PATH_BYTES]; /* "/sys/bus/pci/devices/0000:03:00.0"; "" = none */
};

/* root: "/sys", or a copy of a part of it. pci: "0000:03:00.0"; "": the device has no files. */
void sysfs_open(struct sysfs_device *device, const char *root, const char *pci);

/* Sets the members that the files report and that are still unknown. */
void sysfs_read(const struct sysfs_device *device, struct device_state_record *state);

#endif
