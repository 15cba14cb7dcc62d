/* Device timers against a host clock that is late: simulated batches with known answers. */
#include "common/model/timer_check.h"
#include "tests/support/test.h"

#include <stdint.h>

#define TRIALS 10000

/* SplitMix64: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, 2014. */
static double next_uniform(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

/* Delays of the host are exponential: many short ones, some long ones. */
static const struct row {
	const char *machine;
	double delay;    /* mean, as a fraction of a batch */
	double scale;    /* of the timer: 1 is right */
	double min, max; /* of 100 trials that the timer passes */
} rows[] = {
	{"quiet", 0.001, 1, 100, 100},
	{"quiet", 0.001, 0.95, 100, 100},
	{"quiet", 0.001, 1.05, 100, 100},
	{"quiet", 0.001, 0.85, 0, 0},
	{"quiet", 0.001, 0.5, 0, 0},
	{"quiet", 0.001, 1.15, 0, 0},
	{"quiet", 0.001, 1e-7, 0, 0},
	{"quiet", 0.001, 1000, 0, 0},
	{"busy", 0.05, 1, 99.5, 100},
	{"busy", 0.05, 0.95, 90, 100},
	{"busy", 0.05, 1.05, 99.5, 100},
	{"busy", 0.05, 0.85, 0, 0},
	{"busy", 0.05, 0.5, 0, 0},
	{"busy", 0.05, 1.15, 0, 5},
	{"very busy", 0.2, 1, 85, 100},
	{"very busy", 0.2, 0.85, 0, 0},
	{"very busy", 0.2, 2, 0, 2},
};

TEST_ROWS(simulated, rows, "%s machine: a timer that shows %g x the time", row->machine, row->scale)
{
	size_t passed = 0, batches = 0;
	uint64_t state = 1;

	for (int trial = 0; trial < TRIALS; trial++) {
		struct timer_check check = {0};
		while (!check.done) {
			double delay = -row->delay * log(next_uniform(&state));
			timer_check_add(&check, 2e7 * row->scale, 2e7 * (1 + delay));
		}
		IS(check.batches <= TIMER_CHECK_BATCHES);
		batches += check.batches;
		passed += check.agrees;
	}
	double percent = 100.0 * (double)passed / TRIALS;
	test_note("%.2f of 100 timers pass, %.1f batches each", percent, (double)batches / TRIALS);
	IS(percent >= row->min && percent <= row->max);
}

/* The batch with the largest ratio decides, and is the one that the message shows. */
TEST(largest, "the largest ratio decides")
{
	struct timer_check check = {0};

	CHECK(NOT(check.agrees), NOT(check.done));
	timer_check_add(&check, 10, 20);
	timer_check_add(&check, 19, 20);
	timer_check_add(&check, 12, 20);
	CHECK(NEAR(check.device_to_host, 0.95, 1e-12), NEAR(check.device_ns, 19, 0),
		NEAR(check.host_ns, 20, 0), IS(check.agrees), NOT(check.done));
	timer_check_add(&check, 23, 20);
	CHECK(NOT(check.agrees), IS(check.done));
}

/* A timer that once shows more than the host clock is not accepted early. */
TEST(not_early, "two equal batches end the check")
{
	struct timer_check check = {0};

	timer_check_add(&check, 20, 20);
	NOT(check.done);
	timer_check_add(&check, 20, 20);
	IS(check.done);
	check = (struct timer_check){0};
	timer_check_add(&check, 23, 20);
	timer_check_add(&check, 20, 20);
	timer_check_add(&check, 20, 20);
	NOT(check.done);
}
