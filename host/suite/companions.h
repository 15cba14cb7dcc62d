/*
 * Companions of a variant: earlier rows that are timed in turn with it. They are the base of its step
 * and its claim, and its peers (--peers). The variant is not timed twice: its samples in these rounds
 * are the samples of its row. The companions' samples are used only for the ratios.
 *
 * A companion has operands of its own. Inputs with the same problem and layout as the variant's are
 * shared. There is no companion if
 *   - the earlier row was not timed in this session, but in another process,
 *   - its run is so long that there would be fewer than 6 rounds, and it is not a peer,
 *   - the device is not a GPU, the minimum number of samples takes longer than min_time, and it is
 *     not a peer, or
 *   - the operands of both do not fit in the memory.
 */
#ifndef PMPP_HOST_SUITE_COMPANIONS_H
#define PMPP_HOST_SUITE_COMPANIONS_H

#include "host/suite/bench.h"

#define MAX_PEERS 2
#define MAX_COMPANIONS (MAX_PEERS + 2) /* and one for the step, one for the claim */

/* Points into itself: do not copy it. */
struct companion {
	struct outcome outcome;
	struct operands operands; /* some inputs are borrowed from the bench */
	struct bound_run run;
	struct timer timer;
};

/* Zero-initialised: none. */
struct companions {
	struct companion items[MAX_COMPANIONS];
	size_t count;
};

/* Creates the companions of a verified outcome whose operands are on the bench. Skips a companion
 * for which there is no memory. Fails like the functions of gpu.h. */
enum pmpp_status companions_prepare(struct companions *companions, struct bench *bench,
	const struct suite_options *options, const struct outcome *outcome,
	struct pmpp_error *error);

/* Fills in one run for each companion and returns their number. */
size_t companions_runs(struct companions *companions, const struct suite_options *options,
	struct timed_run ret_runs[MAX_COMPANIONS]);

/* After timing: checks the companions' last outputs, and sets step, claim.observed and peers of
 * the row, with their intervals. If an output is wrong, the ratio is unknown, and a note says so. */
enum pmpp_status companions_compare(struct companions *companions, struct bench *bench,
	struct outcome *outcome, struct pmpp_error *error);

/* Frees the companions. Call it before the operands of the bench change. */
void companions_finish(struct companions *companions);

#endif
