/*
 * The bench: one open device with the modules that use it.
 */
#ifndef PMPP_HOST_SUITE_BENCH_H
#define PMPP_HOST_SUITE_BENCH_H

#include "host/suite/timing.h"
#include "host/suite/verify.h"

/* Zero-initialised: closed. Its members point to each other: not to be copied. */
struct bench {
	struct gpu_device *device; /* owned */
	bool lost;                 /* the device does not answer any more */
	struct inputs inputs;
	struct programs programs;
	struct operands operands;
	struct verifier verifier;
	struct probe probe;
	struct calibrator calibrator;
	struct timer timer;
};

/* options: kernel_dir and user_inputs, which must outlive the bench. Fails as gpu_open(). */
enum pmpp_status bench_open(struct bench *bench, const struct gpu_device_info *info,
	const struct suite_options *options, struct pmpp_error *error);
void bench_close(struct bench *bench);

/* Places the problem's operands on the device, with layouts for the variant. */
enum pmpp_status bench_place(struct bench *bench, const struct suite_options *options,
	const struct config *config, const struct problem *problem, struct pmpp_error *error);

/* Frees the operands, inputs and reference of the last problem. */
void bench_release_problem(struct bench *bench);

/* Calibrates the device's timer once. */
enum pmpp_status bench_calibrate(struct bench *bench, enum gpu_math math, struct pmpp_error *error);

/* A failure of the variant becomes the outcome's status and reason, and PMPP_OK. After a failed
 * launch the contents of the device's buffers are unknown. Other failures are returned. */
enum pmpp_status bench_absorb(struct bench *bench, struct outcome *outcome, enum pmpp_status status,
	struct pmpp_error *error);

/* Reports the stage of the outcome's variant: "matmul/tiled: timing". */
void bench_progress(
	const struct suite_options *options, const struct outcome *outcome, const char *stage);

#endif
