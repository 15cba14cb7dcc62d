/*
 * Whether a device timer agrees with the host clock.
 *
 * Both clocks measure the same batches of runs. The host's interval contains the device's interval:
 * it begins before the first run and ends after the last. With a right timer, device <= host: the
 * host adds only its own delays (submission, wake-up, other programs). Delays make device / host
 * smaller, never larger. Therefore the largest device / host of a few batches is the best estimate
 * of the timer's scale. It approaches the scale from below:
 *
 *   right timer, busy machine    some batches are far below 1, the largest is close to 1
 *   timer that shows too little  every batch is below its scale, which is below the limit
 *   timer that shows too much    one batch with little delay is above the limit
 *
 * A timer that shows too much by a fraction s can pass, but only if the host is late by about the
 * same fraction in every batch.
 */
#ifndef PMPP_COMMON_MODEL_TIMER_CHECK_H
#define PMPP_COMMON_MODEL_TIMER_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#define TIMER_CHECK_TOLERANCE 0.10 /* of device / host, on both sides of 1 */
#define TIMER_CHECK_BATCHES 4      /* at most */

/* Zero-initialised: no batch. */
struct timer_check {
	size_t batches;
	size_t nearly_equal;       /* batches that agree to 2 % */
	double device_to_host;     /* the largest so far */
	double device_ns, host_ns; /* of that batch */
	/* No further batch is needed: two batches agree within 2 % with the largest, or there are
	 * TIMER_CHECK_BATCHES. One batch is not enough: a late host can hide that a timer shows too
	 * much. */
	bool done;
	bool agrees; /* the largest device / host is within the tolerance */
};

/* Adds one batch: both intervals in ns, host_ns > 0. */
void timer_check_add(struct timer_check *check, double device_ns, double host_ns);

#endif
