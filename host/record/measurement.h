/*
 * Measurements: the check of one variant, its times, and the limits of its device. measurement.def
 * gives units and meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_MEASUREMENT_H
#define PMPP_HOST_RECORD_MEASUREMENT_H

#include "common/model/shape.h"
#include "host/record/record.h"

/* ---- Verification -------------------------------------------------------------------------- */

#define RECORDS "host/record/measurement.def"
#include "common/records.inc"

/* Returns true if the output and the inputs passed all checks. */
bool verify_record_passed(const struct verify_record *verify);

/* ---- Times --------------------------------------------------------------------------------- */

enum timing_primary {
	TIMING_COLD,
	TIMING_HOT
};

enum timing_flag {
	TIMING_BELOW_RESOLUTION = 1
				  << 0, /* run shorter than 20 timer resolutions; hot is primary */
	TIMING_THROTTLED = 1 << 1,      /* the probe was slower beside some samples */
	TIMING_HOST_CLOCK = 1 << 2,     /* the host clock replaces the device timer */
	TIMING_NOISY = 1 << 3,          /* the half-width of the interval is 0.5 % or more */
	TIMING_UNFLUSHED = 1 << 4 /* the cache was not flushed completely before cold samples */
};

/* Words of enum timing_primary, and of the bits of enum timing_flag; NULL ends each list. */
extern const char *const timing_primary_words[], *const timing_flag_words[];

#define TIMING_CONTRACT "pmpp-timing/2"

/* Returns the primary samples: cold or hot. */
const struct samples_record *timing_record_primary(const struct timing_record *timing);

/* ---- State of a device --------------------------------------------------------------------- */

/* Returns true if the device is a CPU that other programs use: the load average is more than one above
 * the number of processors. This program itself keeps at most all processors and one more thread
 * busy. */
bool device_state_is_busy(const struct device_state_record *state);

/* Sets *text to "other programs use this CPU (load 10.4 on 2 cores)" if device_state_is_busy(). Otherwise
 * *text stays as it is. */
void device_state_load_text(const struct device_state_record *state, char **text);

/* ---- Devices of a machine ------------------------------------------------------------------ */

/* The schema of the file of `devices --json`: the devices and the state of each backend. */
#define INVENTORY_SCHEMA "pmpp-devices/1"

#define DEVICE_STATE_NO_REASON "none" /* the only reason: the clocks are not reduced */

/* ---- Limits of a device -------------------------------------------------------------------- */

/* The title of a device that is shown without a backend: "AMD EPYC (Intel(R) OpenCL)". Several OpenCL
 * platforms run one CPU, so the title of a CPU has its platform. Identities never have the platform.
 * malloc'ed; NULL if there is no memory. */
char *device_record_title(const struct device_record *device);

/* Writes such a title. The platform may be NULL or "": the title is then the name. */
void device_title(const char *name, const char *platform, char *ret_title, size_t size);

#define DEVICE_TITLE_BYTES 256

/* The view of a device through a backend. NULL: there is none, or no device. */
struct view_record *device_view(const struct device_record *device, const char *backend);

/* The device with this key; NULL = none. */
struct device_record *device_list_find(const struct device_list *devices, const char *key);

/* Adds copies of the views of `other`, a record of the same device. Replaces a view of the same
 * backend. If the device has no timer, it gets the timer of `other`. Its roofs become those of the
 * first view that has roofs. */
enum pmpp_status device_record_merge(
	struct device_record *device, const struct device_record *other, struct pmpp_error *error);

#endif
