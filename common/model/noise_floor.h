/*
 * The floor of noise: how much the median of a run differs between runs of unchanged code.
 *
 * The samples of one run show only the noise within this run. Two runs also differ in conditions
 * that are fixed when a process starts: addresses of buffers, clocks, temperature, other programs.
 * Between two H200 cards 27 of 89 unchanged kernels differed by more than the sum of their
 * half-widths, but all by at most 1.2 % (docs/results/nvidia-h200: families-cuda.json,
 * again-cuda.json).
 */
#ifndef PMPP_COMMON_MODEL_NOISE_FLOOR_H
#define PMPP_COMMON_MODEL_NOISE_FLOOR_H

#include <stddef.h>

struct noise_floor {
	double sd;  /* standard deviation of the logarithm of a run's median; > 0 */
	double dof; /* degrees of freedom of sd: how well it is known; >= 1 */
};

/* The default for a device type: "gpu", "cpu", ... Other words and NULL get the default of a CPU.
 *
 *     gpu    0.2 %    9 processes of 39 variants in CUDA on an H200: 0.01 to 0.27 %, 9 of 10
 *                     variants at most 0.20 % (docs/results/nvidia-h200/compare/aa-cuda.json)
 *     cpu    5 %      runs on PoCL, two cores of a virtual machine
 *
 * The number of degrees of freedom is small, because variants differ from each other. */
struct noise_floor noise_floor_default(const char *device_type);

/* Returns the class of a device type. Each class has its own default floor, and its own spread on a
 * side of a comparison. */
#define NOISE_CLASSES 2
size_t noise_floor_class(const char *device_type); /* < NOISE_CLASSES */

/* How much the rows of one class on one side of a comparison vary between runs. */
struct noise_spread {
	double variance; /* of a typical row: the median of the variances, divided by median / mean of the
			  * chi-squared distribution with dof degrees of freedom (Wilson and Hilferty:
			  * The distribution of chi-square, PNAS 17, 1931). A few noisy rows do not
			  * change it. 0 = unknown */
	double dof; /* of one row: all rows share the state of the machine */
};

/* variances: one for each row that has several runs; they are sorted in place. dof: their mean
 * number of degrees of freedom. All rows together estimate the noise of the machine better than one
 * row. Unknown if there are fewer than NOISE_FLOOR_SPREAD_ROWS rows. */
struct noise_spread noise_floor_spread(double *variances, size_t count, double dof);

#define NOISE_FLOOR_SPREAD_ROWS 4

/* The floor of a row on a side with this spread. If the spread is larger than the floor, it
 * replaces the floor, with the smaller number of degrees of freedom. */
struct noise_floor noise_floor_raised(
	const struct noise_floor *floor, const struct noise_spread *spread);

/* Standard deviation of the logarithm of a measured roof, between measurements.
 *
 *     gpu    1 %     18 measurements on 11 H200 cards: copy 0.7 %, read 1.3 % (docs/results/
 *                    nvidia-h200)
 *     cpu    10 %    2 measurements with PoCL: read 2 %, copy 14 % (docs/results/pocl) */
double noise_floor_of_roof(const char *device_type);

#endif
