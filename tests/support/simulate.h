/* Simulated samples of times with a known median, for tests of statistics. The same seed gives the
 * same samples on every machine. */
#ifndef PMPP_TESTS_SUPPORT_SIMULATE_H
#define PMPP_TESTS_SUPPORT_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

enum noise {
	NOISE_NORMAL,
	NOISE_LOG_NORMAL,
	NOISE_EXPONENTIAL, /* a smallest time plus exponential delays */
	NOISE_BIMODAL,     /* 7 of 10 samples are in the lower mode, 3 sizes below the upper one */
	NOISE_DRIFT,       /* normal, with a centre that drifts by `drift` sizes */
	NOISE_COUNT
};

extern const char *const noise_names[NOISE_COUNT];

struct simulation {
	enum noise noise;
	double size;  /* approximate standard deviation of the noise; the times are about 1 */
	double drift; /* NOISE_DRIFT: drift over `length` samples, in sizes */
	size_t length;
	uint64_t seed;
};

/* Independent standard normal numbers. */
double simulate_normal(uint64_t seed, uint64_t stream, uint64_t index);

/* Sample `index` of run `stream`. */
double simulate_sample(const struct simulation *simulation, uint64_t stream, uint64_t index);

/* The true median of the first n samples of a run. */
double simulate_median(const struct simulation *simulation, size_t n);

#endif
