/*
 * The bench: one open device with the modules that use it.
 */
#ifndef PMPP_HOST_SUITE_BENCH_H
#define PMPP_HOST_SUITE_BENCH_H

#include "host/sensors/sensors.h"
#include "host/suite/earlier_rows.h"
#include "host/suite/fallback.h"
#include "host/suite/memory.h"
#include "host/suite/peers.h"
#include "host/suite/timing.h"
#include "host/suite/verify.h"

/* Zero-initialised: closed. Do not copy it: its members point to each other. */
struct bench {
	struct gpu_device *device; /* owned */
	bool lost;                 /* the device no longer responds */
	struct problem problem;    /* problem of the arrays below; family NULL = none */
	struct inputs inputs;
	struct programs programs;
	struct peers peers;
	struct operands operands;
	struct verifier verifier;
	struct probe probe;
	struct calibrator calibrator;
	struct flusher flush;
	struct timer timer;
	struct earlier_rows earlier;
	struct fallbacks fallbacks;
	struct sensor_places sensor_places;
	struct sensors sensors; /* open after bench_calibrate() */
};

/* options: model, kernel_dir and user_inputs, which must outlive the bench. Fails as gpu_open(). */
enum pmpp_status bench_open(struct bench *bench, const struct gpu_device_info *info,
	const struct suite_options *options, struct pmpp_error *error);
void bench_close(struct bench *bench);

/* PMPP_TOO_LARGE if the variant's problem does not fit in the free memory plus the memory of the
 * last problem. Call it before anything is allocated for the problem. Frees the memory of the last
 * problem if both do not fit together. keeps_copy: see memory_needs_of(). */
enum pmpp_status bench_check_memory(struct bench *bench, const struct config *config,
	const struct problem *problem, bool keeps_copy, struct pmpp_error *error);

/* Returns the bytes of memory that the next problem can use: the free bytes, and the bytes that the
 * last problem, the flush and the probe's memory part hold. */
struct memory_room bench_room(const struct bench *bench);

/* Places the problem's operands on the device, with layouts for the variant. */
enum pmpp_status bench_place(struct bench *bench, const struct suite_options *options,
	const struct config *config, const struct problem *problem, struct pmpp_error *error);

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
void bench_progress(
	const struct suite_options *options, const struct outcome *outcome, const char *stage);

#endif
