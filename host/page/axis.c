#include "host/page/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Range ----------------------------------------------------------------------------------- */

/* A range that is narrower than this fraction of its largest limit has no ticks. */
#define NARROWEST 1e-9

bool axis_shows(bool log, double value)
{
	return fabs(value) <= AXIS_LARGEST && (!log || value >= AXIS_SMALLEST);
}

/* Returns whether ticks and pixels of the range are finite. The range is wider than the data. */
static bool is_range(const struct axis *axis)
{
	double size = fmax(fabs(axis->low), fabs(axis->high));

	return size < 1e10 * AXIS_LARGEST && (!axis->log || axis->low > 1e-10 * AXIS_SMALLEST) &&
	       axis->high - axis->low > fmax(NARROWEST * size, AXIS_SMALLEST);
}

void axis_set_range(
	struct axis *ret_axis, const struct chart_axis *axis, double low, double high, double space)
{
	ret_axis->log = axis->log;
	if (axis->log) {
		double factor = pow(high / low, space);
		factor = factor > 1.15 ? factor : 1.15;
		low /= factor;
		high *= factor;
	} else {
		double span = high - fmin(low, 0);
		low = low < 0 ? low - space * span : 0;
		high = high + space * (span > 0 ? span : 1);
	}
	ret_axis->low = axis_shows(axis->log, axis->low) ? axis->low : low;
	ret_axis->high = axis_shows(axis->log, axis->high) ? axis->high : high;
	/* The limits of the caller or the data cannot be shown. */
	if (!is_range(ret_axis)) {
		ret_axis->low = axis->log ? 0.1 : 0;
		ret_axis->high = 1;
	}
}

/* ---- Texts of ticks -------------------------------------------------------------------------- */

/* "12 000": groups of three digits, with narrow spaces. */
static void group_digits(double value, char *text, size_t size)
{
	char digits[32];
	size_t used = 0;

	snprintf(digits, sizeof digits, "%.0f", value);
	size_t length = strlen(digits);
	for (size_t i = 0; i < length && used + 8 < size; i++) {
		if (i && (length - i) % 3 == 0)
			used += (size_t)snprintf(text + used, size - used, "\u202f");
		text[used++] = digits[i];
	}
	text[used] = '\0';
}

static void tick_text(double value, double step, char *text, size_t size)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (value >= units[i].unit && value < 1e6 * units[i].unit) {
			snprintf(text, size, "%.4g\u202f%s", value / units[i].unit, units[i].name);
			return;
		}
	if (value >= 1e4 && value < 1e6)
		group_digits(value, text, size);
	else if (fabs(value) < 1e-9 * step)
		snprintf(text, size, "0");
	else
		snprintf(text, size, "%.6g", value);
}

static void add_tick(struct axis *axis, double value, double step)
{
	if (axis->tick_count == AXIS_TICKS)
		return;
	struct axis_tick *tick = &axis->ticks[axis->tick_count++];
	tick->at = value;
	tick_text(value, step, tick->text, sizeof tick->text);
}

/* ---- Places of ticks ------------------------------------------------------------------------- */

static void set_linear(struct axis *axis, size_t max)
{
	static const double steps[] = {1, 2, 2.5, 5, 10};
	double rough = (axis->high - axis->low) / (double)max;
	double power = pow(10, floor(log10(rough)));
	double step = 10 * power;

	for (size_t i = sizeof steps / sizeof *steps; i-- > 0;)
		if (steps[i] * power >= rough * (1 - 1e-9))
			step = steps[i] * power;
	double first = ceil(axis->low / step - 1e-9);
	double last = floor(axis->high / step + 1e-9);
	for (double i = first; i <= last && axis->tick_count < AXIS_TICKS; i++)
		add_tick(axis, i * step, step);
}

/* Counts the ticks at factors of each power of ten, or only at every n-th power. Adds them to
 * add_to unless it is NULL. */
static size_t count_log(const struct axis *axis, const double *factors, size_t factor_count,
	int every, struct axis *add_to)
{
	int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
	size_t count = 0;

	for (int power = first; power <= last; power++)
		for (size_t i = 0; i < factor_count && power % every == 0; i++) {
			double value = factors[i] * pow(10, power);
			if (value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9))
				continue;
			if (add_to)
				add_tick(add_to, value, value);
			count++;
		}
	return count;
}

static void set_log(struct axis *axis, size_t max)
{
	static const double factors[] = {1, 2, 5}, some[] = {1, 3},
			    all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	static const struct {
		const double *factors;
		size_t count;
	} sets[] = {{all, 9}, {factors, 3}, {some, 2}, {all, 1}};
	int every = 1;

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		if (count_log(axis, sets[i].factors, sets[i].count, 1, NULL) <= max) {
			count_log(axis, sets[i].factors, sets[i].count, 1, axis);
			return;
		}
	while (count_log(axis, all, 1, every, NULL) > max)
		every++;
	count_log(axis, all, 1, every, axis);
}

void axis_set_ticks(struct axis *axis, size_t max)
{
	axis->tick_count = 0;
	if (max > AXIS_TICKS)
		max = AXIS_TICKS;
	if (axis->log)
		set_log(axis, max);
	if (axis->tick_count < 2) {
		axis->tick_count = 0;
		set_linear(axis, max);
	}
}

double axis_pixel(const struct axis *axis, double value)
{
	double part = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
				: (value - axis->low) / (axis->high - axis->low);

	return axis->pixels[0] + part * (axis->pixels[1] - axis->pixels[0]);
}
