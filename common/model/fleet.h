/*
 * Several processes (ranks) that run one job on several devices: which rank runs on which device,
 * and which rank is slower than the others.
 */
#ifndef PMPP_COMMON_MODEL_FLEET_H
#define PMPP_COMMON_MODEL_FLEET_H

#include <stdbool.h>
#include <stddef.h>

/* ---- Devices ------------------------------------------------------------------------------- */

#define FLEET_MOST_DEVICES 64

/* The devices that a rank may use, by their numbers on its host, the preferred one first. */
struct fleet_seat {
	size_t devices[FLEET_MOST_DEVICES]; /* < FLEET_MOST_DEVICES */
	size_t device_count;
	size_t choice;     /* result: index into devices; 0 if there is none */
	size_t rank_count; /* result: ranks on the chosen device, this rank included */
};

/* Chooses a device for each rank of one host. As many ranks as possible have a device of their own
 * (Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2,
 * 1955: augmenting paths). The others share the devices with the fewest ranks. */
void fleet_assign(struct fleet_seat *seats, size_t count);

/* ---- Stragglers ---------------------------------------------------------------------------- */

/* Times of one variant on one rank: the median and its 95 % interval, ascending, in one unit. */
struct fleet_time {
	double median;
	double ci95[2];
};

/* Smaller differences are not reported: cards of one model differ by this much. */
#define FLEET_LEAST_DIFFERENCE 0.01

/* Whether rank `index` is slower than the others: its interval lies above the interval of their
 * (upper) median rank, and its median is more than FLEET_LEAST_DIFFERENCE above that rank's. Sets
 * *ret_ratio to its median over that median, also if the result is false; NAN if there is no other
 * rank. The result is false if an end of an interval is NAN. scratch: room for `count` times. */
bool fleet_is_straggler(const struct fleet_time *times, size_t count, size_t index,
	struct fleet_time *scratch, double *ret_ratio);

#endif
