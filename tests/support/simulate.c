#include "tests/support/simulate.h"

#include "common/data.h"

#include <math.h>

const char *const noise_names[NOISE_COUNT] = {
	[NOISE_NORMAL] = "normal",
	[NOISE_LOG_NORMAL] = "log-normal",
	[NOISE_EXPONENTIAL] = "exponential",
	[NOISE_BIMODAL] = "bimodal",
	[NOISE_DRIFT] = "drifting",
};

/* NOISE_BIMODAL: lengths are in sizes. */
#define LOWER_SHARE 0.7
#define MODE_DISTANCE 3
#define MODE_WIDTH 0.3

/* Returns a number in (0, 1). */
static double uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
	return ((double)(data_bits(seed, stream, index) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller: A note on the generation of random normal deviates, 1958. */
double simulate_normal(uint64_t seed, uint64_t stream, uint64_t index)
{
	double radius = sqrt(-2 * log(uniform(seed, stream, 2 * index)));

	return radius * cos(2 * M_PI * uniform(seed, stream, 2 * index + 1));
}

static double centre_of(const struct simulation *simulation, double index)
{
	if (simulation->noise != NOISE_DRIFT)
		return 1;
	return 1 + simulation->drift * simulation->size * index / (double)simulation->length;
}

double simulate_sample(const struct simulation *simulation, uint64_t stream, uint64_t index)
{
	double normal = simulate_normal(simulation->seed, stream, index);
	double other = uniform(simulation->seed + 1, stream, index);

	switch (simulation->noise) {
	case NOISE_LOG_NORMAL:
		return exp(simulation->size * normal);
	case NOISE_EXPONENTIAL:
		return 1 - simulation->size * log(other);
	case NOISE_BIMODAL:
		return 1 + simulation->size * (MODE_WIDTH * normal +
						      (other < LOWER_SHARE ? 0 : MODE_DISTANCE));
	default:
		return centre_of(simulation, (double)index + 0.5) + simulation->size * normal;
	}
}

/* The normal quantile of a probability, by bisection. */
static double normal_quantile(double probability)
{
	double low = -8, high = 8;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (erfc(-middle / sqrt(2)) / 2 < probability)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double simulate_median(const struct simulation *simulation, size_t n)
{
	switch (simulation->noise) {
	case NOISE_LOG_NORMAL:
		return 1;
	case NOISE_EXPONENTIAL:
		return 1 + simulation->size * log(2);
	case NOISE_BIMODAL:
		/* The modes are ten widths apart: the median is a quantile of the lower one. */
		return 1 + simulation->size * MODE_WIDTH * normal_quantile(0.5 / LOWER_SHARE);
	default:
		return centre_of(simulation, (double)n / 2);
	}
}
