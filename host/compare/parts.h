/*
 * The parts of a row: its runs on each side, and the estimate of their time.
 */
#ifndef PMPP_HOST_COMPARE_PARTS_H
#define PMPP_HOST_COMPARE_PARTS_H

#include "common/model/repetition.h"
#include "host/compare/internal.h"

/* One side of a row. */
struct part {
	const struct compared_row *first; /* NULL: the side has no such row */
	double *medians_ns;               /* of all runs; owned */
	size_t count;
	int primary;       /* of these runs; runs with other samples are left out */
	double half_width; /* largest of the runs' own half-widths; NAN: unknown */
	double floor_ns;   /* derived.floor.ns: largest floor of the time; NAN: unknown */
	struct noise_floor noise;
	bool failed;      /* a run has no verified time */
	const char *type; /* of the device; NULL: unknown */
	struct repetition_estimate estimate;
};

/* Whether the part has a time: all its runs passed, and at least one was timed. */
bool part_is_timed(const struct part *part);

/* The typical variance of the logarithm of a run's median on each side, from all rows that have
 * several runs there; 0 if there are fewer than SPREAD_LEAST_ROWS such rows. All rows of a side
 * share the state of the machine, so all rows together estimate its noise better than one row.
 * malloc'ed; NULL for lack of memory. */
double *spreads_of(const struct join *join, size_t side_count);

#define SPREAD_LEAST_ROWS 4

/* Makes the part and the cell of a side. spread: that of the side; it raises the floor of noise.
 * part_finish() frees what the part owns. */
void part_fill(const struct joined *group, size_t side, double spread, struct part *part,
	struct cell_record *cell);
void part_finish(struct part *part);

#endif
