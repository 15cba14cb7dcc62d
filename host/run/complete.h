/*
 * Completes result rows: the figures that compare a row with the rows before it.
 */
#ifndef PMPP_HOST_RUN_COMPLETE_H
#define PMPP_HOST_RUN_COMPLETE_H

#include "host/record/result.h"

/* Sets derived.step, derived.total and claim. A ratio that the suite measured with samples taken in
 * turn (step_paired, claim.paired) stays. Other ratios are calculated from two medians. before: the
 * count rows of the same group that were reported earlier. gpu: the group's device is a GPU, so
 * that claims apply. A row of an unknown variant stays as it is. */
void complete_row(struct result_row *row, const struct result_row *before, size_t count, bool gpu);

#endif
