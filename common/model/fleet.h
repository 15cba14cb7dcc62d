/*
 * Several processes (ranks) that run one job on several devices: which rank runs on which device,
 * and which rank is slower than the others.
 */
#ifndef PMPP_COMMON_MODEL_FLEET_H
#define PMPP_COMMON_MODEL_FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "common/model/repetition.h"

/* ---- Devices ------------------------------------------------------------------------------- */

#define FLEET_MAX_DEVICES 64

/* The devices that a rank may use, by their numbers on its host, the preferred one first. */
struct fleet_seat {
	size_t devices[FLEET_MAX_DEVICES]; /* < FLEET_MAX_DEVICES */
	size_t device_count;
	size_t choice;     /* result: index into devices; 0 if there is none */
	size_t rank_count; /* result: ranks on the chosen device, this rank included */
};

/* Chooses a device for each rank of one host. As many ranks as possible have a device of their own
 * (Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2,
 * 1955: augmenting paths). The others share the devices with the fewest ranks. */
void fleet_assign(struct fleet_seat *seats, size_t count);

/* ---- Stragglers ---------------------------------------------------------------------------- */

/* Whether rank `index` is a straggler: the verdict on its time / the time of the median rank is
 * SLOW (common/model/verdict.h). The intervals contain the floor of noise
 * (common/model/repetition.h), so the usual difference between two cards of one model does not make
 * a rank a straggler.
 *
 * estimates: of one variant on `count` >= 1 ranks, in ascending order of log_ns. The median rank is
 * the middle one; if `count` is even, the faster one of the middle two. *ret_ratio is set in all
 * cases; it is 1 for the median rank. */
bool fleet_is_straggler(const struct repetition_estimate *estimates, size_t count, size_t index,
	const char *device_type, struct repetition_ratio *ret_ratio);

#endif
