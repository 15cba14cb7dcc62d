/*
 * A session on one open device: the bench, which has the device and the modules that use it, with the
 * user's options and the device's roofs.
 */
#ifndef PMPP_HOST_SUITE_SESSION_H
#define PMPP_HOST_SUITE_SESSION_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/gpu/library.h"
#include "host/record/measurement.h"
#include "host/sensors/sensors.h"
#include "host/suite/fallback.h"
#include "host/suite/launch.h"
#include "host/suite/outcome.h"
#include "host/suite/timing.h"
#include "host/suite/verify.h"

struct earlier_row {
	struct config config;
	struct problem problem; /* with the rounding of the variant's inputs */
	double median_ns;       /* of its primary samples; NAN = unknown */
	char output_sha256[65]; /* of its verified output; "" = unknown */
};

/* Zero-initialised: none. */
struct earlier_rows {
	struct earlier_row *items; /* owned */
	size_t count;
};

/* Zero-initialised: closed. Do not copy it: its members point to each other. */
struct bench {
	struct gpu_device *device;           /* owned */
	const struct suite_options *options; /* of the next variant; not owned */
	bool lost;                           /* the device no longer responds */
	struct problem problem;              /* problem of the arrays below; family NULL = none */
	struct inputs inputs;
	struct programs programs;
	struct gpu_library *libraries[PEER_LIBRARY_COUNT]; /* owned; NULL = not open */
	struct operands operands;
	struct verifier verifier;
	struct timer timer;
	struct earlier_rows earlier;
	struct fallbacks fallbacks;
	struct sensors sensors; /* open after bench_calibrate() */
};

struct device_roofs {
	bool known;
	struct roofs_record roofs; /* owns nothing */
};

struct suite {
	struct bench bench;
	struct suite_options options;
	struct device_roofs roofs;
};

/* ---- The session ---------------------------------------------------------------------------- */

/* Sets POCL_AFFINITY=1 (unless set). PoCL reads it when the process first requests its devices, so
 * call this function before gpu_enumerate() if variants are timed. suite_open() also calls it. */
void suite_set_environment(void);

enum pmpp_status suite_open(const struct gpu_device_info *info, const struct suite_options *options,
	struct suite **ret_suite, struct pmpp_error *error);
void suite_close(struct suite **suite); /* NULL is allowed */

/* Builds the programs of later variants on all CPUs. Only the config and the problem of the requests are read. */
void suite_build_early(struct suite *suite, const struct program_request *requests, size_t count);

/* The device of the suite; valid as long as the suite. */
const struct gpu_device_info *suite_device(const struct suite *suite);

/* true: the variant's problem leaves enough memory free on device and host (memory_fits_well()).
 * For the choice of default sizes. */
bool suite_fits_well(
	const struct suite *suite, const struct config *config, const struct problem *problem);

/* Size of the text below, in bytes. */
#define SUITE_MEMORY_BYTES 200

/* Writes "vecadd n=100 needs 1.2 kB of host memory; 3.4 GB are available". */
void suite_memory_text(const struct suite *suite, const struct config *config,
	const struct problem *problem, char ret_text[SUITE_MEMORY_BYTES]);

/* *ret_timer is valid as long as the suite. */
enum pmpp_status suite_calibration(
	struct suite *suite, const struct timer_record **ret_timer, struct pmpp_error *error);

/* ---- The bench ------------------------------------------------------------------------------ */

/* Opens a library, if it is not open, and writes its name, version and detail. It stays open. Fails like
 * gpu_library_open(). */
enum pmpp_status bench_library(struct bench *bench, enum peer_library id,
	char ret_text[GPU_LIBRARY_TEXT_BYTES], struct pmpp_error *error);

/* true: there is memory for `bytes` of operands of a companion, in addition to the region of the
 * flush. */
bool bench_fits_companion(const struct bench *bench, const struct outcome *outcome, uint64_t bytes);

/* Makes the plan of the outcome and places its operands on the device. Frees the memory of the last
 * problem if both do not fit together. If the variant cannot run, or cannot be verified,
 * *ret_placed is false, and the outcome has the status and the reason. PMPP_TOO_LARGE if the problem
 * does not fit in memory. traced: the operands are those of a trace, for which the host keeps a copy of
 * each. */
enum pmpp_status bench_place(struct bench *bench, struct outcome *outcome, bool traced,
	bool *ret_placed, struct pmpp_error *error);

/* Frees all that was allocated for the last problem, on the device and on the host. */
void bench_release_problem(struct bench *bench);

/* Opens the device's sensors and calibrates its timer, once. */
enum pmpp_status bench_calibrate(struct bench *bench, enum gpu_math math, struct pmpp_error *error);

/* Reads the state of the device and the machine into the outcome's row. Call it after the last
 * sample. */
void bench_read_state(const struct bench *bench, struct outcome *outcome);

/* Frees the outcome's times, its device state and its ratios of times: a row that does not pass has
 * no times. */
void bench_drop_times(struct outcome *outcome);

/* Stores a failure of the variant as the outcome's status and reason, and returns PMPP_OK. If the
 * status is already FAILED, it stays FAILED. After a failed launch the contents of the device's
 * buffers are unknown. If memory ran out, the memory of the problem is freed. Returns all other
 * failures, unless the status is FAILED. */
enum pmpp_status bench_absorb(struct bench *bench, struct outcome *outcome, enum pmpp_status status,
	struct pmpp_error *error);

/* Reports the stage of the outcome's variant: "matmul/tiled: timing". */
void bench_progress(const struct bench *bench, const struct outcome *outcome, const char *stage);

#endif
