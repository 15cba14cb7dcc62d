/*
 * Measurements: the check of one variant, its times, and the limits of its device. The tables
 * (measurement.c) give the unit and the meaning of each member; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_MEASUREMENT_H
#define PMPP_HOST_RECORD_MEASUREMENT_H

#include "common/model/noise_floor.h"
#include "host/record/record.h"

/* ---- Verification -------------------------------------------------------------------------- */

/* The first wrong element of an output. */
struct mismatch_record {
	struct record record;
	int64_t row, column;
	double got, want;
};

/* The check of one run's output against the reference. Not present: it was not checked. */
struct verify_record {
	struct record record;
	char *coverage;     /* "all elements", "8 rows and 8 columns; all on integers" */
	double max_ratio;   /* largest error as a fraction of its bound; infinity on NaN */
	int64_t nan;        /* non-finite or unwritten elements of those checked */
	int64_t mismatches; /* elements beyond their bound, nan included */
	struct mismatch_record first;
	bool canary_ok; /* the guards of every operand are untouched */
	bool inputs_intact;
	char *output_sha256; /* of the output's bits, by rows: SHA-256 of the SHA-256 digests of its
				pieces of 1 MiB; NULL before a run */
};

/* true: the output and the inputs passed every check. */
bool verify_record_passed(const struct verify_record *verify);

/* ---- Times --------------------------------------------------------------------------------- */

/* Samples in the order taken, and their statistics, in ns. Not present: there are no samples. */
struct samples_record {
	struct record record;
	struct number_list ns;
	int64_t n;
	double min, q1, median, q3;
	double notch;      /* McGill's notch, as a fraction of the median */
	double ci95[2];    /* 95 % interval of the median; NaN: fewer than 6 samples */
	double half_width; /* of ci95, as a fraction of the median; NaN: unknown */
};

enum timing_primary {
	TIMING_COLD,
	TIMING_HOT
};

enum timing_flag {
	TIMING_BELOW_RESOLUTION = 1 << 0, /* cold is under 20 timer resolutions: hot is primary */
	TIMING_THROTTLED = 1 << 1,        /* a probe ran slower around some samples */
	TIMING_HOST_CLOCK = 1 << 2,       /* the device timer does not agree with the host clock */
	TIMING_NOISY = 1 << 3,            /* the interval of the median is not below +-0.5 % */
	TIMING_UNFLUSHED = 1 << 4         /* cold without a complete flush of the cache */
};

/* By enum timing_primary, and by bit of enum timing_flag; ended by NULL. */
extern const char *const timing_primary_words[], *const timing_flag_words[];

/* Times of one run under a contract (docs/measuring.md). Not present: not timed. */
struct timing_record {
	struct record record;
	char *contract;             /* TIMING_CONTRACT; older files: "pmpp-timing/1" */
	int primary;                /* enum timing_primary: which samples stand for the variant */
	struct samples_record cold; /* device interval, cache flushed before */
	struct samples_record hot;  /* device interval of a batch over its length */
	struct samples_record host; /* host clock around launch and finish */
	unsigned flags;             /* enum timing_flag */
	int64_t flushed_bytes;      /* before each cold sample; 0 = none, -1 = not recorded */
};

struct timing_list {
	struct timing_record *items;
	size_t count;
};

#define TIMING_CONTRACT "pmpp-timing/2"

/* The primary samples: cold, or hot if that is primary. */
const struct samples_record *timing_record_primary(const struct timing_record *timing);

/* ---- State of a device --------------------------------------------------------------------- */

/* The state of the device and the machine right after a row's last sample. NaN and -1 = unknown. */
struct device_state_record {
	struct record record;
	double sm_clock_mhz, memory_clock_mhz;
	double temperature_c;
	double power_limit_w;
	struct text_list throttle_reasons; /* words of the driver, or DEVICE_STATE_NO_REASON alone;
					      empty = unknown */
	int64_t other_processes;
	double load_average;
};

#define DEVICE_STATE_NO_REASON "none"

/* ---- Limits of a device -------------------------------------------------------------------- */

/* Rates of arithmetic by type, in GFLOP/s; NaN = unknown. */
struct rates_record {
	struct record record;
	double f32, f16, f64;
};

/* The same for tensor cores, by the type of their inputs. The sums are f32. */
struct tensor_rates_record {
	struct record record;
	double f16, tf32;
};

/* Measured limits of a device; NaN = unknown. */
struct roofs_record {
	struct record record;
	double copy_gbps, read_gbps, l2_gbps;
	struct rates_record fma_gflops;
	struct tensor_rates_record tensor_gflops;
	double integer_gops, special_gops; /* 10^9 operations per second */
	double shared_gbps, h2d_gbps, d2h_gbps;
	unsigned flags; /* enum timing_flag: warnings about the samples of some figures, which are
			   not kept for other processes */
	double age_s;   /* time since they were measured; 0 = in this run */
};

/* Properties of the device's timer, and the time of an empty launch. */
struct timer_record {
	struct record record;
	double empty_launch_ns;     /* device interval of an empty kernel, median */
	double least_launch_ns;     /* the shortest, queued behind other work where that is known */
	double next_launch_ns;      /* that each further empty kernel adds to this one */
	double host_launch_ns;      /* host clock around launch and finish of it, median */
	double timer_resolution_ns; /* smallest step seen between device intervals */
	double device_to_host;      /* device interval / host interval of the same batch, largest */
	bool device_timer_ok;       /* it agrees with the host clock; else the host clock is used */
	char *reason;               /* why the device timer is not used; NULL = it is */
};

/* Limits that the driver reports. */
struct limits_record {
	struct record record;
	int64_t global_bytes, max_buffer_bytes;
	int64_t max_groups[3], max_block[3];
	int64_t max_block_threads, shared_bytes, shared_optin_bytes;
	int64_t cache_bytes; /* 0 = unknown */
	int64_t compute_units;
	int64_t warp_size; /* 1 where the device has none */
	int64_t clock_mhz; /* 0 = unknown */
	int64_t timer_resolution_ns;
};

/* A device as one backend reports it, with the measurements made through that backend. */
struct view_record {
	struct record record;
	char *backend; /* the name in `views` */
	char *index, *name, *driver, *compiler, *arch;
	int64_t capabilities;
	struct limits_record limits;
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
	char *variant;             /* NULL: all variants of the family without an entry */
	char *dtype, *op, *data;   /* the floor is about this problem only */
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
	char *key; /* "uuid:...", else "pci:...", else "name:...": how rows name the device */
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

/* Appends a copy. */
enum pmpp_status device_list_add(
	struct device_list *list, const struct device_record *device, struct pmpp_error *error);

/* Adds copies of another record's views to the device that both describe; a view of the same
 * backend is replaced. If the device has no timer, it gets the other's; its roofs are those of the
 * first view that has them. */
enum pmpp_status device_record_merge(
	struct device_record *device, const struct device_record *other, struct pmpp_error *error);

/* Gives the device a copy of the roofs of its first view that has them. Without such a view its
 * roofs do not change. */
enum pmpp_status device_record_take_roofs(struct device_record *device, struct pmpp_error *error);

extern const struct record_type verify_type, timing_type, samples_type, device_state_type,
	roofs_type, timer_type, limits_type, view_type, device_type, noise_type;

#endif
