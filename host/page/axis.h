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
	double pixels[2]; /* positions of low and high: x from the left, y from the bottom */
	bool log;
	struct axis_tick ticks[AXIS_TICKS];
	size_t tick_count;
};

/* Limits of the absolute value that a chart shows; AXIS_SMALLEST is for logarithmic axes only.
 * Values outside are not measurements, and would overflow in the computation of ranges and pixels.
 */
#define AXIS_LARGEST 1e30
#define AXIS_SMALLEST 1e-30

/* Returns whether an axis can show the value. */
bool axis_shows(bool log, double value);

/* Sets the range. low, high: smallest and largest value of the data. Limits in *axis replace them
 * if the axis can show the limits. If the axis cannot show the values, a default range is used. A
 * linear axis without a lower limit begins at 0, unless the data have values below 0. space: margin
 * beside the data, as a fraction of the range. */
void axis_set_range(struct axis *ret_axis, const struct chart_axis *axis, double low, double high,
	double space);

/* Sets the ticks. max: maximum number of ticks, 2 or more. */
void axis_set_ticks(struct axis *axis, size_t max);

/* The pixel of a value. */
double axis_pixel(const struct axis *axis, double value);

#endif
