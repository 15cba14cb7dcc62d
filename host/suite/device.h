/*
 * Properties of a device that the suite derives from its description.
 */
#ifndef PMPP_HOST_SUITE_DEVICE_H
#define PMPP_HOST_SUITE_DEVICE_H

#include "common/family.h"
#include "common/model/last_level_cache.h"
#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* GPU, CPU or emulated: the class that selects the default size. */
enum device_class suite_device_class(const struct gpu_device_info *info);

/* true: times on this device are not performance. */
bool suite_is_emulated(const struct gpu_device_info *info);

/* Bytes of the last-level cache (common/model/last_level_cache.h); 0 only for emulated devices. */
uint64_t suite_cache_bytes(const struct gpu_device_info *info);

/* What the functions of common/model/last_level_cache.h use. */
struct cache_facts suite_cache_facts(const struct gpu_device_info *info);

/* The shape for the configs of the device: its own for a GPU, else the reference, so that CPUs and
 * emulators give the same results on every machine. info: NULL = no device. model: the access model
 * of an emulator, which gives lanes and sectors; NULL = none. */
struct kernel_shape suite_kernel_shape(
	const struct gpu_device_info *info, const struct access_model *model);

/* Number of units of the device, as the roofs and the flush use it: the shape's, else the compute
 * units that the driver reports; at least 1. */
int64_t suite_units(const struct gpu_device_info *info);

/* The maximum `work` (config_work()) of the large check of `verify` on this device: 4096^3 on a
 * GPU, 2^26 on PoCL, 2^24 emulated, 2^21 traced and on other OpenCL CPU devices, 2^18 on
 * Oclgrind. */
double suite_work_budget(const struct gpu_device_info *info, bool traced);

/* true: after this failure of the calibration or of the roofs, variants can still be verified, but
 * not timed. */
bool suite_is_about_timing(enum pmpp_status status);

/* true: both are the same physical device. Compares the UUIDs. Compares the PCI addresses if one
 * UUID is unknown, or if both are views of two OpenCL platforms. */
bool suite_same_device(const struct gpu_device_info *a, const struct gpu_device_info *b);

/* The key of a device in files: its UUID, else its PCI address, else its name. It does not contain
 * the driver, so an update of the driver does not change it. */
struct device_key {
	char text[320];
};
struct device_key device_key(const struct gpu_device_info *info);

/* The title of the device: that of its record (device_record_title()). */
void fill_device_title(const struct gpu_device_info *info, char *ret_title, size_t size);

/* Initialises *ret_device with one view. roofs, timer: measured through this view, which are copied to the
 * record and to the view; NULL: not measured, and not present. */
enum pmpp_status device_record_fill(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	struct device_record *ret_device, struct pmpp_error *error);

#endif
