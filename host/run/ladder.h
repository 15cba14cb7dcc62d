/*
 * What a rung bought: `step`, `total` and `claim` of result rows.
 */
#ifndef PMPP_HOST_RUN_LADDER_H
#define PMPP_HOST_RUN_LADDER_H

#include <jansson.h>
#include <stdbool.h>

/* Adds derived/step (time of the variant's base over this), derived/total (time of the family's
 * first variant over this) and claim {text, expected, observed, holds}. before: rows of the same
 * device and problem that came before it. What is unknown is null; time claims apply to GPUs only.
 */
void ladder_add(json_t *row, const json_t *before, bool gpu);

#endif
