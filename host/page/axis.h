/*
 * An axis of a chart: its range and its ticks.
 */
#ifndef PMPP_HOST_PAGE_AXIS_H
#define PMPP_HOST_PAGE_AXIS_H

#include "host/page/chart.h"

#define AXIS_TICKS 16
#define AXIS_TICK_BYTES 32

struct axis_tick {
	double at;
	char text[AXIS_TICK_BYTES];
};

struct axis {
	double low, high; /* low < high; both above 0 if log */
	double pixels[2]; /* of low and high: x from the left, y from the bottom */
	bool log;
	struct axis_tick ticks[AXIS_TICKS];
	size_t tick_count;
};

/* Values of a larger size, and smaller ones on a logarithmic axis, are not part of a chart: they
 * are no measurements, and the arithmetic of ranges, ticks and pixels would overflow. */
#define AXIS_LARGEST 1e30
#define AXIS_SMALLEST 1e-30

/* Whether an axis can show the value. */
bool axis_shows(bool log, double value);

/* Sets the range. low, high: smallest and largest value of the data; the axis
 * shows them, or a default range is used. The limits of *axis that it shows replace them. A linear
 * axis without a limit begins at 0 unless the data have values below 0. */
void axis_set_range(struct axis *ret_axis, const struct chart_axis *axis, double low, double high,
	double space);

/* Sets the ticks. most: the number of ticks that have space, 2 or more. */
void axis_set_ticks(struct axis *axis, size_t max);

/* The pixel of a value. */
double axis_pixel(const struct axis *axis, double value);

#endif
