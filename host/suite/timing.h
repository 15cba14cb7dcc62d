/*
 * Contract pmpp-timing/2 (docs/measuring.md). Each variant has three blocks of samples, each
 * between two probes: cold, hot, host. With several variants their samples are taken in turn,
 * A B, B A, A B.
 */
#ifndef PMPP_HOST_SUITE_TIMING_H
#define PMPP_HOST_SUITE_TIMING_H

#include "common/stats.h"
#include "host/record/measurement.h"
#include "host/suite/calibrate.h"
#include "host/suite/flush.h"
#include "host/suite/operands.h"
#include "host/suite/options.h"

/* What timing uses of one device; owns nothing. */
struct timer {
	struct operands *operands;           /* not owned; created for the variant */
	struct probe *probe;                 /* not owned; ready */
	const struct calibrator *calibrator; /* not owned; known */
	struct flusher *flush;               /* not owned */
};

/* One verified variant. */
struct timed_run {
	struct timer *timer;
	const struct suite_options *options; /* flush and the limits of samples */
	const struct bound_run *run;
	struct timing_record *timing; /* not present */
	bool companion; /* sampled in turn with the others, which decide when a block ends */

	/* Working state of timing_run(), zero before and after. */
	double run_ns; /* about how long one run takes */
	size_t batch;  /* runs of a hot sample */
	unsigned flags;
	bool resting;            /* takes no part in the rest of the block */
	bool in_turn;            /* other runs may have changed the cache since its last sample */
	double spent_ns;         /* on its samples of the block */
	struct flush_plan flush; /* of cold samples */
	struct sample_set {
		double *ns;      /* owned; in the order taken */
		double *scratch; /* owned; as long as ns; work space of stats_of() */
		struct stats stats;
	} cold, hot, host;
};

/* Times `count` runs in turn. They may share a timer. Each round takes one sample of each, so that
 * sample i of one run belongs to sample i of the others. Fills in their timings. After a failure no
 * timing is present. The first run's options limit the samples.
 *
 * The first run is not a companion. A companion changes neither the number nor the kind of the
 * other runs' samples. It takes part in the blocks of primary samples (in all cold ones, and in the
 * hot ones if hot is primary) until it has the least number of samples of its own run time, and has
 * taken min_time; then the others continue without it. */
enum pmpp_status timing_run(struct timed_run *runs, size_t count, struct pmpp_error *error);

/* The ratio of a's time to b's, from the rounds of primary samples in which both took part. Both
 * timings are present and come from the same call of timing_run(). Fails with PMPP_OUT_OF_MEMORY on
 * the host. */
enum pmpp_status timing_ratio(const struct timing_record *a, const struct timing_record *b,
	struct stats_ratio *ret_ratio, struct pmpp_error *error);

/* Frees the times and marks them as not present. */
void timing_drop(struct timing_record *timing);

#endif
