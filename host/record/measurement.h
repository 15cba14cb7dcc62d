/*
 * Measurements: the check of one variant, its times, and the limits of its device. The tables in
 * measurement.c give units and meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_MEASUREMENT_H
#define PMPP_HOST_RECORD_MEASUREMENT_H

#include "common/model/noise_floor.h"
#include "host/record/device_shape.h"
#include "host/record/record.h"

/* ---- Verification -------------------------------------------------------------------------- */

/* The first wrong element of an output. */
struct mismatch_record {
	struct record record;
	int64_t row, column;
	double got, want;
};

/* Check of the output of one run against the reference. Not present: not checked. */
struct verify_record {
	struct record record;
	char *coverage;     /* "all elements", "8 rows and 8 columns; all on integers" */
	double max_ratio;   /* largest error / its bound; infinity for NaN */
	double max_ulps;    /* largest error in ulp of f32; NaN: not computed for this family */
	int64_t nan;        /* checked elements that are not finite or not written */
	int64_t mismatches; /* elements with an error above the bound, and those of nan */
	struct mismatch_record first;
	bool canary_ok; /* the guards of all operands are unchanged */
	bool inputs_intact;
	char *output_sha256; /* hash of the output; NULL before a run */
};

/* Returns true if the output and the inputs passed all checks. */
bool verify_record_passed(const struct verify_record *verify);

/* ---- Times --------------------------------------------------------------------------------- */

/* Samples in the order of measurement, and their statistics, in ns. Not present: no samples. */
struct samples_record {
	struct record record;
	struct number_list ns;
	int64_t n;
	double min, q1, median, q3;
	double notch;      /* half-width of McGill's notch / median */
	double ci95[2];    /* 95 % interval of the median; NaN: fewer than 6 samples */
	double half_width; /* half-width of ci95 / median; NaN: unknown */
};

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

/* Times of one run under a contract (docs/measuring.md). Not present: not timed. */
struct timing_record {
	struct record record;
	char *contract; /* TIMING_CONTRACT; older files: "pmpp-timing/1" */
	int primary;    /* enum timing_primary: samples that give the median of the row */
	struct samples_record cold; /* device interval of one run after a flush of the cache */
	struct samples_record hot;  /* device interval of a batch / number of its runs */
	struct samples_record host; /* host clock around launch and finish of one run */
	unsigned flags;             /* bits of enum timing_flag */
	int64_t flushed_bytes; /* flushed before each cold sample; 0 = none, -1 = not recorded */
};

struct timing_list {
	struct timing_record *items;
	size_t count;
};

#define TIMING_CONTRACT "pmpp-timing/2"

/* Returns the primary samples: cold or hot. */
const struct samples_record *timing_record_primary(const struct timing_record *timing);

/* ---- State of a device --------------------------------------------------------------------- */

/* State of the device and the machine directly after the last sample of a row. NaN and -1 =
 * unknown. */
struct device_state_record {
	struct record record;
	double sm_clock_mhz, memory_clock_mhz;
	double temperature_c;
	double power_limit_w;
	struct text_list throttle_reasons; /* words of the driver; empty = unknown */
	int64_t other_processes;
	double load_average;
	int64_t cpu_cores; /* a CPU device: processors of the machine; else -1 */
};

/* Returns true if the device is a CPU that other programs use: the load average is more than one above
 * the number of processors. This program itself keeps at most all processors and one more thread
 * busy. */
bool device_state_is_busy(const struct device_state_record *state);

/* Sets *text to "other programs use this CPU (load 10.4 on 2 cores)" if device_state_is_busy(). Otherwise
 * *text stays as it is. */
void device_state_load_text(const struct device_state_record *state, char **text);

#define DEVICE_STATE_NO_REASON "none" /* the only reason: the clocks are not reduced */

/* ---- Limits of a device -------------------------------------------------------------------- */

/* Arithmetic rates by element type, in GFLOP/s; NaN = unknown. */
struct rates_record {
	struct record record;
	double f32, f16, f64;
};

/* Rates of tensor cores by the type of their inputs, in GFLOP/s. The sums are f32. */
struct tensor_rates_record {
	struct record record;
	double f16, tf32;
};

/* Time since each roof was measured, in s; 0 = in this run; NaN = the roof is unknown. Older files do
 * not have it. */
struct roof_ages_record {
	struct record record;
	double copy, read, l2, shared, fma_f32, fma_f16, fma_f64, integer, special, tensor_f16,
		tensor_tf32, h2d, d2h;
};

/* Warnings about the samples of each roof: bits of enum timing_flag. */
struct roof_flags_record {
	struct record record;
	unsigned copy, read, l2, shared, fma_f32, fma_f16, fma_f64, integer, special, tensor_f16,
		tensor_tf32, h2d, d2h;
};

