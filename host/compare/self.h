/*
 * Compares a machine with itself: measures the floor of noise of each family, and counts how often
 * two runs of unchanged code get the verdict FAST or SLOW.
 */
#ifndef PMPP_HOST_COMPARE_SELF_H
#define PMPP_HOST_COMPARE_SELF_H

#include "common/model/noise_floor.h"
#include "common/model/verdict.h"
#include "host/record/result.h"

struct self_variant {
	const char *variant;
	struct noise_floor floor;
};

/* One problem of a family on one device through one backend. Texts belong to the document. */
struct self_family {
	const struct result_row *first;        /* its first row */
	const char *family, *backend, *device; /* device: its key */
	struct noise_floor floor;              /* of all variants together */
	struct noise_floor used_default;       /* default of the device's type */
	struct self_variant *variants;         /* timed in all runs; owned */
	size_t variant_count;
	size_t pairs;                   /* pairs of runs, over all variants */
	size_t verdicts[VERDICT_COUNT]; /* of the pairs */
};

struct self_families {
	struct self_family *items; /* owned; NULL if there is no memory */
	size_t count;
};

/* document: each row has the times of runs * repetitions processes. Run i has the processes i *
 * repetitions to (i + 1) * repetitions - 1. The verdict on a pair of runs uses the floors of all
 * other runs, so that the pair does not influence its own floor. If there are fewer than
 * SELF_MIN_RUNS runs, it uses the default floors. As in a comparison of files, the spread within a
 * run can increase the floors of this run. tolerance: NAN = by device type. runs >= 2. */
struct self_families self_compare(
	const struct result_document *document, size_t runs, size_t repetitions, double tolerance);

#define SELF_MIN_RUNS 6

void self_families_finish(struct self_families *families);

#endif
