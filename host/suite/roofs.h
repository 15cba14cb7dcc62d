/*
 * The measured limits of a device.
 */
#ifndef PMPP_HOST_SUITE_ROOFS_H
#define PMPP_HOST_SUITE_ROOFS_H

#include "common/model/floor.h"
#include "common/operations.h"
#include "host/gpu/gpu.h"
#include "host/suite/bench.h"
#include "host/suite/roof_rows.h"

/* Returns a record in which every figure is NaN. It owns nothing. */
struct roofs_record roofs_unknown(void);

/* The figure of a role. GB/s, or 10^9 operations per second; NaN = unknown. */
double *roof_figure(struct roofs_record *roofs, enum roof_role role);

/* The rate of a type, in 10^9 operations per second; NaN = unknown, or no row measures the type. */
double roofs_rate(const struct roofs_record *roofs, enum operations operations);

/* primary: whether the primary samples are cold or hot. flags (enum timing_flag): the flags of
 * these samples. Cold samples without a complete flush may read their data from the cache, as hot
 * samples do. */
struct floor_rates floor_rates_of(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	enum timing_primary primary, unsigned flags);

struct device_roofs {
	bool known;
	struct roofs_record roofs; /* NaN until known; owns nothing */
};

void device_roofs_init(struct device_roofs *device);

/* Reads the roofs from the cache directory (roofs_cache.def). Measures the roofs that this
 * backend has not yet measured on this device; force: measures all roofs again. The measurement
 * uses the bench with default options; `options` gives progress and math of the calibration. A
 * figure from throttled, noisy or host-clock samples is used with its flag, but not cached for a
 * GPU. The roofs of emulated devices stay unknown. Returns only errors of the device. */
enum pmpp_status device_roofs_get(
	struct device_roofs *device, struct bench *bench, bool force, struct pmpp_error *error);

struct kept_roofs {
	struct roofs_record own;      /* measured through the backend of the device */
	bool complete;                /* own contains each figure that the backend can measure */
	struct roofs_record doubtful; /* own figures from samples with warnings */
	bool pause;                   /* doubtful is recent: use it, and do not measure again yet */
};

/* Returns a struct without known figures. */
struct kept_roofs kept_roofs_none(void);

/* Returns kept_roofs_none() if the file is missing, damaged, of another schema, or not trusted
 * (host/io/cache_file.h). roof_dir: root of the kernel files; NULL: embedded. */
struct kept_roofs roofs_cache_load(const struct gpu_device_info *info, const char *roof_dir);

/* Writes own, complete and, for a CPU, doubtful as the part of the device's backend. The other
 * parts do not change. Figures from samples with warnings are not
 * cached for a GPU. For a CPU they are cached for ten minutes: other programs always run on a CPU,
 * so nearly all its samples have warnings, and measuring its roofs takes seconds. A failed write is
 * not an error: each process then measures the roofs again. */
void roofs_cache_store(
	const struct gpu_device_info *info, const char *roof_dir, const struct kept_roofs *kept);

#endif