/* Measured limits of a device; NaN = unknown. */
struct roofs_record {
	struct record record;
	double copy_gbps, read_gbps, l2_gbps;
	struct rates_record fma_gflops;
	struct tensor_rates_record tensor_gflops;
	double integer_gops, special_gops; /* 10^9 operations per second */
	double shared_gbps, h2d_gbps, d2h_gbps;
	unsigned
		flags; /* of all roofs: bits of enum timing_flag; the cache does not keep such roofs */
	double age_s; /* time since the oldest roof was measured; 0 = in this run */
	struct roof_ages_record ages_s;
	struct roof_flags_record roof_flags; /* not present in older files */
};

/* Properties of the device's timer, and the time of an empty launch. */
struct timer_record {
	struct record record;
	double empty_launch_ns;     /* median device interval of an empty kernel */
	double least_launch_ns;     /* shortest interval of a kernel after other work, if known */
	double next_launch_ns;      /* time that each further empty kernel adds */
	double host_launch_ns;      /* median of the host clock around launch and finish */
	double timer_resolution_ns; /* smallest measured step between device intervals */
	double device_to_host;      /* largest device interval / host interval of one batch */
	bool device_timer_ok;       /* false: the host clock is used instead */
	char *reason;               /* why the device timer is not used; NULL = it is used */
};

/* Limits that the driver reports. */
struct limits_record {
	struct record record;
	int64_t global_bytes, max_buffer_bytes;
	int64_t max_groups[3], max_block[3];
	int64_t max_block_threads, shared_bytes, shared_optin_bytes;
	int64_t cache_bytes; /* 0 = unknown */
	int64_t compute_units;
	int64_t warp_size; /* 1 = the device has no warps, or their width is unknown */
	int64_t clock_mhz; /* 0 = unknown */
	int64_t timer_resolution_ns;
};

/* A device as one backend reports it, with the measurements of this backend. */
struct view_record {
	struct record record;
	char *backend; /* key in `views` */
	char *index, *name, *platform, *driver, *compiler, *arch;
	int64_t capabilities;
	struct limits_record limits;
	struct shape_record shape;
	struct roofs_record roofs;
	struct timer_record timer;
};

struct view_list {
	struct view_record *items;
	size_t count;
};

/* A floor of noise, measured by `compare --aa` (common/model/noise_floor.h). */
struct noise_record {
	struct record record;
	char *backend, *family;
	char *variant;             /* NULL: all variants of the family that have no own entry */
	char *dtype, *op, *data;   /* the floor is valid for this problem only */
	struct named_list problem; /* sizes */
	double sd, dof;
	int64_t runs;
	char *measured_utc;
};

struct noise_list {
	struct noise_record *items;
	size_t count;
};

/* One physical device. limits, roofs and timer are those of the first view that has them. */
struct device_record {
	struct record record;
	char *key; /* identity in rows: "uuid:...", else "pci:...", else "name:..." */
	char *uuid, *pci, *vendor, *name, *type;
	struct view_list views;
	struct limits_record limits;
	struct roofs_record roofs;
	struct timer_record timer;
	struct noise_list noise;
};

struct device_list {
	struct device_record *items;
	size_t count;
};

/* The title of a device that is shown without a backend: "AMD EPYC (Intel(R) OpenCL)". Several OpenCL
 * platforms run one CPU, so the title of a CPU has its platform. Identities never have the platform.
 * malloc'ed; NULL if there is no memory. */
char *device_record_title(const struct device_record *device);

/* Writes such a title. The platform may be NULL or "": the title is then the name. */
void device_title(const char *name, const char *platform, char *ret_title, size_t size);

#define DEVICE_TITLE_BYTES 256

/* Appends a copy of the device. */
enum pmpp_status device_list_add(
	struct device_list *list, const struct device_record *device, struct pmpp_error *error);

/* Adds copies of the views of `other`, a record of the same device. Replaces a view of the same
 * backend. If the device has no timer, it gets the timer of `other`. Its roofs become those of the
 * first view that has roofs. */
enum pmpp_status device_record_merge(
	struct device_record *device, const struct device_record *other, struct pmpp_error *error);

/* Sets the roofs of the device to a copy of the roofs of its first view that has roofs. Without
 * such a view the roofs do not change. */
enum pmpp_status device_record_take_roofs(struct device_record *device, struct pmpp_error *error);

extern const struct record_type verify_type, timing_type, samples_type, device_state_type,
	roofs_type, timer_type, limits_type, view_type, device_type, noise_type;

#endif
